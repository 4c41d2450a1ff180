#include "engine/series/series_drop.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/rows/tsuid.h"
#include "engine/hours/tsuid_list.h"
#include "engine/series/series_rows.h"

namespace hourcell {
namespace {

using Series = std::span<const std::pair<SeriesNumber, std::string>>;
using DroppedNumbers = std::vector<SeriesNumber>;

constexpr size_t kAtOnce = 4096;

// A row of the series table, or its removal.
Mutation RowOrNone(std::string key, std::string value) {
  if (!value.empty()) return SetSeries(std::move(key), std::move(value));
  return {TableId::kSeries, Mutation::Kind::kDelete, std::move(key), {}};
}

// The rest of a posting set; empty if no number is left.
absl::StatusOr<std::string> SetWithout(std::string_view set, uint64_t chunk, DroppedNumbers* gone) {
  DroppedNumbers numbers;
  HOURCELL_RETURN_IF_ERROR(DecodePosting(set, chunk, &numbers));
  std::ranges::sort(*gone);
  DroppedNumbers left;
  std::ranges::set_difference(numbers, *gone, std::back_inserter(left));
  std::string all;
  for (const SeriesNumber number : left)
    AddToPosting(number, &all);
  if (all.empty()) return all;
  std::string merged;  // in the format of its size
  const std::string_view one = all;
  MergePostings({&one, 1}, &merged);
  return merged;
}

// The rest of a block row; empty if no tsuid is left.
absl::StatusOr<std::string> BlockWithout(std::string_view key,
                                         const std::optional<std::string>& row,
                                         const DroppedNumbers& gone) {
  std::vector<std::string_view> tsuids;
  HOURCELL_RETURN_IF_ERROR(ParseBlock(key, row, &tsuids));
  for (const SeriesNumber number : gone)
    tsuids[number % kBlockSeries] = {};
  std::string list;
  const auto is_empty = [](std::string_view tsuid) { return tsuid.empty(); };
  if (std::ranges::all_of(tsuids, is_empty)) return list;
  for (const std::string_view tsuid : tsuids)
    AppendToTsuidList(tsuid, &list);
  return list;
}

absl::Status DropSome(const Layout& layout, Series series, Tables* tables) {
  std::map<std::string, DroppedNumbers> sets;  // by key
  std::map<std::string, DroppedNumbers> blocks;
  std::vector<Mutation> group;
  const auto add_to_set = [&sets](std::string key, SeriesNumber number) {
    AppendPostingChunk(number, &key);
    sets[std::move(key)].push_back(number);
  };
  for (const auto& [number, tsuid] : series) {
    HOURCELL_ASSIGN_OR_RETURN(const SeriesUids uids, ParseTsuid(layout, tsuid));
    add_to_set(MetricPostingPrefix(layout, uids.metric), number);
    for (const TagUids& tag : uids.tags)
      add_to_set(TagPostingPrefix(layout, uids.metric, tag), number);
    blocks[BlockKey(number)].push_back(number);
    group.push_back({TableId::kSeries, Mutation::Kind::kDelete, SeriesTsuidKey(tsuid), {}});
  }
  const std::unique_ptr<TableView> view = tables->Snapshot();
  for (auto& [key, numbers] : sets) {
    HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> row,
                              view->Get(TableId::kSeries, key));
    if (!row.has_value()) continue;
    HOURCELL_ASSIGN_OR_RETURN(std::string left, SetWithout(*row, numbers.front() >> 16, &numbers));
    group.push_back(RowOrNone(key, std::move(left)));
  }
  for (const auto& [key, numbers] : blocks) {
    HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> row,
                              view->Get(TableId::kSeries, key));
    if (!row.has_value()) continue;
    HOURCELL_ASSIGN_OR_RETURN(std::string left, BlockWithout(key, row, numbers));
    group.push_back(RowOrNone(key, std::move(left)));
  }
  HOURCELL_KILL_POINT("series:before_drop");
  HOURCELL_RETURN_IF_ERROR(tables->Apply(group, /*sync=*/true));
  HOURCELL_KILL_POINT("series:dropped");
  return absl::OkStatus();
}

}  // namespace

absl::Status DropSeries(const Layout& layout, Series series, Tables* tables) {
  while (!series.empty()) {
    const size_t count = std::min(series.size(), kAtOnce);
    HOURCELL_RETURN_IF_ERROR(DropSome(layout, series.first(count), tables));
    series = series.subspan(count);
  }
  return absl::OkStatus();
}

}  // namespace hourcell
