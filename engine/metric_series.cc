#include "engine/metric_series.h"

#include <utility>

#include "codec/base/status_macros.h"

namespace hourcell {
namespace {

// What an entry takes besides its columns.
constexpr size_t kEntryBytes = 256;
// What a tag takes besides its positions.
constexpr size_t kPostingBytes = sizeof(TagUids) + sizeof(std::vector<uint32_t>);

size_t BytesOf(const MetricSeries& series) {
  size_t bytes = series.list.allocated_bytes();
  for (const auto& [tag, positions] : series.with_tag)
    bytes += kPostingBytes + positions.capacity() * sizeof(uint32_t);
  return bytes;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const MetricSeries>> MetricSeriesCache::Find(Uid metric,
                                                                            bool wants_all) {
  const uint64_t version = series_.VersionOf(metric);  // before anything is read
  {
    MutexLock lock(&mutex_);
    const bool is_known = entries_.contains(metric);
    Entry& entry = TouchLocked(metric);
    const bool is_current = is_known && entry.version == version;
    if (is_current && entry.series != nullptr && (wants_all || entry.series->has_postings)) {
      return entry.series;
    }
    if (is_current && entry.is_too_large && !wants_all) return nullptr;
    if (!is_current) {
      bytes_ -= entry.bytes;
      entry.version = version;
      entry.series = nullptr;
      entry.is_too_large = entry.is_too_large && !wants_all;
      entry.bytes = kEntryBytes;
      bytes_ += entry.bytes;
      EvictLocked();
      if (!wants_all) return nullptr;
    }
  }
  HOURCELL_ASSIGN_OR_RETURN(std::shared_ptr<const MetricSeries> loaded,
                            Load(metric, wants_all ? SIZE_MAX : limits_.postings));
  const bool has_postings = loaded != nullptr && loaded->has_postings;
  const size_t bytes = loaded == nullptr ? 0 : BytesOf(*loaded);
  const bool is_kept = has_postings || bytes <= limits_.bytes / 2;
  MutexLock lock(&mutex_);
  Entry& entry = TouchLocked(metric);
  // Another query may have loaded a later one meanwhile; an older one is found out by its version.
  bytes_ -= entry.bytes;
  entry.version = version;
  entry.series = is_kept ? loaded : nullptr;
  entry.is_too_large = !has_postings;
  entry.bytes = is_kept ? kEntryBytes + bytes : kEntryBytes;
  bytes_ += entry.bytes;
  EvictLocked();
  return loaded;
}

absl::StatusOr<std::shared_ptr<const MetricSeries>> MetricSeriesCache::Load(
    Uid metric, size_t series_max) const {
  SeriesListBuilder builder(layout_);
  absl::Status added;
  HOURCELL_RETURN_IF_ERROR(
      series_.VisitMetric(metric, [&](SeriesNumber number, std::string_view tsuid) {
        added.Update(builder.Add(number, tsuid));
        return added.ok() && builder.size() <= series_max;
      }));
  HOURCELL_RETURN_IF_ERROR(added);
  if (builder.size() > series_max) return nullptr;
  auto series = std::make_shared<MetricSeries>();
  series->list = std::move(builder).Build();
  if (series->list.size() > limits_.postings) return series;
  series->has_postings = true;
  for (uint32_t i = 0; i < series->list.size(); ++i) {
    for (const TagUids& tag : series->list.tags(i))
      series->with_tag[{tag.tagk, tag.tagv}].push_back(i);
  }
  return series;
}

MetricSeriesCache::Entry& MetricSeriesCache::TouchLocked(Uid metric) {
  const auto [found, is_new] = entries_.try_emplace(metric);
  if (!is_new) uses_.erase(found->second.use);
  uses_.push_front(metric);
  found->second.use = uses_.begin();
  return found->second;
}

void MetricSeriesCache::EvictLocked() {
  while (bytes_ > limits_.bytes && uses_.size() > 1) {
    const auto oldest = entries_.find(uses_.back());
    bytes_ -= oldest->second.bytes;
    entries_.erase(oldest);
    uses_.pop_back();
  }
}

void MetricSeriesCache::Clear() {
  MutexLock lock(&mutex_);
  entries_.clear();
  uses_.clear();
  bytes_ = 0;
}

size_t MetricSeriesCache::bytes() const {
  MutexLock lock(&mutex_);
  return bytes_;
}

}  // namespace hourcell
