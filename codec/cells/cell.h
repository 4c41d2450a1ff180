// Cells: the one stored value of a row, and its merge.
//
//   format 1, "opentsdb"   01 | q1 q2 ... qn | v1 v2 ... vn | meta if n > 1
//   format 2, "packed"     02 | the same points as columns, read only: packed_header_2.h
//   format 3, "packed"     03 | the same points as columns: packed_cell.h
//   format 4, a page       04 | hours - 1: 1 | columns as in format 3, of that many hours;
//                             | a part of a day cell, never a row's value
//   format 5, a day        05 | directory | pages, the points of a day's row: day_cell.h
//   damaged                ff | varint length of a good cell or 0 | that cell
//                             | { varint length | bytes }...
//
// Format 1 has the exact bytes of OpenTSDB's row compaction: qualifiers ascending by offset, 2- and
// 4-byte ones mixed, meta = 01 if both precisions occur, else 00. The end of the qualifiers is not
// stored: a walk adds up qualifier and value sizes and ends where they (and the meta byte) fill the
// cell exactly; that sum grows with every point, so at most one end fits.
//
// A damaged record keeps bytes that do not decode, verbatim, with those that do: the merge operator
// must never fail, and damage must never read as fewer points.
//
// Pure; bounded on any bytes; thread-safe.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/point.h"
#include "codec/qualifier.h"

namespace hourcell {

// The first byte of a stored cell. ON DISK: do not renumber.
enum class CellFormat : uint8_t {
  kOpenTsdb = 1,
  kPackedFirst = 2,  // read, no longer written
  kPacked = 3,
  kPage = 4,
  kDay = 5,
  kDamaged = 0xFF
};
inline constexpr char kPackedByte = static_cast<char>(CellFormat::kPacked);
inline constexpr char kPageByte = static_cast<char>(CellFormat::kPage);
inline constexpr char kDayByte = static_cast<char>(CellFormat::kDay);

// True for cells of columns: formats 2, 3 and 4.
inline bool IsPacked(std::string_view cell) {
  return !cell.empty() && cell.front() >= static_cast<char>(CellFormat::kPackedFirst) &&
         cell.front() <= kPageByte;
}

// True for format 5.
inline bool IsDayCell(std::string_view cell) {
  return !cell.empty() && cell.front() == kDayByte;
}

// The points of one cell as columns, in stored order. All three have the same size.
struct CellColumns {
  std::vector<uint32_t> offset_ms;  // from the row's base time; of a page, from its first hour
  std::vector<uint64_t> bits;       // int64 two's complement, or the bits of a binary64
  std::vector<uint8_t> flags;       // flags of the qualifier | kMsPrecision

  // Set in `flags` for a point with a 4-byte qualifier.
  static constexpr uint8_t kMsPrecision = 0x10;

  size_t size() const { return offset_ms.size(); }
  void clear();
  // A binary32 is widened in `bits`; its flags still say 4 bytes.
  void push_back(const Qualifier& qualifier, Value value);
  Value value(size_t i) const {
    return (flags[i] & kFloatFlag) != 0 ? Value::Float(std::bit_cast<double>(bits[i]))
                                        : Value::Integer(static_cast<int64_t>(bits[i]));
  }
  Qualifier qualifier(size_t i) const {
    return {.offset_ms = offset_ms[i],
            .is_ms = (flags[i] & kMsPrecision) != 0,
            .flags = static_cast<uint8_t>(flags[i] & kFlagsMask)};
  }

  friend bool operator==(const CellColumns&, const CellColumns&) = default;
};

// Appends to `*out` one format-1 cell of `columns`. AppendPackedCell (packed_cell.h) is the other.
// REQUIRES: offsets ascend strictly and are below an hour; at least one point.
void AppendCell(const CellColumns& columns, std::string* out);

// A format-1 cell of one point: 01 | q | v. A put of one point merges it into its row.
void AppendPointCell(uint32_t offset_ms, bool is_ms, Value value, std::string* out);

// Decodes any cell, appending to `*out`. Does not allocate if `*out` has the room. The offsets of a
// day cell are from the start of the day, those of a page from its first hour. kDataLoss: empty,
// unknown format, sizes that do not add up, unreadable flags, offsets not ascending, a damaged
// record (its good cell is appended to `*out` before the error is returned).
absl::Status DecodeCell(std::string_view cell, CellColumns* out);

// The qualifiers and values of an hour's cell as OpenTSDB stores them, meta byte included, whatever
// its format. kDataLoss as DecodeCell. kInvalidArgument: a day cell or a page, whose offsets may
// not fit qualifiers; DecodeHourOfDay (day_cell.h) gives its hours.
struct OpenTsdbCell {
  std::string qualifiers;
  std::string values;
};
absl::StatusOr<OpenTsdbCell> ToOpenTsdb(std::string_view cell);

// HasSpecialValue: true if the value of a point is special (Value::is_special).
// RemoveSpecialValues removes these points.
bool HasSpecialValue(const CellColumns& columns);
void RemoveSpecialValues(CellColumns* columns);

// Sorts by offset; of equal offsets the later in `*columns` stays (seconds and milliseconds alike).
void SortLastWins(CellColumns* columns);

// The row merge: sets `*out` to one cell of `existing` (empty = none) and then `operands`, oldest
// first. The result is packed if any input is; a single input that decodes is copied. Never fails:
// a damaged record keeps the inputs that do not decode. Without input the result is empty.
//
// If an input is a day cell, so is the result. Its bytes are those of AppendDayCell for the points
// of all day cells if the inputs are such cells. Cells of hours are then kept as inputs that do not
// decode, because only day cells belong in the row of a day. So are pages, which are stored in day
// cells only.
void MergeCells(std::string_view existing,
                std::span<const std::string_view> operands,
                std::string* out);

}  // namespace hourcell
