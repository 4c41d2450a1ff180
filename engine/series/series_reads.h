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

// Block rows that are read or written together, of some 4 KiB each.
inline constexpr size_t kBlocksAtOnce = 256;

// The numbers of a posting set (the prefix of its keys), appended ascending; those below `from`
// only as far as they are in one chunk with it. `hold` takes what they need, chunk by chunk; null:
// nothing counts them. kDataLoss: it does not decode; kResourceExhausted: by `hold`.
absl::Status AppendPostings(Tables* tables,
                            const std::string& prefix,
                            SeriesNumber from,
                            std::vector<SeriesNumber>* numbers,
                            MemoryHold* hold = nullptr);

// Sets tsuids->at(i) to that of numbers[i] for each i in `places`, each row read once; empty: it
// has none. kDataLoss: a row does not decode.
absl::Status ReadBlocks(Tables* tables,
                        std::span<const SeriesNumber> numbers,
                        std::span<const size_t> places,
                        std::vector<std::string>* tsuids);

// What is visited after a series: the next one, the first of the next metric, or nothing more.
enum class NextVisit : uint8_t { kSeries, kMetric, kNone };

// Visits the series whose rows by tsuid are in `range`, and those of `added`, ascending by tsuid,
// each once. `added` is ascending by tsuid. Returns the metric, as bytes, of which `visit` wants to
// pass over the rest; nothing if this was all. kDataLoss: a row does not decode.
absl::StatusOr<std::optional<std::string>> VisitSeries(
    Tables* tables,
    const Layout& layout,
    const ScanRange& range,
    std::span<const NewSeries::Entry> added,
    const std::function<NextVisit(SeriesNumber, std::string_view tsuid)>& visit);

}  // namespace hourcell
