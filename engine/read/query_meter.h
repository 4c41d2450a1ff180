// QueryMeter: counts the resources of a sub query against its limits; and the memory of all
// queries. Thread-safe.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "engine/options.h"
#include "engine/query/memory_account.h"
#include "engine/query/query_control.h"

namespace hourcell {

// Freed memory of this size goes back to the system at once. Less is soon reused.
inline constexpr size_t kBytesWorthReturning = size_t{64} << 20;

// The memory of all queries, in bytes.
class QueryMemory {
 public:
  // `bytes_max` 0: no limit. `refuses`: Options::refuse_query_memory.
  explicit QueryMemory(size_t bytes_max, std::function<bool()> refuses = {})
      : bytes_max_(bytes_max), refuses_(std::move(refuses)) {}

  // False, and takes nothing, if less is left.
  bool TryTake(size_t bytes);
  void GiveBack(size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  // True once after kBytesWorthReturning were given back: the allocator keeps most freed memory,
  // and the caller should return it to the system now.
  bool IsWorthReturning();

  size_t bytes_max() const { return bytes_max_; }
  size_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  const size_t bytes_max_;
  const std::function<bool()> refuses_;
  std::atomic<size_t> used_{0};
  std::atomic<size_t> peak_{0};  // of used_ since IsWorthReturning was true
};

// One query's part of the QueryMemory, given back at the end.
class MemoryLease : public MemoryAccount {
 public:
  // Both are borrowed. `quick_bytes`: limit of a quick query; 0: none.
  MemoryLease(QueryMemory* memory, QueryControl* control, size_t quick_bytes = 0)
      : memory_(*memory), control_(*control), quick_bytes_(quick_bytes) {}
  MemoryLease(const MemoryLease&) = delete;
  MemoryLease& operator=(const MemoryLease&) = delete;
  ~MemoryLease() override { memory_.GiveBack(held_.load(std::memory_order_relaxed)); }

  absl::Status Take(size_t bytes) override;
  void GiveBack(size_t bytes) override;

 private:
  QueryMemory& memory_;
  QueryControl& control_;
  const size_t quick_bytes_;
  std::atomic<size_t> held_{0};
};

class QueryMeter {
 public:
  struct Deadline {
    int64_t ms = 0;                   // by MonotonicClock; 0 = none
    MonotonicClock* clock = nullptr;  // borrowed; of meaning only with a deadline
  };

  // `control` is borrowed.
  QueryMeter(const QueryLimits& limits, const Deadline& deadline, QueryControl* control)
      : limits_(limits), deadline_(deadline), control_(*control) {}

  // Counts a read. kResourceExhausted: over a limit; else as Check.
  absl::Status Add(const QueryCost& read);

  // From now on decoded points count against QuickBounds. The sub queries of a query share
  // `*points_left`. Borrowed.
  void BindQuick(std::atomic<int64_t>* points_left) { quick_points_left_ = points_left; }
  bool is_quick() const { return quick_points_left_ != nullptr; }
  // Before `points` are decoded. kAborted: too many for a quick query.
  absl::Status TakeQuickPoints(uint64_t points) {
    if (quick_points_left_ == nullptr) return absl::OkStatus();
    return quick_points_left_->fetch_sub(static_cast<int64_t>(points), std::memory_order_relaxed) <
                   static_cast<int64_t>(points)
               ? absl::AbortedError("The query decodes more points than a quick one may")
               : absl::OkStatus();
  }

  // kDeadlineExceeded, kCancelled.
  absl::Status Check() const;

  // Counts selected series. kResourceExhausted: too many.
  absl::Status AddSeries(uint64_t series);

  QueryCost cost() const;

 private:
  const QueryLimits limits_;
  const Deadline deadline_;
  QueryControl& control_;
  std::atomic<int64_t>* quick_points_left_ = nullptr;  // null: any number
  std::atomic<uint64_t> series_{0};
  std::atomic<uint64_t> rows_{0};
  std::atomic<uint64_t> day_rows_{0};
  std::atomic<uint64_t> rows_skipped_{0};
  std::atomic<uint64_t> points_{0};
  std::atomic<uint64_t> bytes_{0};
  std::atomic<uint64_t> cells_{0};
  std::atomic<uint64_t> blocks_cached_{0};
  std::atomic<uint64_t> blocks_read_{0};
};

}  // namespace hourcell
