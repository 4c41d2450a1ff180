// The header of a packed cell: the bytes before its columns. packed_cell.h describes that of format
// 3, packed_header_2.h that of format 2. Pure; bounded on any bytes; allocates only for appended
// bytes; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "codec/cells/decimal_scale.h"
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

// A packed cell up to its columns. Numbers are as in the value column.
struct PackedHeader {
  CellFormat format = CellFormat::kPacked;
  FlagsKind flags_kind = FlagsKind::kIntegers;
  NumberForm form = NumberForm::kIntegers;
  bool is_ms = false;         // the qualifiers
  bool has_ms_times = false;  // the times
  bool has_summary = false;   // min, max, sum and sum_of_doubles are set
  bool has_time_column = false;
  bool is_constant = false;  // all numbers are `first`, and the value column is left out
  uint32_t count = 0;
  uint32_t first_time = 0;
  uint32_t last_time = 0;
  DecimalScale scale;
  uint8_t types = 0;
  uint8_t first_flags = 0;
  uint8_t last_flags = 0;
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t min = 0;
  uint64_t max = 0;
  uint64_t sum = 0;           // of the numbers; not of bits
  double sum_of_doubles = 0;  // not of integers

  // Doubles that their numbers do not give: a part of the cell, for ExceptionReader.
  uint32_t exception_count = 0;
  std::string_view exceptions;
  // The bits of the first, last, smallest and largest double, less those that the numbers give.
  uint64_t first_correction = 0;
  uint64_t last_correction = 0;
  uint64_t min_correction = 0;
  uint64_t max_correction = 0;

  uint32_t unit_ms() const { return has_ms_times ? 1 : 1000; }
  bool has_kind_column() const {
    return flags_kind == FlagsKind::kMixed || flags_kind == FlagsKind::kFlagged;
  }
};

// Adds an exception: its distance from the position after the one before, and the bits of the value
// less those that its number gives.
void AppendException(uint32_t gap, uint64_t correction, std::string* out);

// Reads PackedHeader::exceptions in turn.
class ExceptionReader {
 public:
  explicit ExceptionReader(const PackedHeader& header)
      : rest_(header.exceptions), left_(header.exception_count) {}

  // False after the last one. REQUIRES: exceptions that TakePackedHeader read.
  bool Next(uint32_t* position, uint64_t* correction);

 private:
  std::string_view rest_;
  uint32_t left_;
  uint32_t end_ = 0;  // the position after the last one
};

// Appends the header of a packed cell of format 3 or, if header.format is kPage, of a page. Its
// columns follow. `span_ms` is the time that the row or the page covers; times are below it. That
// of a page is whole hours.
void AppendPackedHeader(const PackedHeader& header, uint32_t span_ms, std::string* out);

// Reads the header of `cell`, of format 2 or 3 with `span_ms`, or of a page, which states its span,
// and sets `*columns` to the rest. Returns the fault or nullptr.
const char* TakePackedHeader(std::string_view cell,
                             uint32_t span_ms,
                             PackedHeader* out,
                             std::string_view* columns);

// REQUIRES: header.has_summary.
CellSummary SummaryOf(const PackedHeader& header);

}  // namespace hourcell
