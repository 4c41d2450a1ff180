// RowRewrite: row compaction in Bigtable. It joins operands of one writer and removes cells below
// the newest set or delete. Readers see no difference.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/bigtable/api/row_limits.h"
#include "engine/bigtable/rows/stored_row.h"
#include "engine/bigtable/rows/version_view.h"
#include "engine/table/table.h"

namespace hourcell {

// True if a deleted row of the table is removed completely. Other tables keep the delete, so that a
// set that arrives late does not reappear. Here a reappearing row is harmless: a log row of series
// is below the number up to which series are indexed, so it is never read; an active set then lists
// a few series too many, which active sets allow (engine/rows/series_key.h).
bool LeavesNoMark(TableId table, std::string_view key);

// The mutations of one row, which the service applies atomically; none if a rewrite gains nothing.
//
// Touches only cells that `settled` sees and cells that these replace. Joins operands of `writer`
// unless a hidden version or another writer's operand is between them; the joined operand covers
// all versions from its first to its last. Keeps a delete unless the row leaves no mark.
std::optional<RowMutations> RewriteOf(TableId table,
                                      const StoredRow& row,
                                      const VersionView& settled,
                                      uint64_t writer);

}  // namespace hourcell
