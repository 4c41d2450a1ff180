// MetricSeriesCache: all series of metrics that are queried, with their postings, in memory.
//
// An entry is right or not used: it is of the version of its metric that the SeriesTable has now,
// and every new series of the metric changes the version before its first point is acknowledged. An
// entry of an older version is extended with the few newer series: only their rows are read, if
// they have any yet. A metric that lost series since is loaded anew. Metrics with many series have
// a list only, and no postings; their tags are looked up in the posting sets. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/rows/layout.h"
#include "codec/rows/tsuid.h"
#include "engine/query/memory_account.h"
#include "engine/query/query_watch.h"
#include "engine/series/series_list.h"
#include "engine/series/series_table.h"

namespace hourcell {

// Immutable.
struct MetricSeries {
  SeriesList list;
  // By tagk and tagv; positions in the list, ascending. Empty for a long list.
  bool has_postings = false;
  absl::flat_hash_map<std::pair<Uid, Uid>, std::vector<uint32_t>> with_tag;

  std::span<const uint32_t> WithTag(const TagUids& tag) const {
    const auto found = with_tag.find({tag.tagk, tag.tagv});
    return found == with_tag.end() ? std::span<const uint32_t>() : found->second;
  }
};

class MetricSeriesCache {
 public:
  struct Limits {
    size_t bytes = 0;  // of all entries, roughly
    // The most series of a metric that has postings here: they are built anew, from the list, after
    // each new one.
    size_t postings = 50'000;
  };

  // `series` is borrowed.
  MetricSeriesCache(const Layout& layout, const SeriesTable* series, const Limits& limits)
      : layout_(layout), series_(*series), limits_(limits) {}

  // The series the metric has now. `wants_all`: the caller needs every series, which is also the
  // cost of loading; the result is then never null, and may lack postings. Otherwise it has
  // postings, or is null if the posting sets are cheaper: an entry is loaded, or extended, when
  // that would have been of use once before. A list of over half of `limits.bytes` is not kept.
  // kCancelled and kDeadlineExceeded by `watch`, if there is one, while loading; kResourceExhausted
  // by `memory`, if there is one, which counts a list while it is loaded, and for good if it is not
  // kept.
  absl::StatusOr<std::shared_ptr<const MetricSeries>> Find(Uid metric,
                                                           bool wants_all,
                                                           const QueryWatch* watch = nullptr,
                                                           MemoryAccount* memory = nullptr);

  // The result of Find if it needs no reads and no new list, else null. `wants_all` as there.
  std::shared_ptr<const MetricSeries> FindReady(Uid metric, bool wants_all);

  // Whether the metric's series are in memory, perhaps without the newest.
  bool Has(Uid metric) const;

  void Clear();
  size_t bytes() const;

 private:
  struct Entry {
    uint64_t version = 0;                        // the last that Find looked for
    uint64_t drops = 0;                          // DroppingSeries::DropsOf then
    uint64_t series_version = 0;                 // of `series`
    std::shared_ptr<const MetricSeries> series;  // null: not loaded, or not kept
    bool is_too_large = false;                   // for postings
    size_t bytes = 0;
    std::list<Uid>::iterator use;
  };

  absl::StatusOr<std::shared_ptr<const MetricSeries>> Load(Uid metric,
                                                           size_t series_max,
                                                           const QueryWatch* watch,
                                                           MemoryHold* hold) const;
  // `old`, which is of `version`, with the series that are newer.
  absl::StatusOr<std::shared_ptr<const MetricSeries>> Extend(
      Uid metric,
      const std::shared_ptr<const MetricSeries>& old,
      uint64_t version,
      MemoryHold* hold) const;
  std::shared_ptr<const MetricSeries> WithPostings(SeriesList list) const;
  // Read before a list is loaded, so the list is at least this new.
  struct Version {
    uint64_t number = 0;
    uint64_t drops = 0;
  };
  // False if the list is too large to be kept.
  bool Keep(Uid metric, const Version& version, const std::shared_ptr<const MetricSeries>& series);
  void ForgetDroppedLocked(uint64_t drops, Entry* entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Entry& TouchLocked(Uid metric) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EvictLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Layout& layout_;
  const SeriesTable& series_;
  const Limits limits_;
  mutable Mutex mutex_;
  absl::flat_hash_map<Uid, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  std::list<Uid> uses_ ABSL_GUARDED_BY(mutex_);  // the latest first
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace hourcell
