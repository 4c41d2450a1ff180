// TagsSet: the tags of some series of one metric, as they are in row keys. Takes the memory of the
// bytes alone: a delete may be of a million series.
//
// Immutable; thread-safe.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hourcell {

class TagsSet {
 public:
  // In any order; repeated ones count once.
  explicit TagsSet(std::vector<std::string> tags);

  bool Contains(std::string_view tags) const;
  size_t size() const { return size_; }

 private:
  // The tags with the same number of pairs.
  struct Group {
    size_t width = 0;    // bytes of each; at least 1
    std::string sorted;  // one after another, ascending
  };

  std::vector<Group> groups_;  // ascending by width
  size_t size_ = 0;
};

}  // namespace hourcell
