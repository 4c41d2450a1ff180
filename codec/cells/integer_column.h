// Columns of 64-bit integers: the times, numbers and kinds of a packed cell. Arithmetic is modulo
// 2^64.
//
// packed_cell.h describes the first version. In the second, which has the same predictors,
// divisor, zigzag and state machine, a column of v[0] ... v[n-1] is
//
//   lead: 1 | scale: 1, unless the lead says otherwise | divisor - 2: V, if so
//      | centre: Z, if predictor 1, 2 or 5 | stream, unless a line
//
//   lead    00         line: nothing follows
//           01 - 1e    predictor 3 with shift (lead + 1) / 2, divisor 1 and the model 25 if the
//                      lead is odd, 29 if it is even; no scale
//           1f         unsigned: residuals are not negative and are coded without zigzag; the usual
//                      lead of predictor 1 to 6 follows
//           20 - ff    bits 5-7: predictor; bits 0-4: model. Predictor 7 is without scale
//   scale   bits 0-5: shift; bit 6: a divisor follows; bit 7: add 32 to the model
//
// There are residuals r[i] for 1 <= i < n - 1: the last value is known. Models 0 to 31 are plain,
// with the tokens of the first version. Models 32 to 63 are zero models: token 0 is z = 0, without
// low bits. For z > 0, y = (z - 1) >> shift is written as a token of 1 to 14 and further bits of
// the difference to the range's begin: 0-3 as tokens 1-4; 4-5, 6-7 (1 bit); 8-11, 12-15 (2);
// 16-23, 24-31 (3); 32-47, 48-63 (4); 64-95, 96-127 (5) as tokens 5-14; below them the low `shift`
// bits of z - 1. Token 15 is as in the first version.
//
//   stream, bits least significant first
//     state: 10 | other state: 10, unless there is one | { state bits | token bits } for each
//      residual but those of the tail | { high bits | escape } for each residual of the tail
//      | 0 to 7 zeros
//
// There is one state if n <= 128, or if n <= 512 and the model is one of 32 to 38; else residuals
// use the two states in turn. The tail, the last residuals, is in the states that are left after
// the others. A zero model is without tail, and its states are 0. With a plain model a residual of
// the tail is a field of f = min(64, t + shift) bits; t is the least number from 1 to 7 for which
// the model's counts of token 15 and of the tokens with numbers above 2^t - 2 add up to at most
// 32, or else 7. A state has 10 / f fields, from its low bits up; if f > 10, one field, whose low
// 10 bits it has, and the f - 10 high bits follow the tokens. A field of ones is an escape: then 6
// bits of w - 1 and w bits of z follow (after the high bits, if any). The state whose turn it is
// after the tokens has the first fields. Unused fields and bits are 0. If a column has fewer
// residuals than fields, all are in the tail.
//
// Pure; bounded on any bytes; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hourcell {

// Two's complement with the sign in the lowest bit, so that numbers near 0 are small.
constexpr uint64_t ZigZag(uint64_t value) {
  return value << 1 ^ (0 - (value >> 63));
}
constexpr uint64_t UnZigZag(uint64_t value) {
  return value >> 1 ^ (0 - (value & 1));
}

// True if the differences of adjacent `values` are equal, so that their column is one byte; always
// for one or two values.
bool IsLine(std::span<const uint64_t> values);

// ON DISK: frozen. The form of a column, which its container knows: format 2 of cells has the
// first. The second leaves the detection of most damage to its container, for example by a sum.
enum class ColumnVersion : uint8_t { kFirst, kSecond };

// Appends the column of `values` without the first and last. REQUIRES: at least one value.
void AppendIntegerColumn(ColumnVersion version, std::span<const uint64_t> values, std::string* out);

// Totals of a column's values, as signed integers.
struct IntegerTotals {
  int64_t min = 0;
  int64_t max = 0;
  uint64_t sum = 0;
};

// Decodes the column at the front of `*bytes` and takes it off. `values` has the size of the column
// and holds its first and last value; the others are overwritten. Returns the fault or nullptr.
const char* TakeIntegerColumn(ColumnVersion version,
                              std::string_view* bytes,
                              std::span<uint64_t> values,
                              IntegerTotals* totals);

// False if a stream of `bytes` bytes is too short for the residuals of `values` values. Detects a
// false count before memory is allocated for it.
bool CanHoldColumn(size_t bytes, size_t values);

}  // namespace hourcell
