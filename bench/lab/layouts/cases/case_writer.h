// CaseWriter: writes the points of a workload in a layout and a cell form, and has regions cut
// meanwhile. One writer; splits run on another thread. Thread-compatible.

#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "bench/lab/layouts/cases/case_result.h"
#include "bench/lab/layouts/instruction_counter.h"
#include "bench/lab/layouts/region_ledger.h"
#include "bench/lab/layouts/split_worker.h"
#include "bench/lab/layouts/workload.h"
#include "engine/table/table_store.h"

namespace hourcell::layouts {

class CaseWriter {
 public:
  // Construct it in the thread that writes. All are borrowed; `cancelled` may be null. The store is
  // empty.
  CaseWriter(const CaseSpec& spec,
             const Workload& workload,
             TableStore* store,
             const std::atomic<bool>* cancelled = nullptr);

  // Call it once. Writes everything, flushes, waits for splits and trims; sets the figures of
  // writes and their times in `*result`. kCancelled: `cancelled` was set.
  absl::Status WriteAll(CaseResult* result);

  const RegionLedger& ledger() const { return ledger_; }

 private:
  absl::Status Presplit();
  absl::Status WriteRows(const std::vector<RowRef>& rows);
  absl::Status WritePoints(const std::vector<RowRef>& rows);
  // Counts a write of `points` points to `row`, and adds it to the group.
  absl::Status Add(std::string_view row, uint64_t points, Mutation write);
  absl::Status ApplyGroup();
  void SetTimes(int64_t flush_ns, CaseResult* result) const;

  const CaseSpec& spec_;
  const Workload& workload_;
  TableStore& store_;
  const std::atomic<bool>* const cancelled_;
  RegionLedger ledger_;
  SplitWorker splitter_;
  std::vector<Mutation> group_;
  std::vector<TimeSpanNs> applies_;
  uint64_t writes_ = 0;
  uint64_t bytes_ = 0;
  int64_t cpu_ns_ = 0;
  const InstructionCounter counter_;
  uint64_t instructions_ = 0;
};

// Estimates the size of a case from a sample of its rows.
RunExtent EstimateExtent(const CaseSpec& spec, const Workload& workload);

// The number of windows for the load of a run. A window has at least as many rows as fill at the
// same time, up to 64: with fewer, the hottest region would have a large share by chance. It also
// has at least a hundredth of the run.
size_t WindowsOf(const Workload& workload);

// The keys that cut the first quarter of a workload's rows into kPresplitRegions parts.
absl::StatusOr<std::vector<std::string>> PresplitKeys(const CaseSpec& spec,
                                                      const Workload& workload);

}  // namespace hourcell::layouts
