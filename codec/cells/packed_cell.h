// Packed cells: format 2, the points of a closed hour as columns. Only this file describes the
// format byte by byte.
//
//   02 | shape: 1 | count: V | first time: V | time span: V
//      | exponent: 1, if decimal | types: 1, if mixed or flagged
//      | flags of the first and last point: 2, if flagged
//      | numbers | time column, if not on a line | kind column | value column
//
// V is a varint (base/bytes.h), Z a zigzag varint; other integers are big-endian.
//
//   shape   bits 0-1   which flags (qualifier.h) the points have
//             0 integers  all integers, each in the fewest bytes
//             1 floats    all floats, binary32 iff that is exact
//             2 mixed     each as in 0 or 1; the kind column has 1 for a float, 0 for an integer
//             3 flagged   anything else; the kind column has CellColumns::flags of each point
//           bits 2-3   what the numbers of the value column are
//             0 integers  the values
//             1 decimals  value = number / 10^exponent, correctly rounded, bit for bit; for an
//                         integer exact; exponent is at most 18, |number| < 2^53
//             2 bits      CellColumns::bits; needed for full mantissas, -0.0, NaN
//           bit 4      1: the qualifiers are of milliseconds; 0 if flagged
//           bit 5      1: times are in ms, 0: in s
//           bit 6      1: with a summary; flagged bits, which may be NaN, can be without
//           bit 7      1: the times are not on a line: a time column follows the numbers
//   count   points, 1 to 3,600,000
//   times   of the first point, and from it to the last
//   types   bits 0-3: the first, last, smallest, largest value is a float; the rest 0
//
//   numbers of integers and decimals        min: Z | first - min: V | last - min: V | max - min: V
//                                           | sum - count * min: V
//     of decimals                           | sum of doubles - sum / 10^exponent, in units of the
//                                             last place (the difference of their bits): Z
//   numbers of bits                         first: 8 | last: 8
//     with a summary                        | min: 8 | max: 8 | sum of doubles: 8
//
// All arithmetic on numbers is modulo 2^64. The sum of doubles adds the points in order, as
// doubles, starting from the first; of equal values the earliest is min and max.
//
// A column is 64-bit integers v[0] ... v[n-1]. v[0] and v[n-1] are known from the header, and so is
// chord = (v[n-1] - v[0]) / (n - 1), signed, rounded to the nearest integer, halves away from zero;
// 0 if n = 1. slope = chord less its remainder by the divisor, rounded to zero.
//
//   bits 5-7: predictor | bits 0-4: model
//      | shift: 1 (bits 0-5; bit 6: divisor follows), unless predictor 0 or 7
//      | divisor - 2: V, if so | centre: Z, if predictor 1, 2 or 5 | stream, unless predictor 0
//
//   predictor          residual r[i], 1 <= i < n
//     0 line           none: v[i] = v[0] + i * chord; model 0, and the column is this one byte
//     1 level          v[i] - v[0] - centre
//     2 chord          v[i] - v[0] - centre - i * slope
//     3 delta          v[i] - v[i-1]
//     4 slope          v[i] - v[i-1] - slope
//     5 centred        v[i] - v[i-1] - centre
//     6 second delta   (v[i] - v[i-1]) - (v[i-1] - v[i-2]); the first one is v[1] - v[0] - slope
//     7 small delta    as 3, with shift 0 and no divisor
//
// A residual is divided by the divisor and made unsigned by zigzag: z = 2r or -2r - 1. Then
// z >> shift is written as a token of the model and further bits (token_model.h): 0-9 as tokens
// 0-9; 10-11, 12-15, 16-23, 24-39 and 40-71 as tokens 10-14 with 1 to 5 bits of the difference to
// the range's begin; below them the low `shift` bits of z. Token 15, which also encodes numbers
// whose token is not in the model, is followed by 6 bits of w - 1 and w bits of z before the shift.
//
//   stream, bits least significant first
//     state: 10 | other state: 10 | { state bits | token bits } for each residual | 0 to 7 zeros
//
// The states are those of a tabled asymmetric numeral system of 1,024 states: a residual is the
// token of the state, whose entry gives the number of bits of the next state. Residuals use the two
// states in turn. After the last one both are 0.
//
// Sources: Duda, "Asymmetric numeral systems" (arXiv 1311.2540); Gorilla (VLDB 2015) for the delta
// of deltas; ALP (SIGMOD 2024) for decimals. Pure; bounded on any bytes; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/cells/cell.h"
#include "codec/point.h"

namespace hourcell {

// The facts about a packed cell's points that its header gives.
struct CellSummary {
  uint32_t count = 0;            // at least 1
  uint32_t first_offset_ms = 0;  // from the row's base time
  uint32_t last_offset_ms = 0;
  Value first;
  Value last;
  bool all_integer = true;
  // Integers if all points are, and then modulo 2^64; else a double, added point by point in order.
  Value sum;
  Value min;  // compared as integers if all are, else as doubles; the earliest of equal ones
  Value max;

  friend bool operator==(const CellSummary&, const CellSummary&) = default;
};

// Appends to `*out` one packed cell of `columns`, which DecodeCell gives back unchanged.
// REQUIRES: offsets ascend strictly and are below an hour; at least one point; flags that the
// values were read with (DecodeCell) or stored with (ValueFlags).
void AppendPackedCell(const CellColumns& columns, std::string* out);

// Decodes a packed cell, appending to `*out`; nothing is appended on an error.
// kDataLoss: not format 2, cut short, fields out of range, numbers that differ from the header's.
absl::Status DecodePackedCell(std::string_view cell, CellColumns* out);

// The summary of any cell, at the cost of its header: nullopt if it is not packed or lacks one.
// kDataLoss: an empty or packed cell whose header does not decode, or a damaged record.
absl::StatusOr<std::optional<CellSummary>> ReadCellSummary(std::string_view cell);

// The summary of `columns`, equal to ReadCellSummary's for their packed cell. nullopt if a value is
// NaN or infinite. REQUIRES: at least one point.
std::optional<CellSummary> Summarize(const CellColumns& columns);

}  // namespace hourcell
