// Deletes that can be undone, as the text of tools and of /api/admin/undo.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/points.h"

namespace hourcell {

// {"deletions":[{"id":1,"deleted":<ms>,"undoUntil":<ms>,"start":<ms>,"end":<ms>,
// "metrics":["m",...],"series":2,"canBeUndone":true},...]}, in the order given. Times are Unix
// milliseconds.
std::string DeletionsJson(std::span<const Deletion> deletions);

// The deletes of such a text. kInvalidArgument: another text.
absl::StatusOr<std::vector<Deletion>> ParseDeletionsJson(const std::string& text);

// The id of a delete: decimal digits, above 0. kInvalidArgument: anything else.
absl::StatusOr<uint64_t> ParseDeletionId(std::string_view text);

}  // namespace hourcell
