// TreeStore: the definitions of OpenTSDB's trees, in the system table:
//
//   key        value
//   tree/<id>  the text of the tree with that number, four upper-case hex digits; UTF-8 that the
//              engine does not read (server/trees/tree_json.h)
//
// Branches and leaves are not stored: docs/decisions/0042-trees-are-computed.md.
//
// Thread-safe. kInvalidArgument: number 0. Other errors are the storage's.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/documents/text_rows.h"
#include "engine/names.h"
#include "engine/table/tables.h"

namespace hourcell {

class TreeStore {
 public:
  // `tables` is borrowed. With `sync` every write is synced before it returns.
  TreeStore(Tables* tables, bool sync) : rows_("tree/", "tree", tables, sync) {}

  // Names::FindTree, ChangeTree and VisitTrees.
  absl::StatusOr<std::optional<std::string>> Find(uint16_t id) const;
  absl::Status Change(uint16_t id, const DocumentChange& change);
  absl::Status Visit(const std::function<bool(uint16_t id, std::string_view text)>& visit) const;

 private:
  // kResourceExhausted: the store has kTreesMax trees.
  absl::Status CheckRoom() const;

  TextRows rows_;
};

}  // namespace hourcell
