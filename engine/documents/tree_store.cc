#include "engine/documents/tree_store.h"

#include <cstddef>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

absl::StatusOr<std::string> TreeRowIdOf(uint16_t id) {
  if (id == 0) return absl::InvalidArgumentError("tree 0: expected a number from 1 to 65535");
  return fmt::format("{:04X}", id);
}

// kDataLoss: not the rest of a key of a tree.
absl::StatusOr<uint16_t> ParseTreeRowId(std::string_view row_id) {
  if (const absl::StatusOr<std::string> bytes = FromHex(row_id); bytes.ok() && bytes->size() == 2) {
    const auto id = static_cast<uint16_t>(static_cast<uint8_t>((*bytes)[0]) << 8U |
                                          static_cast<uint8_t>((*bytes)[1]));
    const absl::StatusOr<std::string> canonical = TreeRowIdOf(id);
    if (canonical.ok() && *canonical == row_id) return id;
  }
  return absl::DataLossError(fmt::format("meta {}: expected tree/ and a number in four hex digits",
                                         QuoteForMessage(fmt::format("tree/{}", row_id))));
}

}  // namespace

absl::Status TreeStore::CheckRoom() const {
  size_t trees = 0;
  HOURCELL_RETURN_IF_ERROR(rows_.Visit([&trees](std::string_view, std::string_view) {
    ++trees;
    return true;
  }));
  if (trees < kTreesMax) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      fmt::format("trees: expected at most {} in a store; delete one", kTreesMax));
}

absl::StatusOr<std::optional<std::string>> TreeStore::Find(uint16_t id) const {
  HOURCELL_ASSIGN_OR_RETURN(const std::string row_id, TreeRowIdOf(id));
  return rows_.Find(row_id);
}

absl::Status TreeStore::Change(uint16_t id, const DocumentChange& change) {
  using Text = std::optional<std::string>;
  HOURCELL_ASSIGN_OR_RETURN(const std::string row_id, TreeRowIdOf(id));
  return rows_.Change(row_id, [&](const Text& before) -> absl::StatusOr<Text> {
    HOURCELL_ASSIGN_OR_RETURN(Text after, change(before));
    if (after.has_value() && !before.has_value()) HOURCELL_RETURN_IF_ERROR(CheckRoom());
    return after;
  });
}

absl::Status TreeStore::Visit(
    const std::function<bool(uint16_t id, std::string_view text)>& visit) const {
  absl::Status parsed;
  HOURCELL_RETURN_IF_ERROR(rows_.Visit([&](std::string_view row_id, std::string_view text) {
    const absl::StatusOr<uint16_t> id = ParseTreeRowId(row_id);
    parsed = id.status();
    return id.ok() && visit(*id, text);
  }));
  return parsed;
}

}  // namespace hourcell
