// AdoptionAdmin: makes rows that another program wrote into the data table rows of this store:
// names keep the UIDs that the rows' keys have, and their series come into the index. The rows
// themselves stay as they are. engine/opentsdb/adoption.h calls it for each row of an OpenTSDB.
//
// Thread-safe. What was done already may be done again.

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
    // Before an answer or an acknowledgement: kUnavailable if another process may be the writer by
    // now. None: no other process can be.
    std::function<absl::Status()> check_is_writer = {};
  };

  explicit AdoptionAdmin(const Parts& parts) : parts_(parts) {}

  // Gives names their UIDs, and no UID up to `highest` to a new name. kDataLoss: a name has
  // another UID, or a UID another name; both are named, and none of the names is restored.
  absl::Status RestoreNames(UidKind kind, std::span<const RestoredName> names, Uid highest);

  // The highest UID that was given out.
  Uid HighestUid(UidKind kind);

  // Makes the series of rows that are, or will be, in the data table, and notes the days on which
  // they have points. A row whose key cannot be one of this store, or whose UIDs have no names, is
  // told in `faults`, ascending by index. kUnavailable: try again.
  absl::Status IndexRows(std::span<const std::string> keys, std::vector<RowFault>* faults);

  // Replaces the points of a row; an empty cell: it has none.
  absl::Status ReplaceRow(std::string_view key, std::string_view cell);

 private:
  absl::Status Acknowledge() const;

  const Parts parts_;
};

}  // namespace hourcell
