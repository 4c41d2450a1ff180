// HBase cells: the cells of an HBase row as OpenTSDB writes them, and their row compaction into one
// cell. Used to read and check OpenTSDB's bytes; Hourcell's own rows are in cell.h.
//
// An HBase cell is classified by the length of its qualifier before its first byte is looked at:
//   odd                       an object, by the first byte: 01 annotation, 05 append cell (3 bytes
//                             in all), 06 histogram, other: unknown
//   2                         one point, seconds
//   4 and high nibble f       one point, milliseconds
//   other even                a compacted cell
// (OpenTSDB looks at 05 first in places and fails on points 80 to 95 s into the hour.)
//
// Deviations from OpenTSDB: the newest of different values for one offset always wins
// (fix_duplicates=true); there are no lists of puts and deletes, because a merge replaces them.
//
// Pure; bounded on any bytes; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/cells/cell.h"
#include "codec/qualifier.h"

namespace hourcell {

enum class HBaseCellKind : uint8_t {
  kPoint,
  kCompacted,
  kAppend,
  kAnnotation,
  kHistogram,
  kUnknown,  // OpenTSDB warns and ignores it
};

HBaseCellKind ClassifyHBaseCell(std::string_view qualifier);

// One cell as read from a row. Views borrow.
struct HBaseCell {
  std::string_view qualifier;
  std::string_view value;
  int64_t write_time_ms = 0;  // the newer wins among duplicates
};

// The points of one cell with 2.6's repairs (single points with 2-byte qualifiers only), appended
// in stored order; objects add no points. kDataLoss: sizes that do not add up, unreadable flags,
// corrupt float, append cell cut short.
absl::Status DecodeHBaseCell(const HBaseCell& cell, CellColumns* out);

// The result of a row compaction.
struct CompactedRow {
  std::string qualifier;   // empty if the row holds no point
  std::string value;       // meta byte included when there is more than one point
  bool rewritten = false;  // false: the row already was this one cell
  size_t annotations = 0;
  size_t duplicates_identical = 0;
  size_t duplicates_variant = 0;
};

// OpenTSDB's CompactionQueue merge with fix_duplicates=true: ascending by offset; among equal
// offsets the larger write time first, then the earlier cell. kDataLoss as DecodeHBaseCell.
absl::StatusOr<CompactedRow> CompactRow(std::span<const HBaseCell> cells);

// Append cells: qualifier 050000, value q1 v1 q2 v2 ... in arrival order, no meta byte.
inline constexpr std::string_view kAppendQualifier("\x05\x00\x00", 3);
void AppendToAppendCell(const Qualifier& qualifier, std::string_view value, std::string* cell);

struct AppendCellPoints {
  CellColumns points;         // ascending; the last occurrence of an offset won
  bool needs_repair = false;  // there was disorder or a duplicate
};
// kDataLoss: cut short, a partial point at the end. kInvalidArgument: not an append qualifier.
absl::StatusOr<AppendCellPoints> ParseAppendCell(std::string_view qualifier,
                                                 std::string_view value);
// The bytes a repair stores: q v q v ... of `points`.
std::string EncodeAppendCell(const CellColumns& points);

}  // namespace hourcell
