// Columns of 64-bit integers: the times, numbers and kinds of a packed cell. The bytes are
// described in packed_cell.h. Arithmetic is modulo 2^64. Pure; bounded on any bytes; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hourcell {

// Two's complement with the sign in the lowest bit, so that what is near 0 is small.
constexpr uint64_t ZigZag(uint64_t value) {
  return value << 1 ^ (0 - (value >> 63));
}
constexpr uint64_t UnZigZag(uint64_t value) {
  return value >> 1 ^ (0 - (value & 1));
}

// True if `values` are equally far apart, so that their column is one byte. One or two always are.
bool IsLine(std::span<const uint64_t> values);

// Appends the column of `values` without the first and last. REQUIRES: at least one value.
void AppendIntegerColumn(std::span<const uint64_t> values, std::string* out);

// What the values of a column add up to, as signed integers.
struct IntegerTotals {
  int64_t min = 0;
  int64_t max = 0;
  uint64_t sum = 0;
};

// Decodes the column at the front of `*bytes` and takes it off. `values` has the size of the column
// and holds its first and last value; the others are overwritten. Returns what is wrong or nullptr.
const char* TakeIntegerColumn(std::string_view* bytes,
                              std::span<uint64_t> values,
                              IntegerTotals* totals);

// False if a stream of so many bytes cannot hold the residuals of so many values, so that a false
// count is found before memory is taken for it.
bool CanHoldColumn(size_t bytes, size_t values);

}  // namespace hourcell
