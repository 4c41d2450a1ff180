// StoredRow: how a row of a table of ours is kept in one family of a Bigtable row, and what it was
// at a version.
//
// Each write has a version, and its cell has the timestamp version * 1000 (microseconds; the
// service wants whole milliseconds). So a write that is repeated is the same write.
//
//   qualifier                                      value
//   's'                                            1 byte kind, then the value: a set ('=') or a
//                                                  delete ('-', nothing follows); one cell a write
//   'm' writer[8] cut[8] first[8] last[8]          a merge operand; first = last = its version
//   'j' writer[8] cut[8] first[8] last[8]          the operands from first to last of that writer
//                                                  and cut, merged into one; first < last
//
// Numbers are big-endian. A row at a version is its newest set or delete up to it, and on top of
// that the operands above the set and up to the version, by their last version. An operand that is
// inside another of the same writer and cut says nothing: a late or repeated write of what was
// merged changes no answer.
//
// A data table that is shared with OpenTSDB has its columns in the family "t" of the same rows.
// They are below all versions: a point of ours wins over one of theirs, and a set or a delete hides
// them.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/bigtable/api/row_assembler.h"
#include "engine/bigtable/rows/version_view.h"
#include "engine/table/table.h"

namespace hourcell {

// The family of all cells of a store, in each of its tables.
inline constexpr std::string_view kBigtableFamily = "h";
inline constexpr std::string_view kBaseQualifier = "s";

// The timestamp of what was written at a version. REQUIRES: at most kVersionMax.
inline constexpr uint64_t kVersionMax = uint64_t{INT64_MAX} / 1000 - 1;
int64_t MicrosOf(uint64_t version);

std::string EncodeSet(std::string_view value);
std::string EncodeDelete();

// The name of an operand. A value.
struct OperandName {
  uint64_t writer = 0;
  uint64_t cut = 0;  // no operand goes over a cut; 0: there was none
  uint64_t first = 0;
  uint64_t last = 0;

  bool is_joined() const { return first != last; }
  // True if `other` is of the same writer and cut, and has no version that this one lacks.
  bool Covers(const OperandName& other) const;
  friend bool operator==(const OperandName&, const OperandName&) = default;
};

std::string EncodeOperandName(const OperandName& name);
// kDataLoss: not the name of an operand.
absl::StatusOr<OperandName> DecodeOperandName(std::string_view qualifier);

struct StoredOperand {
  OperandName name;
  std::string value;
};

// A set or a delete.
struct StoredBase {
  uint64_t version = 0;
  std::optional<std::string> value = {};  // none: a delete
};

// A row taken apart; what no reader needs is there, too.
struct StoredRow {
  std::string key;
  std::string opentsdb = {};            // what OpenTSDB's columns hold, as a cell; empty: no points
  std::vector<StoredBase> bases;        // by version, the newest first
  std::vector<StoredOperand> operands;  // by last version, the oldest first; one that covers
                                        // another of the same last version after it
};

// Of OpenTSDB's columns those that are damaged are in the cell as they are, so that it does not
// decode. kDataLoss: a cell of ours that is none of the above.
absl::StatusOr<StoredRow> DecodeStoredRow(BigtableRow row);

// The newest set or delete that the view sees; null: none.
const StoredBase* BaseOf(const StoredRow& row, const VersionView& view);

// The operands that count: seen by the view, above the base, and not inside another.
std::vector<const StoredOperand*> OperandsAbove(const StoredRow& row,
                                                const VersionView& view,
                                                const StoredBase* base);

// What the view sees of a row of `table`; none: no row.
std::optional<std::string> ValueOf(TableId table, const StoredRow& row, const VersionView& view);

// One value of operands of a table, the oldest first: the same as RocksDB's merge operators give.
// REQUIRES: not empty; the table has a merge (MergesIn).
std::string MergedOperands(TableId table, std::span<const std::string_view> operands);
// True if rows of the table are merged.
bool MergesIn(TableId table);

}  // namespace hourcell
