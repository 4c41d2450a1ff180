// StoreScript: a seeded sequence of calls to a store, in which any call may fail: puts, late and
// again and of both precisions, deletes, seals, flushes, merges, splits, changes of the salt,
// closes and opens; with a model of the points that the store may show by then.
//
// The same seed makes the same calls as long as they have the same outcomes. Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "engine/options.h"
#include "engine/tsdb.h"
#include "tests/model/acked_points.h"

namespace hourcell {

class StoreScript {
 public:
  // `options`: of the store; its clock is the script's own.
  StoreScript(uint64_t seed, Options options);

  // Makes the next call. Wrong answers of the store are in faults().
  void Step();
  // Closes the store if it is open, and opens it.
  absl::Status Reopen();
  // Drops the store in any state.
  void Drop() { tsdb_.reset(); }

  // Every point of the store. REQUIRES: it is open.
  absl::StatusOr<AckedPoints::Shown> ReadAll();
  // Faults of the store at rest outside of its points: regions, UIDs. REQUIRES: it is open.
  std::string CheckRest();

  AckedPoints* points() { return &points_; }
  Tsdb* tsdb() { return tsdb_.get(); }
  // A line for each call.
  const std::string& history() const { return history_; }
  // Answers that were wrong although their calls succeeded.
  const std::vector<std::string>& faults() const { return faults_; }
  uint64_t failed_calls() const { return failed_calls_; }

 private:
  void Put();
  void Delete();
  void ChangeRegions();
  void ChangeSalt();
  void Read();
  void Note(const std::string& what, const absl::Status& status);

  Random random_;
  ManualClock clock_;
  Options options_;
  std::unique_ptr<Tsdb> tsdb_;
  AckedPoints points_;
  std::string history_;
  std::vector<std::string> faults_;
  uint64_t failed_calls_ = 0;
};

}  // namespace hourcell
