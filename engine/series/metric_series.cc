#include "engine/series/metric_series.h"

#include <utility>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"

namespace hourcell {
namespace {

// Bytes of an entry without its arrays.
constexpr size_t kEntryBytes = 256;
// Bytes of a tag without its positions.
constexpr size_t kPostingBytes = sizeof(TagUids) + sizeof(std::vector<uint32_t>);

// Series between two looks at the watch.
constexpr size_t kLoadedPerCheck = 4096;

size_t BytesOf(const MetricSeries& series) {
  size_t bytes = series.list.allocated_bytes();
  for (const auto& [tag, positions] : series.with_tag)
    bytes += kPostingBytes + positions.capacity() * sizeof(uint32_t);
  return bytes;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const MetricSeries>> MetricSeriesCache::Find(Uid metric,
                                                                            bool wants_all,
                                                                            const QueryWatch* watch,
                                                                            MemoryAccount* memory) {
  // Before anything is read.
  const uint64_t version = series_.VersionOf(metric);
  const uint64_t drops = series_.DropsOf(metric);
  std::shared_ptr<const MetricSeries> old;
  uint64_t old_version = 0;
  {
    MutexLock lock(&mutex_);
    const bool is_known = entries_.contains(metric);
    Entry& entry = TouchLocked(metric);
    ForgetDroppedLocked(drops, &entry);
    const bool was_asked = is_known && entry.version == version;
    if (entry.series != nullptr && entry.series_version == version &&
        (wants_all || entry.series->has_postings)) {
      return entry.series;
    }
    if (was_asked && entry.is_too_large && !wants_all) return nullptr;
    if (!is_known) bytes_ += entry.bytes = kEntryBytes;
    if (!was_asked) {
      entry.version = version;
      entry.is_too_large = entry.is_too_large && !wants_all;
      EvictLocked();
      if (!wants_all) return nullptr;
    }
    old = entry.series;
    old_version = entry.series_version;
  }
  MemoryHold hold(memory);
  HOURCELL_ASSIGN_OR_RETURN(
      std::shared_ptr<const MetricSeries> now,
      old != nullptr ? Extend(metric, old, old_version, &hold)
                     : Load(metric, wants_all ? SIZE_MAX : limits_.postings, watch, &hold));
  if (!Keep(metric, {.number = version, .drops = drops}, now) && memory != nullptr) {
    HOURCELL_RETURN_IF_ERROR(memory->Take(BytesOf(*now)));
  }
  return wants_all || (now != nullptr && now->has_postings) ? now : nullptr;
}

std::shared_ptr<const MetricSeries> MetricSeriesCache::FindReady(Uid metric, bool wants_all) {
  const uint64_t version = series_.VersionOf(metric);
  const uint64_t drops = series_.DropsOf(metric);
  MutexLock lock(&mutex_);
  const auto found = entries_.find(metric);
  if (found == entries_.end()) return nullptr;
  const Entry& entry = found->second;
  const bool is_ready = entry.series != nullptr && entry.series_version == version &&
                        entry.drops >= drops && (wants_all || entry.series->has_postings);
  if (!is_ready) return nullptr;
  uses_.splice(uses_.begin(), uses_, entry.use);
  return entry.series;
}

bool MetricSeriesCache::Keep(Uid metric,
                             const Version& version,
                             const std::shared_ptr<const MetricSeries>& series) {
  const bool has_postings = series != nullptr && series->has_postings;
  const size_t bytes = series == nullptr ? 0 : BytesOf(*series);
  const bool is_kept = has_postings || bytes <= limits_.bytes / 2;
  MutexLock lock(&mutex_);
  Entry& entry = TouchLocked(metric);
  // Another query may have come with a later one meanwhile.
  if (entry.drops > version.drops) return is_kept;
  if (entry.series != nullptr && entry.series_version > version.number) return is_kept;
  HOURCELL_DCHECK(bytes_ >= entry.bytes);
  bytes_ -= entry.bytes;
  entry.version = version.number;
  entry.series_version = version.number;
  entry.drops = version.drops;
  entry.series = is_kept ? series : nullptr;
  entry.is_too_large = !has_postings;
  entry.bytes = is_kept ? kEntryBytes + bytes : kEntryBytes;
  bytes_ += entry.bytes;
  EvictLocked();
  return is_kept;
}

absl::StatusOr<std::shared_ptr<const MetricSeries>> MetricSeriesCache::Load(
    Uid metric, size_t series_max, const QueryWatch* watch, MemoryHold* hold) const {
  SeriesListBuilder builder(layout_);
  absl::Status added;
  HOURCELL_RETURN_IF_ERROR(
      series_.VisitMetric(metric, [&](SeriesNumber number, std::string_view tsuid) {
        added.Update(builder.Add(number, tsuid));
        if (builder.size() % kLoadedPerCheck == 0) {
          if (watch != nullptr) added.Update(watch->Check());
          added.Update(hold->Set(builder.allocated_bytes()));
        }
        return added.ok() && builder.size() <= series_max;
      }));
  HOURCELL_RETURN_IF_ERROR(added);
  if (builder.size() > series_max) return nullptr;
  return WithPostings(std::move(builder).Build());
}

// A loaded list may hold some series that came while it was loaded: they are newer than its
// version, and found here again.
absl::StatusOr<std::shared_ptr<const MetricSeries>> MetricSeriesCache::Extend(
    Uid metric,
    const std::shared_ptr<const MetricSeries>& old,
    uint64_t version,
    MemoryHold* hold) const {
  HOURCELL_RETURN_IF_ERROR(hold->Set(BytesOf(*old)));
  SeriesListBuilder builder(layout_);
  absl::Status added;
  HOURCELL_RETURN_IF_ERROR(
      series_.VisitNewer(metric, version, [&](SeriesNumber number, std::string_view tsuid) {
        added.Update(builder.Add(number, tsuid));
      }));
  HOURCELL_RETURN_IF_ERROR(added);
  if (builder.size() == 0) return old;
  return WithPostings(SeriesList::Merged(old->list, std::move(builder).Build()));
}

std::shared_ptr<const MetricSeries> MetricSeriesCache::WithPostings(SeriesList list) const {
  auto series = std::make_shared<MetricSeries>();
  series->list = std::move(list);
  if (series->list.size() > limits_.postings) return series;
  series->has_postings = true;
  for (uint32_t i = 0; i < series->list.size(); ++i) {
    for (const TagUids& tag : series->list.tags(i))
      series->with_tag[{tag.tagk, tag.tagv}].push_back(i);
  }
  return series;
}

// Some of its series are gone, and may be there under other numbers.
void MetricSeriesCache::ForgetDroppedLocked(uint64_t drops, Entry* entry) {
  if (entry->drops >= drops) return;
  entry->drops = drops;
  entry->is_too_large = false;
  if (entry->series == nullptr) return;
  entry->series = nullptr;
  HOURCELL_DCHECK(entry->bytes >= kEntryBytes && bytes_ >= entry->bytes);
  bytes_ -= entry->bytes - kEntryBytes;
  entry->bytes = kEntryBytes;
}

MetricSeriesCache::Entry& MetricSeriesCache::TouchLocked(Uid metric) {
  const auto [found, is_new] = entries_.try_emplace(metric);
  if (!is_new) uses_.erase(found->second.use);
  uses_.push_front(metric);
  found->second.use = uses_.begin();
  HOURCELL_DCHECK(uses_.size() == entries_.size());
  return found->second;
}

void MetricSeriesCache::EvictLocked() {
  while (bytes_ > limits_.bytes && uses_.size() > 1) {
    const auto oldest = entries_.find(uses_.back());
    HOURCELL_DCHECK(oldest != entries_.end() && bytes_ >= oldest->second.bytes);
    bytes_ -= oldest->second.bytes;
    entries_.erase(oldest);
    uses_.pop_back();
  }
}

bool MetricSeriesCache::Has(Uid metric) const {
  MutexLock lock(&mutex_);
  const auto found = entries_.find(metric);
  return found != entries_.end() && found->second.series != nullptr;
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
