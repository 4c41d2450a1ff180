#include "engine/series/series_reads.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/rows/tsuid.h"
#include "engine/hours/tsuid_list.h"
#include "engine/rows/key_range.h"
#include "engine/series/series_rows.h"

namespace hourcell {

absl::Status AppendPostings(Tables* tables,
                            const std::string& prefix,
                            SeriesNumber from,
                            std::vector<SeriesNumber>* numbers,
                            MemoryHold* hold) {
  ScanRange range = PrefixRange(prefix);
  if (from > 0) AppendPostingChunk(from, &range.begin);
  const size_t held = hold == nullptr ? 0 : hold->bytes();
  const auto count = [&] {
    return hold == nullptr ? absl::OkStatus()
                           : hold->Set(held + numbers->capacity() * sizeof(SeriesNumber));
  };
  HOURCELL_RETURN_IF_ERROR(count());  // those that are there already
  absl::Status failure;
  const absl::Status scanned = tables->Snapshot()->Scan(
      TableId::kSeries, range, [&](std::string_view key, std::string_view set) {
        const absl::StatusOr<uint64_t> chunk = PostingChunk(key, prefix.size());
        failure = chunk.ok() ? DecodePosting(set, *chunk, numbers) : chunk.status();
        if (failure.ok()) failure = count();
        return failure.ok();
      });
  return failure.ok() ? scanned : failure;
}

absl::Status ReadBlocks(Tables* tables,
                        std::span<const SeriesNumber> numbers,
                        std::span<const size_t> places,
                        std::vector<std::string>* tsuids) {
  std::vector<size_t> by_number(places.begin(), places.end());
  std::ranges::sort(by_number, {}, [numbers](size_t place) { return numbers[place]; });
  const std::unique_ptr<TableView> view = tables->Snapshot();
  std::vector<std::string> keys;
  std::vector<std::optional<std::string>> values;
  std::vector<std::string_view> block;
  for (auto next = by_number.begin(); next != by_number.end();) {
    keys.clear();
    auto after = next;
    for (; after != by_number.end(); ++after) {
      std::string key = BlockKey(numbers[*after]);
      if (!keys.empty() && keys.back() == key) continue;
      if (keys.size() == kBlocksAtOnce) break;
      keys.push_back(std::move(key));
    }
    HOURCELL_RETURN_IF_ERROR(view->GetMany(TableId::kSeries, keys, &values));
    for (size_t i = 0; i < keys.size(); ++i) {
      HOURCELL_RETURN_IF_ERROR(ParseBlock(keys[i], values[i], &block));
      for (; next != after && BlockKey(numbers[*next]) == keys[i]; ++next)
        (*tsuids)[*next] = block[numbers[*next] % kBlockSeries];
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> HasSeriesRow(Tables* tables, const Layout& layout, Uid metric) {
  const ScanRange range = PrefixRange(SeriesTsuidPrefix(layout, metric));
  const std::unique_ptr<TableView> view = tables->Snapshot();
  const std::unique_ptr<RowCursor> cursor = view->NewCursor(TableId::kSeries, range);
  cursor->Seek(range.begin);
  HOURCELL_RETURN_IF_ERROR(cursor->status());
  return cursor->valid();
}

absl::StatusOr<std::optional<std::string>> VisitSeries(
    Tables* tables,
    const Layout& layout,
    const ScanRange& range,
    std::span<const NewSeries::Entry> added,
    const std::function<NextVisit(SeriesNumber, std::string_view)>& visit) {
  auto next = added.begin();
  std::string last;  // metric that was visited
  NextVisit answer = NextVisit::kSeries;
  const auto goes_on = [&](SeriesNumber number, std::string_view tsuid) {
    answer = visit(number, tsuid);
    if (answer == NextVisit::kMetric) last = tsuid.substr(0, layout.metric_width);
    return answer == NextVisit::kSeries;
  };
  absl::Status damage;
  const auto merge = [&](std::string_view key, std::string_view value) {
    const absl::StatusOr<SeriesNumber> number = DecodeU64(value);
    damage = number.status();
    if (!damage.ok()) return false;
    const std::string_view tsuid = key.substr(1);
    for (; next != added.end() && next->tsuid <= tsuid; ++next) {
      if (next->tsuid != tsuid && !goes_on(next->number, next->tsuid)) return false;
    }
    return goes_on(*number, tsuid);
  };
  HOURCELL_RETURN_IF_ERROR(tables->Snapshot()->Scan(TableId::kSeries, range, merge));
  HOURCELL_RETURN_IF_ERROR(damage);
  for (; answer == NextVisit::kSeries && next != added.end(); ++next)
    goes_on(next->number, next->tsuid);
  if (answer != NextVisit::kMetric) return std::nullopt;
  return last;
}

absl::StatusOr<std::vector<std::string>> ParseLogRow(const Layout& layout,
                                                     std::string_view key,
                                                     SeriesNumber first,
                                                     std::string_view list) {
  std::vector<std::string> tsuids;
  for (std::string_view tsuid; TakeTsuid(&list, &tsuid);) {
    if (const auto uids = ParseTsuid(layout, tsuid); !uids.ok()) {
      return absl::DataLossError(fmt::format("series {}, log row {}: {}", first + tsuids.size(),
                                             ToHex(key), uids.status().ToString()));
    }
    tsuids.emplace_back(tsuid);
  }
  if (!list.empty() || tsuids.empty()) {
    return absl::DataLossError(
        fmt::format("series {}, log row {}: expected tsuids, got {} bytes that are no tsuid",
                    first + tsuids.size(), ToHex(key), list.size()));
  }
  return tsuids;
}

absl::StatusOr<SeriesNumber> ReadLastNumber(Tables* tables) {
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> counter,
                            tables->Snapshot()->Get(TableId::kSeries, SeriesCounterKey()));
  if (!counter.has_value()) return SeriesNumber{0};
  return DecodeU64(*counter);
}

absl::StatusOr<SeriesNumber> ReadIndexedNumber(TableView* view) {
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> row,
                            view->Get(TableId::kSeries, IndexedKey()));
  if (!row.has_value()) return SeriesNumber{0};
  HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber indexed, DecodeU64(*row));
  if ((indexed + 1) % kBlockSeries == 0) return indexed;
  return absl::DataLossError(fmt::format(
      "series are indexed up to {}; expected the end of a block of {}", indexed, kBlockSeries));
}

absl::StatusOr<SeriesLog> ReadSeriesLog(const Layout& layout, Tables* tables, SeriesNumber first) {
  constexpr int kTriesMax = 5;
  for (int i = 0; i < kTriesMax; ++i) {
    const std::unique_ptr<TableView> view = tables->Snapshot();
    SeriesLog log;
    HOURCELL_ASSIGN_OR_RETURN(log.indexed, ReadIndexedNumber(view.get()));
    ScanRange range = PrefixRange(LogRowPrefix());
    range.begin = LogRowKey(first);
    absl::Status fault;
    HOURCELL_RETURN_IF_ERROR(
        view->Scan(TableId::kSeries, range, [&](std::string_view key, std::string_view list) {
          const absl::StatusOr<SeriesNumber> number = DecodeU64(key.substr(1));
          fault = number.status();
          if (!fault.ok()) return false;
          absl::StatusOr<std::vector<std::string>> tsuids = ParseLogRow(layout, key, *number, list);
          fault = tsuids.status();
          if (fault.ok()) log.rows.emplace_back(*number, *std::move(tsuids));
          return fault.ok();
        }));
    HOURCELL_RETURN_IF_ERROR(fault);
    // A view of tables that another process writes may see rows of several moments. Rows leave the
    // log after this number has moved past them.
    HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber indexed,
                              ReadIndexedNumber(tables->Snapshot().get()));
    if (indexed == log.indexed) return log;
  }
  return absl::UnavailableError("series: their log changes while it is read; try again");
}

void SortIfNeeded(std::vector<SeriesNumber>* numbers) {
  const auto wrong = std::ranges::adjacent_find(*numbers, std::ranges::greater_equal());
  if (wrong == numbers->end()) return;
  std::ranges::sort(*numbers);
  numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
}

}  // namespace hourcell
