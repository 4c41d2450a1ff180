// AckedPoints: the points that a store that sometimes fails may show. Unlike PointModel it knows
// calls of unknown outcome: their puts or deletes are there, or not.
//
// For each instant of a series it keeps the possible states, the newest last: a value, or nothing.
// A call that succeeded leaves one; one that failed adds one. The states possible after a power
// loss are kept apart: all states since the last that was on disk for certain.
//
// Thread-compatible.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codec/point.h"
#include "tests/model/point_model.h"

namespace hourcell {

class AckedPoints {
 public:
  enum class Outcome {
    kUnknown,  // it failed
    kDone,     // and kill -9 does not undo it
    kSynced,   // nor does a power loss, nor any call before it
  };
  using Series = PointModel::Series;
  using Shown = PointModel::Shown;

  void Put(const Series& series, int64_t ms, const ModelValue& value, Outcome outcome);
  // Deletes [start_ms, end_ms] of all series of the metric. A success is on disk.
  void Delete(const std::string& metric, int64_t start_ms, int64_t end_ms, bool is_done);
  // All that was done so far is on disk now.
  void Synced();

  // The fault in the points that a store shows of all series; empty: no fault.
  std::string Fault(const Shown& shown) const { return Fault(shown, &Instant::possible); }
  // The same after a power loss.
  std::string FaultAfterPowerLoss(const Shown& shown) const {
    return Fault(shown, &Instant::possible_on_disk);
  }
  // Takes the points shown now as the truth from now on, and as on disk: a store was opened after a
  // crash. REQUIRES: Fault(shown) is empty.
  void Settle(const Shown& shown);

  // Instants that a store must show now, for tests that must not be empty.
  size_t certain() const;

 private:
  using State = std::optional<ModelValue>;  // nothing: no point
  struct Instant {
    std::vector<State> possible = {State()};
    std::vector<State> possible_on_disk = {State()};
  };

  void Become(Instant* instant, const State& state, Outcome outcome);
  std::string Fault(const Shown& shown, std::vector<State> Instant::* possible) const;

  std::map<Series, std::map<int64_t, Instant>> points_;
};

}  // namespace hourcell
