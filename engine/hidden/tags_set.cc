#include "engine/hidden/tags_set.h"

#include <algorithm>
#include <utility>

#include "codec/base/check.h"

namespace hourcell {

TagsSet::TagsSet(std::vector<std::string> tags) {
  std::ranges::sort(tags, [](const std::string& a, const std::string& b) {
    return std::pair(a.size(), std::string_view(a)) < std::pair(b.size(), std::string_view(b));
  });
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  size_ = tags.size();
  for (const std::string& one : tags) {
    HOURCELL_DCHECK(!one.empty());
    if (groups_.empty() || groups_.back().width != one.size()) {
      groups_.push_back({.width = one.size(), .sorted = {}});
    }
    groups_.back().sorted += one;
  }
  for (Group& group : groups_)
    group.sorted.shrink_to_fit();
}

bool TagsSet::Contains(std::string_view tags) const {
  const auto group = std::ranges::find(groups_, tags.size(), &Group::width);
  if (group == groups_.end()) return false;
  size_t begin = 0;
  size_t end = group->sorted.size() / group->width;
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    const std::string_view at =
        std::string_view(group->sorted).substr(middle * group->width, group->width);
    if (at == tags) return true;
    if (at < tags) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return false;
}

}  // namespace hourcell
