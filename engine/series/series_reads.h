// Rows of the `series` table, read: posting sets, the blocks of tsuids, and the series by tsuid
// (series_rows.h).
// Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "engine/hours/new_series.h"
#include "engine/query/memory_account.h"
#include "engine/rows/series_key.h"
#include "engine/table/table.h"
#include "engine/table/tables.h"

namespace hourcell {

// The numbers of a posting set (the prefix of its keys), appended ascending; those below `from`
// only as far as they are in one chunk with it. `hold` takes the memory they need, chunk by chunk;
// null: it is not counted. kDataLoss: it does not decode; kResourceExhausted: by `hold`.
absl::Status AppendPostings(Tables* tables,
                            const std::string& prefix,
                            SeriesNumber from,
                            std::vector<SeriesNumber>* numbers,
                            MemoryHold* hold = nullptr);

// Sets tsuids->at(i) to that of numbers[i] for each i in `places`, each row read once; empty: the
// number has no tsuid. kDataLoss: a row does not decode.
absl::Status ReadBlocks(Tables* tables,
                        std::span<const SeriesNumber> numbers,
                        std::span<const size_t> places,
                        std::vector<std::string>* tsuids);

// Whether the tables have a series of the metric: one search.
absl::StatusOr<bool> HasSeriesRow(Tables* tables, const Layout& layout, Uid metric);

// The next visit after a series: the next one, the first of the next metric, or nothing more.
enum class NextVisit : uint8_t { kSeries, kMetric, kNone };

// Visits the series whose rows by tsuid are in `range`, and those of `added`, ascending by tsuid,
// each once. `added` is ascending by tsuid. Returns the metric, as bytes, if `visit` skips the rest
// of it; nothing at the end. kDataLoss: a row does not decode.
absl::StatusOr<std::optional<std::string>> VisitSeries(
    Tables* tables,
    const Layout& layout,
    const ScanRange& range,
    std::span<const NewSeries::Entry> added,
    const std::function<NextVisit(SeriesNumber, std::string_view tsuid)>& visit);

// The tsuids of a log row; the first is of number `first`. kDataLoss: it does not decode.
absl::StatusOr<std::vector<std::string>> ParseLogRow(const Layout& layout,
                                                     std::string_view key,
                                                     SeriesNumber first,
                                                     std::string_view list);

// The highest number that was given to a series; 0 if none was. kDataLoss: it does not decode.
absl::StatusOr<SeriesNumber> ReadLastNumber(Tables* tables);

// All series up to it have their rows; 0 if none has. kDataLoss: it is not the end of a block.
absl::StatusOr<SeriesNumber> ReadIndexedNumber(TableView* view);

// Log rows, by their first numbers, and up to which number there are other rows.
struct SeriesLog {
  std::vector<std::pair<SeriesNumber, std::vector<std::string>>> rows;  // tsuids
  SeriesNumber indexed = 0;
};

// The log rows whose first number is `first` or more, of one moment, though another process may
// write them. kUnavailable: it changes all the time; try again. kDataLoss: a row does not decode.
absl::StatusOr<SeriesLog> ReadSeriesLog(const Layout& layout, Tables* tables, SeriesNumber first);

// Sorts them, each once; quick if they are.
void SortIfNeeded(std::vector<SeriesNumber>* numbers);

}  // namespace hourcell
