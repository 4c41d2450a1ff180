// Stats: counters and gauges by OpenTSDB's names, e.g. "rpc.received" with tags {"type", "put"}.
//
// One registry a process. Counters are created once, by the code that counts, and live as long as
// the registry; Add is one relaxed atomic. Gauges are functions that are called when the stats are
// read. Thread-safe.

#pragma once

#include <atomic>
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

// One line of /api/stats, without the "tsd." prefix and the host tag.
struct StatSample {
  std::string name;
  StatTags tags;
  int64_t value = 0;
};

class Stats {
 public:
  // The counter of that name and these tags, made on first use. Lives as long as the registry.
  Counter* counter(std::string name, StatTags tags = {});

  // Registers a value read on demand.
  void AddGauge(std::string name, StatTags tags, std::function<int64_t()> read);

  // Everything, sorted by name and tags.
  std::vector<StatSample> Snapshot() const;

 private:
  struct Entry {
    std::string name;
    StatTags tags;
    Counter counter;
    std::function<int64_t()> read;  // set for gauges
  };
  mutable Mutex mutex_;
  std::deque<Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
