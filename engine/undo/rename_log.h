// RenameLog: a record of each rename of a UID, so that it can be undone (engine/undo/rename_row.h).
//
//   Rename      record, synced -> the rename; if it fails, the record away
//   Undo        the rename back -> the record away
//   Forget,     the record away
//   RemoveDue
//
// A kill between the two steps leaves a record whose undo is refused: the UID has the other name.
//
// Thread-safe. Errors are storage's; kDataLoss: a record does not decode.

#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "codec/rows/uid.h"
#include "engine/table/tables.h"
#include "engine/undo/rename_row.h"
#include "uid/uid_directory.h"

namespace hourcell {

class RenameLog {
 public:
  // Borrowed; they outlive the log.
  struct Parts {
    Tables* tables = nullptr;
    UidDirectory* uids = nullptr;
    WallClock* clock = nullptr;
    // Calls its argument while no other record takes an id (Sealer::WithSealingPaused).
    std::function<absl::Status(const std::function<absl::Status()>&)> alone = {};
    bool has_records = false;  // the storage has atomic groups
    int64_t undo_ms = 0;       // how long a new rename can be undone; 0: no records
  };
  explicit RenameLog(Parts parts) : parts_(std::move(parts)) {}

  // Gives the UID with a name another one, and all that has its name in it.
  using RenameCall = std::function<absl::Status(std::string_view name, std::string_view new_name)>;

  absl::Status Rename(UidKind kind,
                      std::string_view name,
                      std::string_view new_name,
                      const RenameCall& rename);

  // By id.
  absl::StatusOr<std::vector<RenameRow>> List() const;

  // kNotFound: no such record; kFailedPrecondition: the UID does not have the new name any more, or
  // another one has the old name; the errors of `rename`.
  absl::Status Undo(uint64_t id, const std::function<RenameCall(UidKind kind)>& rename);

  // kNotFound: no such record.
  absl::Status Forget(uint64_t id);

  // Removes the records whose time is over.
  absl::Status RemoveDue();

 private:
  absl::StatusOr<RenameRow> Find(uint64_t id) const;
  absl::Status Record(RenameRow* row);
  absl::Status Remove(uint64_t id);
  absl::Status CheckMayUndo(const RenameRow& row) const;

  const Parts parts_;
  Mutex work_;  // one rename at a time
};

}  // namespace hourcell
