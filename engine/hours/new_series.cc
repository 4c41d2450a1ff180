#include "engine/hours/new_series.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "codec/base/bytes.h"
#include "codec/base/check.h"

// Why index rows wait in memory: a million new series took 4.75 to 8.1 CPU seconds, mostly memtable
// inserts of 3 to 4 microseconds each; with waiting rows it takes 2.5. Consecutive numbers share a
// row, and a posting set gets one merge for many series. Rejected: larger batches with all rows in
// RocksDB's log, since the inserts remain; only the journal's definitions, since the results of a
// search by tag would depend on the journal's low mark (docs/decisions/0009).

namespace hourcell {
namespace {

constexpr size_t kPieceBytes = 64 << 10;

}  // namespace

void NewSeries::Add(SeriesNumber number, std::string_view tsuid) {
  HOURCELL_CHECK(number >= first_number_ && tsuid.size() > layout_.metric_width);
  const size_t place = number - first_number_;
  if (place >= by_number_.size()) by_number_.resize(place + 1);
  if (!by_number_[place].empty()) return;
  const std::string_view kept = Keep(tsuid);
  by_number_[place] = kept;
  numbers_.emplace(kept, number);
  const Uid metric = LoadBigEndian(kept.data(), layout_.metric_width);
  OfOneMetric& of_metric = metrics_[metric];
  if (!of_metric.entries.empty() && of_metric.entries.back().number > number) {
    of_metric.ascends = false;
  }
  of_metric.entries.push_back({.number = number, .tsuid = kept});
}

std::string_view NewSeries::Keep(std::string_view tsuid) {
  HOURCELL_CHECK(tsuid.size() <= kPieceBytes);
  if (pieces_.empty() || kPieceBytes - used_ < tsuid.size()) {
    pieces_.push_back(std::make_unique_for_overwrite<char[]>(kPieceBytes));
    used_ = 0;
  }
  char* const begin = pieces_.back().get() + used_;
  std::memcpy(begin, tsuid.data(), tsuid.size());
  used_ += tsuid.size();
  return {begin, tsuid.size()};
}

SeriesNumber NewSeries::NumberOf(std::string_view tsuid) const {
  const auto found = numbers_.find(tsuid);
  return found == numbers_.end() ? 0 : found->second;
}

std::string_view NewSeries::TsuidOf(SeriesNumber number) const {
  const bool is_here = number >= first_number_ && number - first_number_ < by_number_.size();
  return is_here ? by_number_[number - first_number_] : std::string_view();
}

std::span<const NewSeries::Entry> NewSeries::OfMetric(Uid metric) const {
  const auto found = metrics_.find(metric);
  if (found == metrics_.end()) return {};
  return found->second.entries;
}

void NewSeries::AppendNewer(Uid metric, SeriesNumber above, std::vector<Entry>* entries) const {
  const auto found = metrics_.find(metric);
  if (found == metrics_.end()) return;
  std::span<const Entry> of_metric = found->second.entries;
  if (found->second.ascends) {
    const auto first = std::ranges::upper_bound(of_metric, above, {}, &Entry::number);
    of_metric = of_metric.subspan(static_cast<size_t>(first - of_metric.begin()));
  }
  std::ranges::copy_if(of_metric, std::back_inserter(*entries),
                       [above](const Entry& entry) { return entry.number > above; });
}

// Adds to the index of a tag key. A tsuid is a metric and then pairs of a key and its value.
NewSeries::KeyIndex& NewSeries::ExtendLocked(Uid metric, Uid tagk, size_t series_max) const {
  KeyIndex& index = indexes_[{metric, tagk}];
  const std::span<const Entry> entries = OfMetric(metric);
  const size_t end = std::min(entries.size(), index.before.size() + series_max);
  index.before.reserve(entries.size());
  for (size_t place = index.before.size(); place < end; ++place) {
    uint32_t before = KeyIndex::kNone;
    const std::string_view tsuid = entries[place].tsuid;
    for (size_t at = layout_.metric_width; at < tsuid.size(); at += layout_.pair_width()) {
      const char* const tag = tsuid.data() + at;
      if (LoadBigEndian(tag, layout_.tagk_width) != tagk) continue;
      const Uid tagv = LoadBigEndian(tag + layout_.tagk_width, layout_.tagv_width);
      const auto [last, is_new] = index.last.try_emplace(tagv, KeyIndex::kNone);
      before = std::exchange(last->second, static_cast<uint32_t>(place));
      break;
    }
    index.before.push_back(before);
  }
  return index;
}

bool NewSeries::IndexTagKey(Uid metric, Uid tagk, size_t series_max) const {
  const size_t size = OfMetric(metric).size();
  if (size == 0) return true;
  const MutexLock lock(&index_mutex_);
  return ExtendLocked(metric, tagk, series_max).before.size() == size;
}

void NewSeries::WithTag(Uid metric, const TagUids& tag, std::vector<SeriesNumber>* numbers) const {
  const std::span<const Entry> entries = OfMetric(metric);
  if (entries.empty()) return;
  const auto first = static_cast<ptrdiff_t>(numbers->size());
  const MutexLock lock(&index_mutex_);
  const KeyIndex& index = ExtendLocked(metric, tag.tagk, entries.size());
  const auto last = index.last.find(tag.tagv);
  if (last == index.last.end()) return;
  for (uint32_t place = last->second; place != KeyIndex::kNone; place = index.before[place])
    numbers->push_back(entries[place].number);
  std::ranges::reverse(numbers->begin() + first, numbers->end());
}

void NewSeries::VisitMetrics(
    const std::function<void(Uid metric, std::span<const Entry> series)>& visit) const {
  for (const auto& [metric, series] : metrics_)
    visit(metric, series.entries);
}

std::unique_ptr<NewSeries> NewSeries::SplitAfter(SeriesNumber last) {
  HOURCELL_CHECK(last + 1 >= first_number_ && last <= last_number());
  auto after = std::make_unique<NewSeries>(layout_, last + 1);
  for (SeriesNumber number = last + 1; number <= last_number(); ++number) {
    const std::string_view tsuid = TsuidOf(number);
    if (tsuid.empty()) continue;
    after->Add(number, tsuid);
    numbers_.erase(tsuid);
  }
  after->VisitMetrics([this, last](Uid metric, std::span<const Entry> series) {
    std::vector<Entry>& entries = metrics_[metric].entries;
    // Mostly the last few of many.
    const auto first = metrics_[metric].ascends
                           ? entries.end() - static_cast<ptrdiff_t>(series.size())
                           : entries.begin();
    entries.erase(std::remove_if(first, entries.end(),
                                 [last](const Entry& entry) { return entry.number > last; }),
                  entries.end());
  });
  {
    const MutexLock lock(&index_mutex_);
    indexes_.clear();
  }
  by_number_.resize(last + 1 - first_number_);
  const auto moved =
      std::ranges::partition(log_rows_, [last](const LogRow& row) { return row.second <= last; });
  after->log_rows_.assign(moved.begin(), moved.end());
  log_rows_.erase(moved.begin(), moved.end());
  return after;
}

}  // namespace hourcell
