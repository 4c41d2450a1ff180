// Columns of 64-bit integers: the times, numbers and kinds of a packed cell. The bytes are
// described in packed_cell.h. Arithmetic is modulo 2^64. Pure; bounded on any bytes; thread-safe.

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

// The form of a column. Its container knows it: format 2 of cells has the first.
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
