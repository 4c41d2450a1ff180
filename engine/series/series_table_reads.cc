#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "engine/rows/key_range.h"
#include "engine/series/series_reads.h"
#include "engine/series/series_table.h"

// The functions of SeriesTable that list series. Why each looks into memory first: series leave
// memory for the tables and never come back, so a series that leaves meanwhile is not missed.

namespace hourcell {
namespace {

// Series of a metric whose tags are indexed while the lock is held once.
constexpr size_t kIndexTagsAtOnce = 2048;

// Series of a metric that are tried one by one before its posting sets are read.
constexpr size_t kTriedOneByOne = 64;

}  // namespace

absl::StatusOr<std::vector<SeriesNumber>> SeriesTable::OfMetric(Uid metric,
                                                                MemoryHold* hold) const {
  // Memory first: series that have left memory are in the tables.
  std::vector<SeriesNumber> numbers;
  {
    ReaderLock lock(&new_mutex_);
    const auto add = [&](const NewSeries& series) {
      for (const NewSeries::Entry& entry : series.OfMetric(metric))
        numbers.push_back(entry.number);
    };
    if (indexing_ != nullptr) add(*indexing_);
    add(*new_);
  }
  HOURCELL_RETURN_IF_ERROR(AppendPostings(parts_.tables, MetricPostingPrefix(layout_, metric),
                                          /*from=*/0, &numbers, hold));
  SortIfNeeded(&numbers);
  return numbers;
}

absl::StatusOr<std::vector<SeriesNumber>> SeriesTable::WithTag(Uid metric,
                                                               const TagUids& tag,
                                                               MemoryHold* hold) const {
  std::vector<SeriesNumber> numbers;
  // The missing index of many new series is made in pieces, and the lock is released between them.
  for (bool is_complete = false; !is_complete;) {
    ReaderLock lock(&new_mutex_);
    is_complete =
        (indexing_ == nullptr || indexing_->IndexTagKey(metric, tag.tagk, kIndexTagsAtOnce)) &&
        new_->IndexTagKey(metric, tag.tagk, kIndexTagsAtOnce);
    if (!is_complete) continue;
    if (indexing_ != nullptr) indexing_->WithTag(metric, tag, &numbers);
    new_->WithTag(metric, tag, &numbers);
  }
  HOURCELL_RETURN_IF_ERROR(AppendPostings(parts_.tables, TagPostingPrefix(layout_, metric, tag),
                                          /*from=*/0, &numbers, hold));
  SortIfNeeded(&numbers);
  return numbers;
}

absl::Status SeriesTable::TsuidsFound(std::span<const SeriesNumber> numbers,
                                      std::vector<std::string>* tsuids) const {
  tsuids->assign(numbers.size(), {});
  std::vector<size_t> others;  // places of numbers that are not in memory
  {
    ReaderLock lock(&new_mutex_);
    for (size_t i = 0; i < numbers.size(); ++i) {
      std::string_view tsuid = new_->TsuidOf(numbers[i]);
      if (tsuid.empty() && indexing_ != nullptr) tsuid = indexing_->TsuidOf(numbers[i]);
      (*tsuids)[i] = tsuid;
      if (tsuid.empty()) others.push_back(i);
    }
  }
  return others.empty() ? absl::OkStatus() : ReadBlocks(parts_.tables, numbers, others, tsuids);
}

absl::Status SeriesTable::TsuidsOf(std::span<const SeriesNumber> numbers,
                                   std::vector<std::string>* tsuids) const {
  HOURCELL_RETURN_IF_ERROR(TsuidsFound(numbers, tsuids));
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (!(*tsuids)[i].empty() || dropping_.WasDropped(numbers[i])) continue;
    return absl::DataLossError(
        fmt::format("series {}: in a posting set but not in the table", numbers[i]));
  }
  return absl::OkStatus();
}

SeriesTable::InMemory SeriesTable::NewOf(std::optional<Uid> metric) const {
  InMemory found;
  {
    ReaderLock lock(&new_mutex_);
    const auto add = [&found](std::span<const NewSeries::Entry> entries) {
      found.series.insert(found.series.end(), entries.begin(), entries.end());
    };
    const auto add_all = [&](const std::shared_ptr<const NewSeries>& series) {
      if (series == nullptr) return;
      if (metric.has_value()) {
        add(series->OfMetric(*metric));
      } else {
        series->VisitMetrics([&](Uid, std::span<const NewSeries::Entry> of_one) { add(of_one); });
      }
    };
    found.owners[0] = indexing_;
    found.owners[1] = new_;
    for (const std::shared_ptr<const NewSeries>& owner : found.owners)
      add_all(owner);
  }
  std::ranges::sort(found.series, {}, &NewSeries::Entry::tsuid);
  return found;
}

absl::Status SeriesTable::VisitNewer(
    Uid metric,
    SeriesNumber above,
    const std::function<void(SeriesNumber, std::string_view)>& visit) const {
  // Memory first: series that have left memory are in the tables.
  InMemory added;
  SeriesNumber first_in_memory = 0;
  {
    ReaderLock lock(&new_mutex_);
    added.owners[0] = indexing_;
    added.owners[1] = new_;
    first_in_memory = (indexing_ == nullptr ? new_ : indexing_)->first_number();
    for (const std::shared_ptr<const NewSeries>& owner : added.owners) {
      if (owner != nullptr) owner->AppendNewer(metric, above, &added.series);
    }
  }
  for (const NewSeries::Entry& one : added.series)
    visit(one.number, one.tsuid);
  if (above + 1 >= first_in_memory) return absl::OkStatus();
  std::vector<SeriesNumber> numbers;
  HOURCELL_RETURN_IF_ERROR(
      AppendPostings(parts_.tables, MetricPostingPrefix(layout_, metric), above + 1, &numbers));
  std::erase_if(numbers, [above, first_in_memory](SeriesNumber number) {
    return number <= above || number >= first_in_memory;
  });
  std::vector<std::string> tsuids;
  HOURCELL_RETURN_IF_ERROR(TsuidsOf(numbers, &tsuids));
  for (size_t i = 0; i < numbers.size(); ++i)
    if (!tsuids[i].empty()) visit(numbers[i], tsuids[i]);
  return absl::OkStatus();
}

absl::Status SeriesTable::Visit(
    std::optional<Uid> metric,
    const std::function<bool(SeriesNumber, std::string_view)>& visit) const {
  const auto go_on = [&](SeriesNumber number, std::string_view tsuid) {
    return visit(number, tsuid) ? NextVisit::kSeries : NextVisit::kNone;
  };
  const std::string prefix =
      metric.has_value() ? SeriesTsuidPrefix(layout_, *metric) : SeriesTsuidKey({});
  // Memory first: series that have left memory are in the table.
  const InMemory in_memory = NewOf(metric);
  return VisitSeries(parts_.tables, layout_, PrefixRange(prefix), in_memory.series, go_on).status();
}

absl::StatusOr<bool> SeriesTable::HasSeries(Uid metric) const {
  // Memory first: series that have left memory are in the tables.
  if (HasNewSeries(metric)) return true;
  const uint64_t changes = dropping_.changes();
  if (in_use_.Has(metric, changes)) return true;
  HOURCELL_ASSIGN_OR_RETURN(const bool has_series, HasSeriesRow(parts_.tables, layout_, metric));
  // Another process may drop series without raising the count.
  if (has_series && !parts_.is_followed) in_use_.Add(metric, changes);
  return has_series;
}

absl::StatusOr<bool> SeriesTable::HasListedSeries(Uid metric) const {
  const SeriesSet::Pointer unlisted = unlisted_->Now();
  if (unlisted == nullptr || !unlisted->MayContainOf(metric)) return HasSeries(metric);
  const auto is_listed = [&unlisted](SeriesNumber number) { return !unlisted->Contains(number); };
  bool found = false;
  size_t tried = 0;
  HOURCELL_RETURN_IF_ERROR(VisitMetric(metric, [&](SeriesNumber number, std::string_view) {
    found = is_listed(number);
    return !found && ++tried < kTriedOneByOne;
  }));
  if (found || tried < kTriedOneByOne) return found;
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<SeriesNumber> numbers, OfMetric(metric));
  return std::ranges::any_of(numbers, is_listed);
}

absl::Status SeriesTable::VisitAll(
    const std::function<NextVisit(SeriesNumber, std::string_view)>& visit) const {
  const InMemory in_memory = NewOf(std::nullopt);
  std::span<const NewSeries::Entry> added(in_memory.series);
  ScanRange range = PrefixRange(SeriesTsuidKey({}));
  for (;;) {
    HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> passed_over,
                              VisitSeries(parts_.tables, layout_, range, added, visit));
    if (!passed_over.has_value()) return absl::OkStatus();
    // The key after all series of that metric.
    const std::string next = PrefixEnd(SeriesTsuidKey(*passed_over));
    if (next >= range.end) return absl::OkStatus();
    const auto first = std::ranges::lower_bound(added, std::string_view(next).substr(1), {},
                                                &NewSeries::Entry::tsuid);
    added = added.subspan(static_cast<size_t>(first - added.begin()));
    range.begin = next;
  }
}

}  // namespace hourcell
