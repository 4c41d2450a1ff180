#include "engine/trees/branch_finder.h"

#include <algorithm>
#include <cstddef>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/trees/branch_id.h"

namespace hourcell {
namespace {

// Of an entry of a map and of a string.
constexpr size_t kPlaceBytes = 96;
constexpr size_t kTextBytes = 40;

bool IsNameBefore(const std::string& a, const std::string& b) {
  const std::string lower_a = LowerCase(a);
  const std::string lower_b = LowerCase(b);
  return lower_a != lower_b ? lower_a < lower_b : a < b;
}

size_t BytesOfLeaf(const TreeSeries& series, std::string_view name) {
  size_t bytes =
      kPlaceBytes + 4 * kTextBytes + name.size() + series.tsuid.size() + series.metric.size();
  for (const TreeTag& tag : series.tags)
    bytes += 2 * kTextBytes + tag.key.size() + tag.value.size();
  return bytes;
}

std::string HashBytesOf(std::string_view name) {
  std::string bytes;
  AppendNameHash(name, &bytes);
  return bytes;
}

}  // namespace

TreeLeaf TreeLeafOf(const TreeSeries& series, std::string_view name) {
  TreeLeaf leaf{.name = std::string(name),
                .tsuid = std::string(series.tsuid),
                .metric = std::string(series.metric),
                .tags = {}};
  for (const TreeTag& tag : series.tags)
    leaf.tags.emplace_back(tag.key, tag.value);
  return leaf;
}

BranchFinder::BranchFinder(std::string_view id, MemoryAccount* account)
    : hashes_(id.substr(kTreeIdBytes)), memory_(account) {}

absl::Status BranchFinder::Add(const TreeSeries& series, const TreePath& path) {
  if (!path.is_placed) return absl::OkStatus();
  const size_t depth = hashes_.size() / kNameHashBytes;
  const size_t shared = std::min(depth, path.branches.size());
  for (size_t i = 0; i < shared; ++i) {
    const std::string& name = path.branches[i];
    const std::string_view wanted =
        std::string_view(hashes_).substr(i * kNameHashBytes, kNameHashBytes);
    if (i < names_.size()) {
      if (names_[i] != name) return absl::OkStatus();  // another branch, or a collision
      continue;
    }
    if (HashBytesOf(name) != wanted) return absl::OkStatus();
    HOURCELL_RETURN_IF_ERROR(memory_.Take(kTextBytes + name.size()));
    names_.push_back(name);
  }
  if (path.branches.size() < depth) return absl::OkStatus();
  return path.branches.size() == depth ? AddLeaf(series, path.leaf)
                                       : AddBranch(path.branches[depth]);
}

absl::Status BranchFinder::AddLeaf(const TreeSeries& series, const std::string& name) {
  const uint32_t hash = JavaHash(name);
  if (leaves_.contains(hash)) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(memory_.Take(BytesOfLeaf(series, name)));
  leaves_.emplace(hash, TreeLeafOf(series, name));
  return absl::OkStatus();
}

absl::Status BranchFinder::AddBranch(const std::string& name) {
  const uint32_t hash = JavaHash(name);
  if (branches_.contains(hash)) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(memory_.Take(kPlaceBytes + kTextBytes + name.size()));
  branches_.emplace(hash, name);
  return absl::OkStatus();
}

std::optional<TreeBranch> BranchFinder::Finish() && {
  if (hashes_.size() % kNameHashBytes != 0) return std::nullopt;
  if (names_.size() < hashes_.size() / kNameHashBytes) return std::nullopt;
  TreeBranch branch{.path = std::move(names_), .branches = {}, .leaves = {}};
  for (auto& [hash, name] : branches_)
    branch.branches.push_back(std::move(name));
  for (auto& [hash, leaf] : leaves_)
    branch.leaves.push_back(std::move(leaf));
  std::ranges::sort(branch.branches, IsNameBefore);
  std::ranges::sort(branch.leaves, IsNameBefore, &TreeLeaf::name);
  return branch;
}

absl::StatusOr<const CollisionFinder::Owner*> CollisionFinder::Take(std::string place,
                                                                    std::string_view name,
                                                                    std::string_view tsuid,
                                                                    bool is_leaf) {
  if (const auto found = owners_.find(place); found != owners_.end()) {
    const Owner& owner = found->second;
    const bool is_own = is_leaf ? owner.tsuid == tsuid : owner.name == name;
    return is_own ? nullptr : &owner;
  }
  HOURCELL_RETURN_IF_ERROR(
      memory_.Take(kPlaceBytes + 3 * kTextBytes + place.size() + name.size() + tsuid.size()));
  owners_.emplace(std::move(place), Owner{.name = std::string(name), .tsuid = std::string(tsuid)});
  return nullptr;
}

absl::StatusOr<std::string> CollisionFinder::Add(const TreeSeries& series, const TreePath& path) {
  if (!path.is_placed) return std::string();
  std::string place = "b";
  for (const std::string& name : path.branches) {
    AppendNameHash(name, &place);
    HOURCELL_ASSIGN_OR_RETURN(const Owner* const owner,
                              Take(place, name, series.tsuid, /*is_leaf=*/false));
    if (owner != nullptr) return owner->tsuid;
  }
  place.front() = 'l';
  AppendNameHash(path.leaf, &place);
  HOURCELL_ASSIGN_OR_RETURN(const Owner* const owner,
                            Take(std::move(place), path.leaf, series.tsuid, /*is_leaf=*/true));
  return owner == nullptr ? std::string() : owner->tsuid;
}

}  // namespace hourcell
