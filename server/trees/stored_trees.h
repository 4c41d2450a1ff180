// The trees of a store: their texts (Names::FindTree) as values.
//
// Thread-safe. kDataLoss: a text is not that of a tree. Other errors are those of Names.

#pragma once

#include <cstdint>
#include <functional>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/trees/tree.h"
#include "engine/tsdb.h"

namespace hourcell {

// Visits all trees, ascending by number. A text that is not that of a tree has kDataLoss in place
// of its tree, and ends nothing.
absl::Status VisitStoredTrees(
    Tsdb* tsdb, const std::function<void(uint16_t id, const absl::StatusOr<Tree>& tree)>& visit);

// kNotFound: "Unable to locate tree: 3".
absl::StatusOr<Tree> FindTree(Tsdb* tsdb, uint16_t id);

// Changes a tree in place, and returns it. Also the errors of `edit`.
absl::StatusOr<Tree> EditStoredTree(Tsdb* tsdb,
                                    uint16_t id,
                                    const std::function<absl::Status(Tree* tree)>& edit);

// Stores a new tree with the number after the highest one, and returns it. kResourceExhausted: the
// store has kTreesMax trees, or one with the last number.
absl::StatusOr<Tree> CreateTree(Tsdb* tsdb, Tree tree);

// kNotFound as above.
absl::Status RemoveTree(Tsdb* tsdb, uint16_t id);

}  // namespace hourcell
