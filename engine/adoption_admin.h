// AdoptionAdmin: turns rows that another program wrote into the data table into rows of this store:
// names keep the UIDs in the rows' keys, and their series enter the index. The rows themselves do
// not change. engine/opentsdb/adoption.h calls it for each row of an OpenTSDB.
//
// Thread-safe. Every call may be repeated.

#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "codec/rows/uid.h"

namespace hourcell {

class RowKeyCodec;
class SeriesTable;
class Tables;
class UidDirectory;
class UidStore;

struct RestoredName {
  std::string name;  // UTF-8
  Uid uid = kNoUid;
};

struct RowFault {
  size_t index = 0;  // among the rows
  std::string fault;
};

class AdoptionAdmin {
 public:
  // All are borrowed.
  struct Parts {
    const RowKeyCodec* row_keys = nullptr;
    Tables* tables = nullptr;
    UidStore* uid_store = nullptr;
    UidDirectory* uids = nullptr;
    SeriesTable* series = nullptr;
    // Before a change: kFailedPrecondition if the store is closed, or this process only reads it;
    // kUnavailable if another process is known to be the writer. None: no check.
    std::function<absl::Status()> before_change = {};
    // Before an answer or an acknowledgement: kUnavailable if another process may be the writer by
    // now. None: no other process can be.
    std::function<absl::Status()> check_is_writer = {};
  };

  explicit AdoptionAdmin(const Parts& parts) : parts_(parts) {}

  // Gives names their UIDs, and no UID up to `highest` to a new name. kDataLoss: a name has
  // another UID, or a UID another name; both are named, and none of the names is restored.
  absl::Status RestoreNames(UidKind kind, std::span<const RestoredName> names, Uid highest);

  // The highest UID in use.
  Uid HighestUid(UidKind kind);

  // Creates the series of rows that are, or will be, in the data table, and records the days on
  // which they have points. `faults`, ascending by index, gets each row with a key that is invalid
  // for this store or with UIDs without names. kUnavailable: retry.
  absl::Status IndexRows(std::span<const std::string> keys, std::vector<RowFault>* faults);

  // Replaces the points of a row; an empty cell removes them.
  absl::Status ReplaceRow(std::string_view key, std::string_view cell);

 private:
  absl::Status Acknowledge() const;

  const Parts parts_;
};

}  // namespace hourcell
