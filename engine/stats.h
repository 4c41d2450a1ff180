// Stats: counters, gauges and histograms of latencies by OpenTSDB's names, e.g. "rpc.received" with
// tags {"type", "put"}.
//
// One registry a process. Counters and histograms are created once, by the code that counts, and
// live as long as the registry; Add is one relaxed atomic, Record two. Gauges are functions that
// are called when the stats are read. Thread-safe.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "codec/base/mutex.h"

namespace hourcell {

class Counter {
 public:
  void Add(uint64_t n) { value_.fetch_add(n, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

using StatTags = std::vector<std::pair<std::string, std::string>>;

enum class StatKind : uint8_t {
  kCounter,  // only grows while the process runs
  kGauge,
};

// One line of /api/stats, without the "tsd." prefix and the host tag.
struct StatSample {
  std::string name;
  StatTags tags;
  int64_t value = 0;
  StatKind kind = StatKind::kGauge;
};

// The upper bounds of a histogram's buckets, inclusive, ascending; one more bucket has the rest.
inline constexpr std::array<int64_t, 17> kLatencyBoundsUs = {
    100,     250,     500,     1'000,     2'500,     5'000,     10'000,     25'000,    50'000,
    100'000, 250'000, 500'000, 1'000'000, 2'500'000, 5'000'000, 10'000'000, 30'000'000};

// A histogram of durations.
class LatencyHistogram {
 public:
  // Counts one event of this duration.
  void Record(int64_t us);

  // The count of each bucket. Concurrent records may or may not be included.
  std::array<uint64_t, kLatencyBoundsUs.size() + 1> buckets() const;
  uint64_t sum_us() const { return sum_us_.load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<uint64_t>, kLatencyBoundsUs.size() + 1> buckets_{};
  std::atomic<uint64_t> sum_us_{0};
};

struct HistogramSample {
  std::string name;
  StatTags tags;
  std::array<uint64_t, kLatencyBoundsUs.size() + 1> buckets{};
  uint64_t sum_us = 0;
};

class Stats {
 public:
  // The counter of that name and these tags, created on first use. Lives as long as the registry.
  Counter* counter(std::string name, StatTags tags = {});

  // As counter, for histograms; their names are separate.
  LatencyHistogram* histogram(std::string name, StatTags tags = {});

  // Registers a value read on demand. The function must not wait for locks that puts hold.
  void AddGauge(std::string name, StatTags tags, std::function<int64_t()> read);
  // As AddGauge, for a value that only grows: a counter kept elsewhere.
  void AddCount(std::string name, StatTags tags, std::function<int64_t()> read);

  // All counters and gauges, sorted by name and tags.
  std::vector<StatSample> Snapshot() const;

  // All histograms, sorted by name and tags.
  std::vector<HistogramSample> Histograms() const;

 private:
  struct Entry {
    std::string name;
    StatTags tags;
    StatKind kind = StatKind::kCounter;
    Counter counter;
    std::function<int64_t()> read;  // null: `counter` has the value
  };
  struct HistogramEntry {
    std::string name;
    StatTags tags;
    LatencyHistogram histogram;
  };

  void AddRead(StatKind kind, std::string name, StatTags tags, std::function<int64_t()> read);

  mutable Mutex mutex_;
  std::deque<Entry> entries_ ABSL_GUARDED_BY(mutex_);
  std::deque<HistogramEntry> histograms_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
