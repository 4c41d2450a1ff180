// CaseWriter: writes the points of a workload in a layout and a cell form, and has regions cut on
// the way. One writer; splits run beside it. Thread-compatible.

#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "bench/lab/layouts/cases/case_result.h"
#include "bench/lab/layouts/region_ledger.h"
#include "bench/lab/layouts/split_worker.h"
#include "bench/lab/layouts/workload.h"
#include "engine/table/table_store.h"

namespace hourcell::layouts {

class CaseWriter {
 public:
  // All are borrowed; `cancelled` may be null. The store is empty.
  CaseWriter(const CaseSpec& spec,
             const Workload& workload,
             TableStore* store,
             const std::atomic<bool>* cancelled = nullptr);

  // Once. Writes everything, flushes, waits for splits and trims; sets what `*result` says of
  // writes and their times. kCancelled: `cancelled` was set.
  absl::Status WriteAll(CaseResult* result);

  const RegionLedger& ledger() const { return ledger_; }

 private:
  absl::Status Presplit();
  absl::Status WriteRows(const std::vector<RowRef>& rows);
  absl::Status WritePoints(const std::vector<RowRef>& rows);
  // Counts a write to `row` of `points` points, and puts it into the group.
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
};

// What a case will write, by a sample of its rows.
RunExtent EstimateExtent(const CaseSpec& spec, const Workload& workload);

// Into how many windows the load of a run is cut. A window has no fewer rows than fill at the same
// time, 64 are enough: of fewer the hottest region would have a large share by chance. Nor has it
// less than a hundredth of the run.
size_t WindowsOf(const Workload& workload);

// The keys that cut the first quarter of a workload's rows into kPresplitRegions parts.
absl::StatusOr<std::vector<std::string>> PresplitKeys(const CaseSpec& spec,
                                                      const Workload& workload);

}  // namespace hourcell::layouts
