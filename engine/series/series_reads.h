// Rows of the `series` table, read: posting sets, and the blocks of tsuids (series_rows.h).
// Thread-safe.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "engine/query/memory_account.h"
#include "engine/rows/series_key.h"
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

}  // namespace hourcell
