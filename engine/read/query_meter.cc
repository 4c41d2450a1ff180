#include "engine/read/query_meter.h"

#include <algorithm>

#include <fmt/format.h>

#include "codec/base/check.h"

// Why each query counts its memory: the memory of the process includes caches and the allocator's
// reserve, and a query must be refused before it takes too much. malloc_trim returns memory after
// large releases: glibc keeps most freed memory, and a server that answered one large query would
// keep its peak for good.

namespace hourcell {
namespace {

// Adds and returns the sum.
uint64_t AddTo(std::atomic<uint64_t>* counter, uint64_t amount) {
  return counter->fetch_add(amount, std::memory_order_relaxed) + amount;
}

// Makes the counter at least `value`.
template <typename T>
void RaiseTo(T value, std::atomic<T>* counter) {
  T now = counter->load(std::memory_order_relaxed);
  while (now < value && !counter->compare_exchange_weak(now, value, std::memory_order_relaxed)) {
  }
}

absl::Status OverLimit(uint64_t limit, const char* of_what) {
  return absl::ResourceExhaustedError(
      fmt::format("Sorry, you have attempted to fetch more than our limit of {} {}. Please try "
                  "filtering using more tags or decrease your time range.",
                  limit, of_what));
}

}  // namespace

bool QueryMemory::TryTake(size_t bytes) {
  if (refuses_ && refuses_()) return false;
  const size_t used = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (bytes_max_ != 0 && used > bytes_max_) {
    GiveBack(bytes);
    return false;
  }
  RaiseTo(used, &peak_);
  return true;
}

bool QueryMemory::IsWorthReturning() {
  const size_t now = used();
  size_t peak = peak_.load(std::memory_order_relaxed);
  return peak >= now + kBytesWorthReturning &&
         peak_.compare_exchange_strong(peak, now, std::memory_order_relaxed);
}

absl::Status MemoryLease::Take(size_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  if (!memory_.TryTake(bytes)) {
    return absl::ResourceExhaustedError(
        fmt::format("Sorry, your query needs more memory than the {} bytes that queries may take "
                    "(tsd.query.memory). Please try a downsampling interval, filtering using more "
                    "tags or decrease your time range.",
                    memory_.bytes_max()));
  }
  const size_t held = held_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  RaiseTo(uint64_t{held}, &control_.memory_peak);
  if (quick_bytes_ == 0 || held <= quick_bytes_) return absl::OkStatus();
  return absl::AbortedError("The query takes more memory than a quick one may");
}

void MemoryLease::GiveBack(size_t bytes) {
  HOURCELL_DCHECK(held_.load(std::memory_order_relaxed) >= bytes);
  held_.fetch_sub(bytes, std::memory_order_relaxed);
  memory_.GiveBack(bytes);
}

absl::Status QueryMeter::Check() const {
  HOURCELL_DCHECK(deadline_.ms == 0 || deadline_.clock != nullptr);
  if (control_.is_cancelled()) return absl::CancelledError("The query was cancelled.");
  if (deadline_.ms != 0 && deadline_.clock->MonotonicMs() > deadline_.ms) {
    return absl::DeadlineExceededError(
        "Sorry, your query timed out. Please try filtering using more tags or decrease your time "
        "range.");
  }
  return absl::OkStatus();
}

absl::Status QueryMeter::Add(const QueryCost& read) {
  AddTo(&control_.rows, read.rows);
  AddTo(&control_.day_rows, read.day_rows);
  AddTo(&day_rows_, read.day_rows);
  AddTo(&control_.rows_skipped, read.rows_skipped);
  AddTo(&control_.points, read.points);
  AddTo(&control_.bytes, read.bytes);
  AddTo(&control_.cells, read.cells);
  AddTo(&cells_, read.cells);
  AddTo(&control_.blocks_cached, read.blocks_cached);
  AddTo(&blocks_cached_, read.blocks_cached);
  AddTo(&control_.blocks_read, read.blocks_read);
  AddTo(&blocks_read_, read.blocks_read);
  const uint64_t rows = AddTo(&rows_, read.rows) + AddTo(&rows_skipped_, read.rows_skipped);
  const uint64_t points = AddTo(&points_, read.points);
  const uint64_t bytes = AddTo(&bytes_, read.bytes);
  if (limits_.points != 0 && points > limits_.points) {
    return OverLimit(limits_.points, "data points");
  }
  if (limits_.rows != 0 && rows > limits_.rows) return OverLimit(limits_.rows, "rows");
  if (limits_.bytes != 0 && bytes > limits_.bytes) {
    return absl::ResourceExhaustedError(
        fmt::format("Sorry, you have attempted to fetch more than our maximum amount of {}MB from "
                    "storage. Please try filtering using more tags or decrease your time range.",
                    static_cast<double>(limits_.bytes) / 1024 / 1024));
  }
  return Check();
}

absl::Status QueryMeter::AddSeries(uint64_t series) {
  AddTo(&control_.series, series);
  const uint64_t all = AddTo(&series_, series);
  if (limits_.series != 0 && all > limits_.series) {
    return OverLimit(limits_.series, "series");
  }
  return absl::OkStatus();
}

QueryCost QueryMeter::cost() const {
  return {.series = series_.load(std::memory_order_relaxed),
          .rows = rows_.load(std::memory_order_relaxed),
          .day_rows = day_rows_.load(std::memory_order_relaxed),
          .rows_skipped = rows_skipped_.load(std::memory_order_relaxed),
          .points = points_.load(std::memory_order_relaxed),
          .bytes = bytes_.load(std::memory_order_relaxed),
          .cells = cells_.load(std::memory_order_relaxed),
          .blocks_cached = blocks_cached_.load(std::memory_order_relaxed),
          .blocks_read = blocks_read_.load(std::memory_order_relaxed),
          .memory = control_.memory_peak.load(std::memory_order_relaxed)};
}

}  // namespace hourcell
