// ParallelScan: the rows of a scan by several threads: those there were at one moment, when it was
// planned. What comes later, splits and merges too, changes no row that was stored by then; a row
// whose hour was open may show points that were put since, as in every read.
//
//   auto scan = *tsdb->PlanScan({.metric = "cpu.user"}, {.workers = 4});
//   const uint64_t points = *scan->Reduce(
//       uint64_t{0},
//       [](const ScannedRow& row, uint64_t* sum) { *sum += row.times.size(); },
//       [](uint64_t from, uint64_t* sum) { *sum += from; });
//
// Run: the key ranges of all salt buckets are cut where regions meet, and where a piece has many
// bytes; the pieces, tasks, go to the workers so that their bytes are about equal, and each
// worker's rows to one reducer. Rows ascend by key inside a task; tasks come in any order. Each row
// comes once.
//
// RunInOrder: all rows by base time and series, whatever their salt bucket: a cursor a bucket, read
// ahead by the workers and merged by the caller's thread.
//
// A scan takes no lock and holds up nobody, but as long as it lives it keeps the files it reads on
// disk, and hours that are sealed meanwhile in memory. It may be run again. Thread-compatible;
// Cancel may come from any thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/scanned_row.h"

namespace hourcell {

struct ParallelScanOptions {
  size_t workers = 0;  // threads that work for it, the caller's included; 0 = by the processors
  // A task with more bytes on disk than that is cut if it can be; and so are all until each worker
  // has several.
  uint64_t task_bytes_max = 8 << 20;
  // False: ScannedRow::qualifiers and values stay empty, which is quicker.
  bool opentsdb_bytes = false;
};

class ParallelScan {
 public:
  struct Parts;  // of a store; for Tsdb

  // Tsdb::PlanScan.
  static absl::StatusOr<std::unique_ptr<ParallelScan>> Plan(const ScanSpec& spec,
                                                            const ParallelScanOptions& options,
                                                            const Parts& parts);
  ~ParallelScan();
  ParallelScan(const ParallelScan&) = delete;
  ParallelScan& operator=(const ParallelScan&) = delete;

  // Those that have a task; 1 at least.
  size_t workers() const;
  size_t tasks() const;
  // Bytes on disk of each worker's tasks, about. Hours that are still open count nothing.
  std::vector<uint64_t> WorkerBytes() const;

  // Calls `visit` for each row with its worker in [0, workers()): rows of a worker one after
  // another, those of several at once. The first status that is not OK ends all workers and is
  // returned. kCancelled; kDataLoss: a cell is damaged (the row is named); what storage says.
  using Visit = std::function<absl::Status(size_t worker, const ScannedRow& row)>;
  absl::Status Run(const Visit& visit);

  // Run with a State for each worker, a copy of `empty`: add(row, &state) for its rows, and at the
  // end merge(std::move(state), &result) for each, worker by worker, into another copy.
  template <typename State, typename Add, typename Merge>
  absl::StatusOr<State> Reduce(const State& empty, Add add, Merge merge) {
    struct alignas(128) Padded {  // no two workers write to one cache line
      State state;
    };
    std::vector<Padded> states(workers(), Padded{empty});
    absl::Status run = Run([&](size_t worker, const ScannedRow& row) {
      add(row, &states[worker].state);
      return absl::OkStatus();
    });
    if (!run.ok()) return run;
    State result = empty;
    for (Padded& padded : states)
      merge(std::move(padded.state), &result);
    return result;
  }

  // Visits all rows by base time, then tags, metric by metric, until `visit` returns false, on the
  // caller's thread. Errors as Run's; kUnimplemented: the layout has the salt after the base time.
  absl::Status RunInOrder(const std::function<bool(const ScannedRow& row)>& visit);

  // A run that is under way ends soon with kCancelled, and so do all later ones.
  void Cancel();

 private:
  class Body;
  explicit ParallelScan(std::unique_ptr<Body> body);

  const std::unique_ptr<Body> body_;
};

}  // namespace hourcell
