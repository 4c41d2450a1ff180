#include "engine/series/series_rows.h"

#include <algorithm>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/rows/tsuid.h"
#include "engine/hours/tsuid_list.h"

namespace hourcell {
namespace {

// Rows of one write: they are in memory twice.
constexpr size_t kIndexRowsAtOnce = 8192;
// Series of a metric whose index rows are made at once: few enough that the rows take little memory
// compared with the series, and enough that a widely shared posting set is merged seldom.
constexpr size_t kIndexSeriesAtOnce = 8192;

void Merge(std::string key, SeriesNumber number, std::string set, std::vector<Mutation>* group) {
  AppendPostingChunk(number, &key);
  group->push_back({TableId::kSeries, Mutation::Kind::kMerge, std::move(key), std::move(set)});
}

// Appends the posting sets of one chunk.
void AppendPostings(const Layout& layout,
                    Uid metric,
                    std::span<const NewSeries::Entry> series,
                    std::vector<Mutation>* group) {
  absl::flat_hash_map<std::pair<Uid, Uid>, std::string> by_tag;
  std::string all;
  const size_t pair = layout.pair_width();
  for (const auto& [number, tsuid] : series) {
    AddToPosting(number, &all);
    for (size_t at = layout.metric_width; at < tsuid.size(); at += pair) {
      const char* const tag = tsuid.data() + at;
      const Uid tagk = LoadBigEndian(tag, layout.tagk_width);
      const Uid tagv = LoadBigEndian(tag + layout.tagk_width, layout.tagv_width);
      AddToPosting(number, &by_tag[{tagk, tagv}]);
    }
  }
  const SeriesNumber number = series.front().number;
  Merge(MetricPostingPrefix(layout, metric), number, std::move(all), group);
  const auto first = static_cast<ptrdiff_t>(group->size());
  for (auto& [tag, set] : by_tag) {
    const TagUids uids{.tagk = tag.first, .tagv = tag.second};
    Merge(TagPostingPrefix(layout, metric, uids), number, std::move(set), group);
  }
  std::ranges::sort(group->begin() + first, group->end(), {}, &Mutation::key);
}

void AppendTsuids(std::span<const NewSeries::Entry> series, std::vector<Mutation>* group) {
  const auto first = static_cast<ptrdiff_t>(group->size());
  for (const auto& [number, tsuid] : series)
    group->push_back(SetSeries(SeriesTsuidKey(tsuid), EncodeU64(number)));
  std::ranges::sort(group->begin() + first, group->end(), {}, &Mutation::key);
}

}  // namespace

std::string BlockKey(SeriesNumber number) {
  return SeriesNumberKey(number / kBlockSeries);
}

Mutation SetSeries(std::string key, std::string value) {
  return {TableId::kSeries, Mutation::Kind::kSet, std::move(key), std::move(value)};
}

void AppendBlock(const NewSeries& series, SeriesNumber block, std::vector<Mutation>* group) {
  const SeriesNumber first = block * kBlockSeries;
  std::string list;
  for (SeriesNumber i = 0; i < kBlockSeries; ++i)
    AppendToTsuidList(series.TsuidOf(first + i), &list);
  group->push_back(SetSeries(BlockKey(first), std::move(list)));
}

absl::Status ParseBlock(std::string_view key,
                        const std::optional<std::string>& row,
                        std::vector<std::string_view>* tsuids) {
  tsuids->assign(kBlockSeries, {});
  if (!row.has_value()) return absl::OkStatus();
  std::string_view list = *row;
  size_t count = 0;
  while (count < kBlockSeries && TakeTsuid(&list, &(*tsuids)[count]))
    ++count;
  if (list.empty() && count == kBlockSeries) return absl::OkStatus();
  return absl::DataLossError(
      fmt::format("series row {}: expected {} tsuids, got {} tsuids and {} bytes", ToHex(key),
                  kBlockSeries, count, list.size()));
}

void AppendIndexRows(const Layout& layout,
                     Uid metric,
                     std::span<const NewSeries::Entry> series,
                     std::vector<Mutation>* postings,
                     std::vector<Mutation>* tsuids) {
  HOURCELL_DCHECK(std::ranges::is_sorted(series, {}, &NewSeries::Entry::number));
  while (!series.empty()) {
    const uint64_t chunk = series.front().number >> 16;
    const auto after = std::ranges::find_if(
        series, [chunk](const NewSeries::Entry& one) { return one.number >> 16 != chunk; });
    const auto count = static_cast<size_t>(after - series.begin());
    AppendPostings(layout, metric, series.first(count), postings);
    AppendTsuids(series.first(count), tsuids);
    series = series.subspan(count);
  }
}

absl::Status WriteIndexRows(const Layout& layout,
                            const NewSeries& series,
                            const std::function<absl::Status(std::span<const Mutation>)>& apply) {
  std::vector<Mutation> group;
  std::vector<Mutation> postings;
  absl::Status written;
  const auto write = [&](size_t rows_max, std::vector<Mutation>* rows) {
    if (!written.ok() || rows->size() <= rows_max) return;
    written = apply(*rows);
    rows->clear();
  };
  for (SeriesNumber at = series.first_number(); at <= series.last_number();
       at += kBlockSeries - at % kBlockSeries) {
    AppendBlock(series, at / kBlockSeries, &group);
    write(kBlocksAtOnce, &group);
  }
  write(0, &group);
  series.VisitMetrics([&](Uid metric, std::span<const NewSeries::Entry> entries) {
    std::vector<NewSeries::Entry> by_number(entries.begin(), entries.end());
    std::ranges::sort(by_number, {}, &NewSeries::Entry::number);
    for (std::span<const NewSeries::Entry> rest = by_number; !rest.empty();) {
      const size_t count = std::min(rest.size(), kIndexSeriesAtOnce);
      AppendIndexRows(layout, metric, rest.first(count), &postings, &group);
      write(kIndexRowsAtOnce, &postings);
      write(kIndexRowsAtOnce, &group);
      rest = rest.subspan(count);
    }
  });
  write(0, &postings);
  write(0, &group);
  HOURCELL_KILL_POINT("series:before_indexed");
  group.push_back(SetSeries(IndexedKey(), EncodeU64(series.last_number())));
  for (const auto& [first, last] : series.log_rows())
    group.push_back({TableId::kSeries, Mutation::Kind::kDelete, LogRowKey(first), {}});
  write(0, &group);
  HOURCELL_KILL_POINT("series:after_indexed");
  return written;
}

}  // namespace hourcell
