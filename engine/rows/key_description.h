// A key of a table in words, as far as its fields are complete: for the boundaries of regions.
//
//   \x03\x00\x00\x01P\xE2'\x00\x00\x00\x01  ->  salt 3, cpu.user, 2013-01-01 00:00:00, host=
//
// Keys of regions may end anywhere, also inside a UID, and users may have chosen them. Faults are
// not errors: a UID without a name and bytes outside the fields are shown in hex.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "codec/rows/uid.h"
#include "engine/region_load.h"
#include "engine/table/table.h"

namespace hourcell {

class RowKeyCodec;
class UidDirectory;

// "2013-01-01 00:00:00", UTC.
std::string UtcText(uint32_t time_s);

// Thread-safe.
class KeyDescriber {
 public:
  // Both are borrowed.
  KeyDescriber(const RowKeyCodec* row_keys, UidDirectory* uids)
      : row_keys_(*row_keys), uids_(*uids) {}

  // Keys of tables other than data and annotation are all rest. A name that cannot be read counts
  // as missing.
  ExplainedKey Explain(TableId table, std::string_view key) const;

 private:
  ExplainedKey ExplainRow(std::string_view key) const;
  void ExplainTags(std::string_view* rest, ExplainedKey* explained) const;
  std::string NameOf(UidKind kind, std::string_view uid_bytes) const;

  const RowKeyCodec& row_keys_;
  UidDirectory& uids_;
};

}  // namespace hourcell
