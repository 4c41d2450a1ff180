// The header of packed cells of format 2, which version 0.1.0 wrote: it is read and merged, and no
// longer written. Only this file describes it byte by byte. The columns are those of format 3
// (packed_cell.h), of the first version (integer_column.h).
//
//   02 | shape: 1 | count: V | first time: V | time span: V
//      | exponent: 1, if decimal | types: 1, if mixed or flagged
//      | flags of the first and last point: 2, if flagged
//      | numbers | time column, if not on a line | kind column | value column
//
//   shape   bits 0-1   which flags the points have, as in format 3
//           bits 2-3   the numbers of the value column: 0 integers, 1 decimals, 2 bits
//           bit 4      1: the qualifiers are of milliseconds; 0 if flagged
//           bit 5      1: times are in ms, 0: in s
//           bit 6      1: with a summary; flagged bits, which may be NaN, can be without
//           bit 7      1: the times are not on a line: a time column follows the numbers
//   count   points, 1 to 3,600,000
//   times   of the first point, and from it to the last
//   decimals are divided by 10^exponent; there are no exceptions
//   types   as in format 3, bits 0-3
//
//   numbers of integers and decimals        min: Z | first - min: V | last - min: V | max - min: V
//                                           | sum - count * min: V
//     of decimals                           | sum of doubles - sum / 10^exponent, in units of the
//                                             last place (the difference of their bits): Z
//   numbers of bits                         first: 8 | last: 8
//     with a summary                        | min: 8 | max: 8 | sum of doubles: 8
//
// Pure; bounded on any bytes; thread-safe.

#pragma once

#include <cstdint>
#include <string_view>

#include "codec/cells/packed_header.h"

namespace hourcell {

// Reads the header of a cell of format 2 and sets `*columns` to the rest. Returns the fault or
// nullptr. REQUIRES: the cell begins with 02.
const char* TakePackedHeader2(std::string_view cell,
                              uint32_t span_ms,
                              PackedHeader* out,
                              std::string_view* columns);

}  // namespace hourcell
