#include "server/trees/stored_trees.h"

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "server/trees/tree_json.h"

namespace hourcell {
namespace {

using TreeText = std::optional<std::string>;

absl::Status NoSuchTree(uint16_t id) {
  return absl::NotFoundError(fmt::format("Unable to locate tree: {}", id));
}

absl::StatusOr<uint16_t> NextTreeId(Tsdb* tsdb) {
  uint16_t highest = 0;
  HOURCELL_RETURN_IF_ERROR(tsdb->names().VisitTrees([&](uint16_t id, std::string_view) {
    highest = id;  // ascending
    return true;
  }));
  if (highest == std::numeric_limits<uint16_t>::max()) {
    return absl::ResourceExhaustedError("Exhausted all Tree IDs");
  }
  return static_cast<uint16_t>(highest + 1);
}

}  // namespace

absl::Status VisitStoredTrees(
    Tsdb* tsdb, const std::function<void(uint16_t id, const absl::StatusOr<Tree>& tree)>& visit) {
  return tsdb->names().VisitTrees([&visit](uint16_t id, std::string_view text) {
    visit(id, ParseTree(id, text));
    return true;
  });
}

absl::StatusOr<Tree> FindTree(Tsdb* tsdb, uint16_t id) {
  if (id == 0) return NoSuchTree(id);
  HOURCELL_ASSIGN_OR_RETURN(const TreeText text, tsdb->names().FindTree(id));
  if (!text.has_value()) return NoSuchTree(id);
  return ParseTree(id, *text);
}

absl::StatusOr<Tree> EditStoredTree(Tsdb* tsdb,
                                    uint16_t id,
                                    const std::function<absl::Status(Tree* tree)>& edit) {
  if (id == 0) return NoSuchTree(id);
  Tree tree;
  const auto change = [&](const TreeText& before) -> absl::StatusOr<TreeText> {
    if (!before.has_value()) return NoSuchTree(id);
    HOURCELL_ASSIGN_OR_RETURN(tree, ParseTree(id, *before));
    HOURCELL_RETURN_IF_ERROR(edit(&tree));
    return TreeText(PrintTree(tree));
  };
  HOURCELL_RETURN_IF_ERROR(tsdb->names().ChangeTree(id, change));
  return tree;
}

absl::StatusOr<Tree> CreateTree(Tsdb* tsdb, Tree tree) {
  while (true) {
    HOURCELL_ASSIGN_OR_RETURN(tree.id, NextTreeId(tsdb));
    bool is_taken = false;  // by another request, meanwhile
    HOURCELL_RETURN_IF_ERROR(
        tsdb->names().ChangeTree(tree.id, [&](const TreeText& before) -> absl::StatusOr<TreeText> {
          is_taken = before.has_value();
          return is_taken ? before : TreeText(PrintTree(tree));
        }));
    if (!is_taken) return tree;
  }
}

absl::Status RemoveTree(Tsdb* tsdb, uint16_t id) {
  if (id == 0) return NoSuchTree(id);
  return tsdb->names().ChangeTree(id, [id](const TreeText& before) -> absl::StatusOr<TreeText> {
    if (!before.has_value()) return NoSuchTree(id);
    return TreeText();
  });
}

}  // namespace hourcell
