// TreeMapper: the rules of a tree, compiled: finds the place of a series in the tree.
//
//   HOURCELL_ASSIGN_OR_RETURN(const TreeMapper mapper, TreeMapper::Compile(tree));
//   const TreePath path = mapper.PathOf(series);
//
// Each level gives at most one name; a separator gives one for each part. The last name is that of
// the leaf, the others are those of branches, without repetitions in a row.
//
// Pure; thread-safe.

#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/query/stages/tag_regexp.h"
#include "engine/trees/tree.h"

namespace hourcell {

// Fields that users attach to a name.
using CustomFields = std::map<std::string, std::string>;

// A tag of a series; null: a name without fields.
struct TreeTag {
  std::string_view key = {};
  std::string_view value = {};
  const CustomFields* key_fields = nullptr;
  const CustomFields* value_fields = nullptr;
};

// Borrowed.
struct TreeSeries {
  std::string_view tsuid = {};  // upper-case hex
  std::string_view metric = {};
  const CustomFields* metric_fields = nullptr;
  std::span<const TreeTag> tags = {};
};

struct TreePath {
  bool is_placed = false;                  // false: the tree leaves the series out
  std::vector<std::string> branches = {};  // names below ROOT
  std::string leaf = {};
  std::string missed = {};  // the last rules of levels without a name, "[1:0:2:TAGK] [1:3:0:TAGK]"
};

// The names of a path, and the bytes of a name. A name that would be longer does not match.
inline constexpr size_t kTreeDepthMax = 255;
inline constexpr size_t kTreeNameBytesMax = 4'096;

class TreeMapper {
 public:
  // kInvalidArgument: as CheckTreeRule.
  static absl::StatusOr<TreeMapper> Compile(const Tree& tree);

  // Appends the result of each rule to `messages`, if it is not null. A series is left out if it
  // lacks the names of all levels, or of one level of a tree with strict_match, or if the path has
  // more than kTreeDepthMax names.
  TreePath PathOf(const TreeSeries& series, std::vector<std::string>* messages = nullptr) const;

  // True if a rule needs custom fields.
  bool needs_fields() const { return needs_fields_; }

 private:
  struct Rule {
    TreeRule rule;
    std::string text;                  // TreeRuleText
    std::vector<TagRegexp> regexp;     // one, or none
    std::vector<TagRegexp> separator;  // the same
  };
  using Level = std::vector<Rule>;
  class Evaluation;

  TreeMapper() = default;

  std::vector<Level> levels_;
  bool strict_match_ = false;
  bool needs_fields_ = false;
};

}  // namespace hourcell
