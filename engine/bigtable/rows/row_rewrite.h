// RowRewrite: row compaction of a row in Bigtable: operands of one writer are joined, and what is
// below the newest set or delete goes away. No reader sees a difference.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/bigtable/api/row_limits.h"
#include "engine/bigtable/rows/stored_row.h"
#include "engine/bigtable/rows/version_view.h"
#include "engine/table/table.h"

namespace hourcell {

// Whether a deleted row of the table goes altogether. Elsewhere a delete stays, so that a set that
// arrives late does not come back. A log row of series that comes back is below the number up to
// which series are indexed, and nobody reads it; an active set that comes back has a few series too
// many, as active sets may (engine/rows/series_key.h).
bool LeavesNoMark(TableId table, std::string_view key);

// The mutations of one row, which the service makes at once; none if there is nothing to gain.
//
// Touches only what `settled` sees, and what that replaces. Operands are joined if they are of
// `writer`, and if no hidden version and no other writer's operand is between them: the joined one
// says that it has all that was written from its first version to its last. A delete stays, unless
// the row leaves no mark.
std::optional<RowMutations> RewriteOf(TableId table,
                                      const StoredRow& row,
                                      const VersionView& settled,
                                      uint64_t writer);

}  // namespace hourcell
