// HBase rows: the content of all columns of one row of OpenTSDB's data table.
//
//   qualifier                     column
//   2 bytes                       one point, seconds; a float flagged as 4 bytes in 8 is repaired
//   4 bytes, high nibble f        one point, milliseconds
//   other even                    a compacted column
//   3 bytes, the first byte 05    an appended column
//   odd, the first byte 01        an annotation
//   other odd                     a histogram, or nothing that OpenTSDB knows
//
// A row may have any number of each: points written after a row compaction have their own columns
// next to the compacted one. Of points with equal offsets, the one whose column has the larger
// write time wins; if the write times are equal, the one in the earlier column (hbase_cells.h).
//
// Pure; bounded on any bytes; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codec/cells/hbase_cells.h"

namespace hourcell {

// A column whose points do not decode.
struct DamagedColumn {
  size_t index = 0;  // among the row's
  std::string fault;
};

struct HBaseRowContent {
  // All points as one cell of format 1 (cell.h); empty if the row has no point.
  std::string cell;
  size_t duplicates = 0;  // points that lost to another one at their offset
  // Indexes of columns.
  std::vector<size_t> annotations;
  std::vector<size_t> skipped;  // histograms and unknown columns
  std::vector<DamagedColumn> damaged;
};

// Never fails: skips each damaged column completely, and lists it in `damaged`.
HBaseRowContent ReadHBaseRow(std::span<const HBaseCell> columns);

}  // namespace hourcell
