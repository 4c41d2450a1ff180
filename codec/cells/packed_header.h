// The header of a packed cell: the bytes before its columns. packed_cell.h describes them. Pure;
// bounded on any bytes; allocates only for appended bytes; thread-safe.

#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "codec/cells/packed_cell.h"

namespace hourcell {

// ON DISK: do not renumber.
enum class FlagsKind : uint8_t { kIntegers = 0, kFloats = 1, kMixed = 2, kFlagged = 3 };
enum class NumberForm : uint8_t { kIntegers = 0, kDecimals = 1, kBits = 2 };

// Bits of PackedHeader::types.
inline constexpr uint8_t kFirstIsFloat = 0x01;
inline constexpr uint8_t kLastIsFloat = 0x02;
inline constexpr uint8_t kMinIsFloat = 0x04;
inline constexpr uint8_t kMaxIsFloat = 0x08;
inline constexpr uint8_t kTypesMask = 0x0F;
inline constexpr size_t kExponentMax = 18;
inline constexpr std::array<double, kExponentMax + 1> kPowersOfTen = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
inline constexpr std::array<int64_t, kExponentMax + 1> kIntegerPowersOfTen = [] {
  std::array<int64_t, kExponentMax + 1> powers{1};
  for (size_t i = 1; i < powers.size(); ++i)
    powers[i] = powers[i - 1] * 10;
  return powers;
}();
inline constexpr int64_t kDecimalEnd = int64_t{1} << 53;  // every smaller integer is a double

// The nearest double to a decimal.
inline double DecimalValue(uint64_t number, size_t exponent) {
  return static_cast<double>(static_cast<int64_t>(number)) / kPowersOfTen[exponent];
}

// A packed cell up to its columns. Numbers are as in the value column.
struct PackedHeader {
  FlagsKind flags_kind = FlagsKind::kIntegers;
  NumberForm form = NumberForm::kIntegers;
  bool is_ms = false;         // the qualifiers
  bool has_ms_times = false;  // the times
  bool has_summary = false;
  bool has_time_column = false;
  uint32_t count = 0;
  uint32_t first_time = 0;
  uint32_t last_time = 0;
  uint8_t exponent = 0;
  uint8_t types = 0;
  uint8_t first_flags = 0;
  uint8_t last_flags = 0;
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t min = 0;
  uint64_t max = 0;
  uint64_t sum = 0;           // of the numbers; not of bits
  double sum_of_doubles = 0;  // not of integers

  uint32_t unit_ms() const { return has_ms_times ? 1 : 1000; }
  bool has_kind_column() const {
    return flags_kind == FlagsKind::kMixed || flags_kind == FlagsKind::kFlagged;
  }
};

// Appends the header of a packed cell. Its columns follow.
void AppendPackedHeader(const PackedHeader& header, std::string* out);

// Reads the header of `cell` and sets `*columns` to the rest. Returns the fault or nullptr.
const char* TakePackedHeader(std::string_view cell, PackedHeader* out, std::string_view* columns);

// REQUIRES: header.has_summary.
CellSummary SummaryOf(const PackedHeader& header);

}  // namespace hourcell
