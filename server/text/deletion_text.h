// Deletes and other changes that can be undone, as the text of tools and of /api/admin/undo.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/names.h"
#include "engine/points.h"
#include "engine/retention.h"

namespace hourcell {

// The changes of a store that can be undone, and the deletes whose points are being removed.
struct UndoList {
  bool empty() const { return deletions.empty() && ttls.empty() && renames.empty(); }

  std::vector<Deletion> deletions = {};
  std::vector<ShortenedTtl> ttls = {};
  std::vector<UidRename> renames = {};
};

// {"deletions":[{"id":1,"kind":"delete","deleted":<ms>,"undoUntil":<ms>,"start":<ms>,"end":<ms>,
// "metrics":["m",...],"series":2,"canBeUndone":true},...],
// "changes":[{"id":2,"kind":"ttl","changed":<ms>,"undoUntil":<ms>,"metric":"m","before":<s>,
// "since":<s>},...,{"id":3,"kind":"rename","changed":<ms>,"undoUntil":<ms>,"type":"metrics",
// "uid":"000001","name":"new","oldName":"old"},...]}, in the order given. Times are Unix
// milliseconds. A TTL of the store lacks `metric`; `before` or `since` is absent where a
// metric uses the store's TTL.
std::string UndoListJson(const UndoList& list);

// The list of such a text; `changes` and `kind` of deletes may be absent. kInvalidArgument: another
// text.
absl::StatusOr<UndoList> ParseUndoListJson(const std::string& text);

// The id of a change: decimal digits, above 0. kInvalidArgument: anything else.
absl::StatusOr<uint64_t> ParseDeletionId(std::string_view text);

}  // namespace hourcell
