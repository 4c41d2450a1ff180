// SeriesCache: a point's names as they came -> its series. A hit saves the UIDs, the sorting and
// the series lookup. Names in another order are another entry of the same series.
//
// Bounded as UidCache is: two generations, each at most half the limit. Clear starts a new epoch,
// and an Insert of an older epoch is dropped, so that a lookup that raced with a rename leaves
// nothing behind. Thread-safe.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "codec/base/mutex.h"
#include "codec/base/strings.h"
#include "codec/point.h"
#include "engine/series_key.h"

namespace hourcell {

// A series as the write path needs it.
struct SeriesRef {
  SeriesNumber number = 0;
  std::string tsuid;
  friend bool operator==(const SeriesRef&, const SeriesRef&) = default;
};

class SeriesCache {
 public:
  explicit SeriesCache(size_t series_max) : generation_max_(series_max / 2 + 1) {}

  // Writes the cache key of a point to `*key`: metric and tags in the order given.
  static void MakeKey(const PointView& point, std::string* key);

  // False if it is not there.
  bool Find(std::string_view key, SeriesRef* ref);

  uint64_t epoch() const { return epoch_.load(); }
  void Insert(std::string_view key, const SeriesRef& ref, uint64_t epoch);
  void Clear();

  size_t size();
  uint64_t hits() const { return hits_.load(std::memory_order_relaxed); }
  uint64_t misses() const { return misses_.load(std::memory_order_relaxed); }

 private:
  void InsertLocked(std::string_view key, const SeriesRef& ref)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t generation_max_;
  SharedMutex mutex_;
  StringMap<SeriesRef> young_ ABSL_GUARDED_BY(mutex_);
  StringMap<SeriesRef> old_ ABSL_GUARDED_BY(mutex_);
  std::atomic<uint64_t> epoch_{0};
  std::atomic<uint64_t> hits_{0};
  std::atomic<uint64_t> misses_{0};
};

}  // namespace hourcell
