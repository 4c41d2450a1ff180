// QueryControl: a handle on a running query: stops it, and reports its progress. Thread-safe.

#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "codec/base/mutex.h"

namespace hourcell {

// The cost of a query, until now or in total.
struct QueryCost {
  uint64_t series = 0;         // that its filters selected
  uint64_t rows = 0;           // read, stored or open
  uint64_t day_rows = 0;       // of these rows: rows of a day
  uint64_t rows_skipped = 0;   // visited by a scan, but of series that were not selected
  uint64_t points = 0;         // in the rows read
  uint64_t bytes = 0;          // of the cells read
  uint64_t cells = 0;          // decoded; for the other rows the summary was enough
  uint64_t blocks_cached = 0;  // of files, that were in the cache
  uint64_t blocks_read = 0;    // of files, that were not
  uint64_t memory = 0;         // bytes held at the peak
  friend bool operator==(const QueryCost&, const QueryCost&) = default;
};

// How a sub query is read: the expected and the actual cost.
struct PlanReport {
  size_t query_index = 0;  // into QuerySpec.queries
  std::string method;      // "point reads", "skip scan", "linear scan"
  uint64_t metric_series = 0;
  uint64_t series = 0;  // selected
  uint64_t groups = 0;
  uint64_t hours = 0;  // of the range that may have rows
  uint64_t expected_rows = 0;
  uint64_t expected_bytes = 0;
  QueryCost cost;
  // Its duration, in microseconds: its plan, its reading, and all later stages, the sink included.
  // The time of a read that several sub queries share counts in full for each, not as a part.
  int64_t plan_us = 0;
  int64_t read_us = 0;
  int64_t finish_us = 0;
};

class QueryControl {
 public:
  QueryControl() = default;
  QueryControl(const QueryControl&) = delete;
  QueryControl& operator=(const QueryControl&) = delete;

  // Lets the query end soon with kCancelled.
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool is_cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

  QueryCost cost() const {
    return {.series = series.load(std::memory_order_relaxed),
            .rows = rows.load(std::memory_order_relaxed),
            .day_rows = day_rows.load(std::memory_order_relaxed),
            .rows_skipped = rows_skipped.load(std::memory_order_relaxed),
            .points = points.load(std::memory_order_relaxed),
            .bytes = bytes.load(std::memory_order_relaxed),
            .cells = cells.load(std::memory_order_relaxed),
            .blocks_cached = blocks_cached.load(std::memory_order_relaxed),
            .blocks_read = blocks_read.load(std::memory_order_relaxed),
            .memory = memory_peak.load(std::memory_order_relaxed)};
  }

  // Counted by the running query.
  std::atomic<uint64_t> series{0};
  std::atomic<uint64_t> rows{0};
  std::atomic<uint64_t> day_rows{0};
  std::atomic<uint64_t> rows_skipped{0};
  std::atomic<uint64_t> points{0};
  std::atomic<uint64_t> bytes{0};
  std::atomic<uint64_t> cells{0};
  std::atomic<uint64_t> blocks_cached{0};
  std::atomic<uint64_t> blocks_read{0};
  std::atomic<uint64_t> memory_peak{0};
  std::atomic<int64_t> check_us{0};  // duration of the checks of all sub queries

  // One for each sub query that was planned, in order; complete after the end of the query.
  std::vector<PlanReport> plans() const {
    MutexLock lock(&mutex_);
    return plans_;
  }
  // The same, and removes them.
  std::vector<PlanReport> TakePlans() {
    MutexLock lock(&mutex_);
    return std::exchange(plans_, {});
  }
  void AddPlan(PlanReport plan) {
    MutexLock lock(&mutex_);
    plans_.push_back(std::move(plan));
  }

 private:
  std::atomic<bool> cancelled_{false};
  mutable Mutex mutex_;
  std::vector<PlanReport> plans_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
