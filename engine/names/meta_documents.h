// MetaDocuments: the texts that users attach to UIDs and series, in the system table:
//
//   key                      value
//   document/<kind>/<UID>    text of a UID of the kind metrics, tagk or tagv, in hex
//   document/ts/<tsuid>      text of a series, in hex
//
// The value is UTF-8 that the engine does not read (engine/documents/text_rows.h). The UID or the
// series need not exist. Thread-safe. kInvalidArgument: an id of another width, not a tsuid. Other
// errors are the storage's.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "engine/documents/text_rows.h"
#include "engine/names.h"
#include "engine/table/tables.h"

namespace hourcell {

class MetaDocuments {
 public:
  // `tables` is borrowed. With `sync` every write is synced before it returns.
  MetaDocuments(const Layout& layout, Tables* tables, bool sync)
      : layout_(layout), rows_("document/", "document", tables, sync) {}

  // Names::FindDocument, ChangeDocument and VisitDocuments.
  absl::StatusOr<std::optional<std::string>> Find(const DocumentKey& key) const;
  absl::Status Change(const DocumentKey& key, const DocumentChange& change);
  absl::Status Visit(
      const std::function<bool(const DocumentKey& key, std::string_view text)>& visit) const;

 private:
  absl::StatusOr<std::string> RowIdOf(const DocumentKey& key) const;
  // kDataLoss: not the rest of a key of a document.
  absl::StatusOr<DocumentKey> ParseRowId(std::string_view row_id) const;

  const Layout layout_;
  TextRows rows_;
};

}  // namespace hourcell
