// The JSON of a tree, which is also its text in the store:
//
//   {"treeId":1,"name":"Hosts","description":"","notes":"","strictMatch":false,
//    "created":1356998400,"enabled":true,"storeFailures":false,
//    "rules":{"0":{"0":{"type":"TAGK","field":"host",...}}}}
//
// "rules" has levels, and a level has orders; null: without rules.
//
// Pure; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/base/json_writer.h"
#include "engine/trees/branch_finder.h"
#include "engine/trees/tree.h"

namespace hourcell {

void AppendTree(const Tree& tree, JsonWriter* json);
void AppendTreeRule(uint16_t tree, const TreeRuleAt& at, const TreeRule& rule, JsonWriter* json);

// The text in the store, and back. kDataLoss: not such a text.
std::string PrintTree(const Tree& tree);
absl::StatusOr<Tree> ParseTree(uint16_t id, std::string_view text);

// {"leaves":[...],"branches":[...],"path":{"0":"ROOT","1":"web"},"treeId":1,"displayName":"web",
// "branchId":"00010001CB54","depth":1}. Branches in it have neither leaves nor branches; without
// any, both are null.
void AppendBranch(uint16_t tree, const TreeBranch& branch, JsonWriter* json);

// ROOT with the branches of one series, one in the other, and its leaf in the last.
void AppendPath(uint16_t tree, const TreePath& path, const TreeLeaf& leaf, JsonWriter* json);

}  // namespace hourcell
