// Records of renames: rows of the system table, one for each rename, until it is undone or its time
// is over.
//
//   key              value
//   52 'R' | id: 8   01 | renamed at, ms: 8 | undo until, ms: 8 | kind: 1 | UID: 8
//                       | size of the old name: 2 | old name | new name
//
// The counter of deletes gives the ids (engine/rows/deletion_row.h). A record changes nothing that
// a query reads, so programs that do not know it may open the store. Integers are big-endian. Pure;
// thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/rows/uid.h"
#include "engine/table/table.h"

namespace hourcell {

// One record.
struct RenameRow {
  uint64_t id = 0;
  int64_t renamed_ms = 0;
  int64_t until_ms = 0;
  UidKind kind = UidKind::kMetric;
  Uid uid = kNoUid;
  std::string old_name = {};
  std::string new_name = {};
  friend bool operator==(const RenameRow&, const RenameRow&) = default;
};

// The keys of all records begin with it.
std::string RenameRowsPrefix();

std::string RenameRowKey(uint64_t id);
// REQUIRES: 0 <= renamed_ms <= until_ms; names of up to 64 KiB, not empty.
std::string RenameRowValue(const RenameRow& row);
// kDataLoss: not a record, or one that RenameRowValue does not write.
absl::StatusOr<RenameRow> ParseRenameRow(std::string_view key, std::string_view value);

// All records of the view, by id. kDataLoss: one does not decode.
absl::StatusOr<std::vector<RenameRow>> ReadRenameRows(TableView* view);

}  // namespace hourcell
