// StoredRow: the encoding of a store's row in one family of a Bigtable row, and the row's value at
// a version.
//
// Each write has a version; its cell has the timestamp version * 1000 (microseconds, because the
// service requires whole milliseconds). A repeated write is therefore idempotent.
//
//   qualifier                                      value
//   's'                                            1 byte kind, then the value: a set ('=') or a
//                                                  delete ('-', nothing follows); one cell a write
//   'm' writer[8] cut[8] first[8] last[8]          a merge operand; first = last = its version
//   'j' writer[8] cut[8] first[8] last[8]          the operands from first to last of that writer
//                                                  and cut, merged into one; first < last
//
// Numbers are big-endian. The value of a row at a version is its newest set or delete up to that
// version, plus the operands between the two, ordered by last version. An operand inside another
// one of the same writer and cut is ignored, so late or repeated writes of merged operands change
// no answer.
//
// A data table shared with OpenTSDB has OpenTSDB's columns in the family "t" of the same rows. They
// are below all versions: the store's points override OpenTSDB's, and a set or a delete hides them.

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

// Converts a version to its timestamp. REQUIRES: at most kVersionMax.
inline constexpr uint64_t kVersionMax = uint64_t{INT64_MAX} / 1000 - 1;
int64_t MicrosOf(uint64_t version);

std::string EncodeSet(std::string_view value);
std::string EncodeDelete();

// The name of an operand. A value type.
struct OperandName {
  uint64_t writer = 0;
  uint64_t cut = 0;  // operands never span a cut; 0: none
  uint64_t first = 0;
  uint64_t last = 0;

  bool is_joined() const { return first != last; }
  // True if `other` has the same writer and cut, and all its versions are in this one.
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

// A decoded row, including cells that readers ignore.
struct StoredRow {
  std::string key;
  std::string opentsdb = {};            // OpenTSDB's columns as one cell; empty: no points
  std::vector<StoredBase> bases;        // by version, newest first
  std::vector<StoredOperand> operands;  // by last version, oldest first; at equal last versions the
                                        // one that covers others comes last
};

// Damaged OpenTSDB columns are passed on unchanged, so that decoding the cell fails. kDataLoss: a
// cell in the store's family has none of the forms above.
absl::StatusOr<StoredRow> DecodeStoredRow(BigtableRow row);

// The newest set or delete that the view sees; null if there is none.
const StoredBase* BaseOf(const StoredRow& row, const VersionView& view);

// The operands that count: visible, above the base, and not inside another operand.
std::vector<const StoredOperand*> OperandsAbove(const StoredRow& row,
                                                const VersionView& view,
                                                const StoredBase* base);

// The row of `table` as the view sees it; nullopt: no row.
std::optional<std::string> ValueOf(TableId table, const StoredRow& row, const VersionView& view);

}  // namespace hourcell
