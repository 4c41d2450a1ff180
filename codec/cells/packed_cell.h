// Packed cells: format 3, the points of a closed hour as columns, and format 4, those of some hours
// of a day. Only this file describes the formats byte by byte; packed_header_2.h has the header of
// format 2.
//
//   03 | body, of a span of an hour
//   04 | hours - 1: 1 | body, of a span of that many hours: a page of a day cell (day_cell.h)
//
//   body: shape: 1 | times: 1 | first time: V, if not 0 | count - 1: V, if not as many as fit
//      | step: V, if not a usual one
//      | scale: 1, if decimal | factor - 2: V, if with one | types: 1, if mixed or flagged
//      | flags of the first and last point: 2, if flagged | numbers | exceptions, if any
//      | time column, if not on a line | kind column | value column, unless constant
//
// V is a varint (base/bytes.h), Z a zigzag varint; other integers are big-endian.
//
//   shape   bits 0-1   which flags (qualifier.h) the points have
//             0 integers  all integers, each in the fewest bytes
//             1 floats    all floats, binary32 iff that is exact
//             2 mixed     each as in 0 or 1; the kind column has 1 for a float, 0 for an integer
//             3 flagged   anything else; the kind column has CellColumns::flags of each point
//           bits 2-3   the numbers of the value column
//             0 integers  the values
//             1 decimals  their scale gives the values, bit for bit; |number| < 2^53
//             2 bits      CellColumns::bits; needed for most full mantissas
//           bit 4      1: the qualifiers are of milliseconds; 0 if flagged
//           bit 5      1: constant: all numbers are equal
//           bit 6      1: with exceptions, of decimals only
//           bit 7      0
//   times   bits 0-3   the step: 0-14: 1, 2, 5, 6, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1,800,
//                      3,600 s; 15: a field. Of one point any
//           bit 4      1: the first time is a field; 0: it is 0
//           bit 5      1: the count is a field; 0: the last of such steps that the row holds
//           bit 6      1: the times are not on a line: count and step are fields, and step is the
//                      time from the first to the last point; a time column follows
//           bit 7      1: times are in ms, 0: in s
//   scale   bits 0-4   exponent, at most 18: the divisor is 10^exponent, times the factor; exact as
//                      a double
//           bits 5-6   the rule by which a number gives a double (of an integer it is always the
//                      product with the divisor)
//             0  number / divisor, correctly rounded
//             1  number * the double nearest to 1 / divisor
//             2  as 0, and then rounded to binary32
//           bit 7      1: a factor follows: means of n numbers have the factor n
//   types   bits 0-3: the first, last, smallest, largest value is a float, the latter two 0 without
//           a summary; bit 4: more than 16 flagged points, without a summary, as some may be NaN;
//           the rest 0
//
// A cell of more than 16 points has a summary in its header; that of fewer is made by decoding.
//
//   numbers of integers and decimals        first: Z | last - first: Z
//     with a summary                        | first - min: V | max - min: V
//                                           | sum - count * min: V
//     of decimals, with a summary           | sum of doubles - sum / divisor, in units of the last
//                                             place (the difference of their bits): Z
//   numbers of bits                         first: 8 | last: 8
//     with a summary                        | min: 8 | max: 8 | sum of doubles: 8
//   constant numbers                        first: Z, of bits: 8
//     of decimals or bits, with a summary   | sum of doubles - sum / divisor or count * first, in
//                                             units of the last place: Z
//
//   exceptions   count - 1: V | { gap: V | bits of the double - those that its number gives: Z }...
//     with a summary   | which: 1 | { such a difference of bits: Z }... of the first, last,
//                        smallest and largest value, as bits 0-3 of `which` say
//
// The gap is from the position after the exception before, at first from 0. An integer is never an
// exception. The numbers of exceptions lie among the others, so that min and max are of those.
//
// All arithmetic on numbers is modulo 2^64. The sum of doubles adds the points in order, as
// doubles, starting from the first; of equal values the earliest is min and max.
//
// A column is of the second version, which integer_column.h describes by its differences from the
// first, that of format 2: a column is 64-bit integers v[0] ... v[n-1]. v[0] and v[n-1] are known
// from the header, and so is chord = (v[n-1] - v[0]) / (n - 1), signed, rounded to the nearest
// integer, halves away from zero; 0 if n = 1. slope = chord less its remainder by the divisor,
// rounded to zero.
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

// A summary of at most this many points is made by decoding them; format 3 does not store it.
inline constexpr uint32_t kDecodedSummaryMax = 16;

// The hours of a day, the most that a page can have.
inline constexpr uint32_t kHoursADay = 24;

// The points of a page of more than one hour that readers accept: more than writers put there
// (kPagePointsMax). It limits the memory that a few damaged bytes can take.
inline constexpr uint32_t kSharedPagePointsMax = 65'536;

// The facts about a packed cell's points that queries use instead of the points.
struct CellSummary {
  uint32_t count = 0;            // at least 1
  uint32_t first_offset_ms = 0;  // from the row's base time; of a page, from its first hour
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

// Appends to `*out` one packed cell of `columns`, of format 3, which DecodeCell gives back
// unchanged.
// REQUIRES: offsets ascend strictly and are below an hour; at least one point; flags that the
// values were read with (DecodeCell) or stored with (ValueFlags).
void AppendPackedCell(const CellColumns& columns, std::string* out);

// Appends to `*out` a page of `columns`, whose offsets are from its first hour.
// REQUIRES: as AppendPackedCell, but offsets are below `hours`, which is 1 to 24; at most
// kSharedPagePointsMax points if `hours` is above 1.
void AppendPage(const CellColumns& columns, uint32_t hours, std::string* out);

// Decodes a packed cell, of format 2, 3 or 4, appending to `*out`; nothing is appended on an error.
// kDataLoss: not packed, cut short, fields out of range, numbers that differ from the header's.
absl::Status DecodePackedCell(std::string_view cell, CellColumns* out);

// The summary of any cell, at the cost of its header, or of decoding if it has at most 16 points:
// nullopt if it is not packed (a day cell's pages are), or a value is NaN or infinite.
// kDataLoss: an empty or packed cell that was read and does not decode, or a damaged record.
absl::StatusOr<std::optional<CellSummary>> ReadCellSummary(std::string_view cell);

// The points that a packed cell has by its header; nullopt if it is not packed or its header does
// not decode.
std::optional<uint32_t> ReadPackedCount(std::string_view cell);

// The summary of `columns`, equal to ReadCellSummary's for their packed cell. nullopt if a value is
// NaN or infinite. REQUIRES: at least one point.
std::optional<CellSummary> Summarize(const CellColumns& columns);

}  // namespace hourcell
