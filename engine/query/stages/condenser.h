// Condensing: the points of a whole row as at most three points, made of the summary of its cell,
// for a query whose windows (WindowSpec) do not divide the row.
//
//   the first point, with its time and value
//   a middle point, a millisecond later: the sum of the points between the two others, or the least
//   or the greatest value of the row; its weight is the number of points between
//   the last point, with its time and value
//
// So a window that ends at the first point, or begins at the last one, has the right point. One
// with the middle point has the whole row. Pure.

#pragma once

#include <cstdint>

#include "codec/cells/packed_cell.h"
#include "engine/query/columns.h"
#include "engine/query/query_spec.h"

namespace hourcell {

// True if a window begins or ends between two instants, neither included.
bool IsDivided(const WindowSpec& windows, int64_t first_ms, int64_t last_ms);

// False if the windows divide practically each row.
bool MayBeUndivided(const WindowSpec& windows);

// Appends the row to `*span`, whose points are earlier. Returns false and appends nothing if a
// window divides the row, or if the summary does not give the sum as exactly as the windows need
// it: of values with both signs, and of very many or very large ones.
bool AppendCondensed(const WindowSpec& windows,
                     int64_t base_ms,
                     const CellSummary& summary,
                     Span* span);

}  // namespace hourcell
