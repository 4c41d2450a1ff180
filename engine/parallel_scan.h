// ParallelScan: reads the rows of a scan in several threads, in the state of the moment when it was
// planned. Later changes, including splits and merges, do not affect rows stored by then; a row
// with an open hour may show points put since, as in every read. ScanSpec selects the rows, also of
// Queries::Scan; ScannedRow is a row as a scan shows it.
//
//   auto scan = *tsdb->queries().PlanScan({.metric = "cpu.user"}, {.workers = 4});
//   const uint64_t points = *scan->Reduce(
//       uint64_t{0},
//       [](const ScannedRow& row, uint64_t* sum) { *sum += row.times.size(); },
//       [](uint64_t from, uint64_t* sum) { *sum += from; });
//
// Run: the key ranges of all salt buckets are cut at region boundaries, and where a piece has many
// bytes. The pieces, tasks, are distributed to the workers by bytes, about equally, and each
// worker's rows go to one reducer. Rows ascend by key inside a task; tasks come in any order. Each
// row comes once.
//
// RunByRegion, ReduceByRegion: the same with the region of each row, as HBase's endpoints run. A
// task is in one region; a worker may have several regions, and a region several workers. regions()
// has the time that each took. Queries::AggregateRows has ready-made aggregates.
//
// RunInOrder: all rows by base time and series, across salt buckets: the workers read ahead with a
// cursor a bucket, and the caller's thread merges.
//
// A scan does not lock or block other work, but while it exists it keeps the files it reads on
// disk, and hours that are sealed meanwhile in memory. It may be run again. Thread-compatible;
// Cancel may come from any thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/limits.h"
#include "codec/point.h"
#include "engine/query/query_spec.h"

namespace hourcell {

// One stored row, as `hourcell scan` shows it. Views live for the visit.
struct ScannedRow {
  std::string_view key;         // the row key's bytes
  std::string_view qualifiers;  // OpenTSDB's bytes, whatever format is stored
  std::string_view values;      // meta byte included
  uint32_t base_time_s = 0;
  std::string_view metric;  // UTF-8; or the UID in hex, without a name
  std::span<const TagView> tags;
  std::span<const Timestamp> times;  // of each point
  std::span<const Value> point_values;
  size_t cell_bytes = 0;  // of the hour's cell in a store; 0 in a row that a server sent
};

struct ScanSpec {
  std::string metric;  // empty = every row of the table, in key order
  std::vector<TagFilterSpec> filters = {};
  int64_t start_ms = 0;
  int64_t end_ms = kTimestampMsMax;  // inclusive; whole hours that touch [start, end] are visited
};

struct ParallelScanOptions {
  size_t workers = 0;  // threads that work for it, the caller's included; 0 = by the processors
  // A task with more bytes on disk is cut if possible; all tasks are cut until each worker has
  // several.
  uint64_t task_bytes_max = 8 << 20;
  // False: ScannedRow::qualifiers and values stay empty, which is quicker.
  bool opentsdb_bytes = false;
  // Called by all workers, at once, at each stored row, also at rows that are not visited; may be
  // empty. True cancels the scan.
  std::function<bool()> should_stop = {};
};

// A region that a scan reads, as it was when the scan was planned.
struct ScannedRegion {
  uint64_t id = 0;
  std::string name = {};   // HBase's, with the start escaped
  std::string start = {};  // as HBase's shell prints keys; empty: below all keys
  std::string end = {};    // exclusive; empty: above all keys
  // Of the last run, or of the present one until now.
  uint64_t rows = 0;    // visited
  uint64_t points = 0;  // in these rows
  int64_t us = 0;       // microseconds of all workers that read it, together
};

class ParallelScan {
 public:
  struct Parts;  // of a store; for Queries

  // Queries::PlanScan.
  static absl::StatusOr<std::unique_ptr<ParallelScan>> Plan(const ScanSpec& spec,
                                                            const ParallelScanOptions& options,
                                                            const Parts& parts);
  ~ParallelScan();
  ParallelScan(const ParallelScan&) = delete;
  ParallelScan& operator=(const ParallelScan&) = delete;

  // Workers with a task; at least 1.
  size_t workers() const;
  size_t tasks() const;
  // Bytes on disk of each worker's tasks, about. Hours that are still open count nothing.
  std::vector<uint64_t> WorkerBytes() const;
  // The regions of the tasks, ascending by start; at least 1. Thread-safe.
  std::vector<ScannedRegion> regions() const;

  // Calls `visit` for each row with its worker in [0, workers()): rows of a worker one after
  // another, those of several at once. The first status that is not OK ends all workers and is
  // returned. kCancelled; kDataLoss: a cell is damaged (the row is named); what storage says.
  using Visit = std::function<absl::Status(size_t worker, const ScannedRow& row)>;
  absl::Status Run(const Visit& visit);

  // As Run. `region`: the position in regions().
  using VisitInRegion =
      std::function<absl::Status(size_t worker, size_t region, const ScannedRow& row)>;
  absl::Status RunByRegion(const VisitInRegion& visit);

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

  // RunByRegion with a State for each region, a copy of `empty`; the result is by position in
  // regions(). A worker calls add(row, &state) on its state, which no other worker uses. When it
  // has read its rows of a region, merge(std::move(state), &of_region) adds that state to the
  // region's; one worker at a time merges, in any order. Both return an absl::Status; the first
  // error ends all workers and is returned. At most regions() + 2 * workers() states exist at once.
  // Merging an `empty` changes nothing.
  template <typename State, typename Add, typename Merge>
  absl::StatusOr<std::vector<State>> ReduceByRegion(const State& empty, Add add, Merge merge) {
    struct alignas(128) Part {  // no two workers write to one cache line
      State state;
      size_t region;
    };
    std::vector<State> of_regions(regions().size(), empty);
    std::vector<Part> parts(workers(), Part{empty, 0});
    Mutex mutex;
    const auto hand_over = [&](Part* part) -> absl::Status {
      State done = std::exchange(part->state, empty);
      MutexLock lock(&mutex);
      return merge(std::move(done), &of_regions[part->region]);
    };
    absl::Status run =
        RunByRegion([&](size_t worker, size_t region, const ScannedRow& row) -> absl::Status {
          Part& part = parts[worker];
          if (part.region != region) {
            absl::Status merged = hand_over(&part);
            if (!merged.ok()) return merged;
            part.region = region;
          }
          return add(row, &part.state);
        });
    for (size_t i = 0; run.ok() && i < parts.size(); ++i)
      run = hand_over(&parts[i]);
    if (!run.ok()) return run;
    return of_regions;
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
