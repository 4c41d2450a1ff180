// RowRewrite: row compaction of a row in Bigtable: operands of one writer are joined, and what is
// below the newest set or delete goes away. No reader sees a difference.

#pragma once

#include <cstdint>
#include <optional>

#include "engine/bigtable/api/row_limits.h"
#include "engine/bigtable/rows/stored_row.h"
#include "engine/bigtable/rows/version_view.h"
#include "engine/table/table.h"

namespace hourcell {

// The mutations of one row, which the service makes at once; none if there is nothing to gain.
//
// Touches only what `settled` sees, and what that replaces. Operands are joined if they are of
// `writer`, and if no hidden version and no other writer's operand is between them: the joined one
// says that it has all that was written from its first version to its last. A delete stays, so that
// a set that arrives late does not come back.
std::optional<RowMutations> RewriteOf(TableId table,
                                      const StoredRow& row,
                                      const VersionView& settled,
                                      uint64_t writer);

}  // namespace hourcell
