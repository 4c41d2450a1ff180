// The branches of a tree, computed from the paths of its series, which come in ascending order of
// their tsuids: BranchFinder, one branch; CollisionFinder, the series whose place is taken.
//
// Branches with one id are one branch, and so are leaves of a branch whose names have one hash
// (branch_id.h). The first series gives it its name. A series with another name, or another series
// with the name of a leaf, collides with it and is not in the tree.
//
// Thread-compatible. kResourceExhausted: the memory of the account.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/query/memory_account.h"
#include "engine/trees/tree_mapper.h"

namespace hourcell {

struct TreeLeaf {
  std::string name = {};
  std::string tsuid = {};  // upper-case hex
  std::string metric = {};
  std::vector<std::pair<std::string, std::string>> tags = {};
};

struct TreeBranch {
  std::vector<std::string> path = {};  // names below ROOT; empty: ROOT
  // Both by name, first without regard to the case of ASCII letters.
  std::vector<std::string> branches = {};
  std::vector<TreeLeaf> leaves = {};
};

TreeLeaf TreeLeafOf(const TreeSeries& series, std::string_view name);

class BranchFinder {
 public:
  // Of the branch with that id. `account` is borrowed; null: does not count.
  BranchFinder(std::string_view id, MemoryAccount* account);

  absl::Status Add(const TreeSeries& series, const TreePath& path);

  // nullopt: no series has such a branch, and it is not ROOT.
  std::optional<TreeBranch> Finish() &&;

 private:
  absl::Status AddLeaf(const TreeSeries& series, const std::string& name);
  absl::Status AddBranch(const std::string& name);

  const std::string hashes_;        // the id after the number of the tree
  std::vector<std::string> names_;  // of the branches from the top to this one, as far as known
  std::map<uint32_t, std::string> branches_;  // by hash
  std::map<uint32_t, TreeLeaf> leaves_;
  MemoryHold memory_;
};

class CollisionFinder {
 public:
  // `account` as above.
  explicit CollisionFinder(MemoryAccount* account) : memory_(account) {}

  // The tsuid of the series with which this one collides; empty: it has its place.
  absl::StatusOr<std::string> Add(const TreeSeries& series, const TreePath& path);

 private:
  struct Owner {
    std::string name;
    std::string tsuid;
  };
  // Takes a place for the series, or finds its owner. Null: the place is the series' own, or its
  // branch.
  absl::StatusOr<const Owner*> Take(std::string place,
                                    std::string_view name,
                                    std::string_view tsuid,
                                    bool is_leaf);

  absl::flat_hash_map<std::string, Owner> owners_;
  MemoryHold memory_;
};

}  // namespace hourcell
