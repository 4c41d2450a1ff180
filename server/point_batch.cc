#include "server/point_batch.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

namespace hourcell {

std::string_view PointBatch::Keep(std::string_view text, std::string_view line) {
  const std::less_equal<const char*> not_after;
  const bool in_line = not_after(line.data(), text.data()) &&
                       not_after(text.data() + text.size(), line.data() + line.size());
  return in_line ? text : std::string_view(copied_.emplace_back(text));
}

void PointBatch::Add(const PointView& point, std::string_view line) {
  PointView kept = point;
  kept.metric = Keep(point.metric, line);
  kept.tags = {};
  for (const TagView& tag : point.tags) {
    tags_.push_back({.key = Keep(tag.key, line), .value = Keep(tag.value, line)});
  }
  tag_counts_.push_back(point.tags.size());
  points_.push_back(kept);
}

std::span<const PointView> PointBatch::points() {
  const std::span<const TagView> all_tags(tags_);
  size_t begin = 0;
  for (size_t i = 0; i < points_.size(); ++i) {
    points_[i].tags = all_tags.subspan(begin, tag_counts_[i]);
    begin += tag_counts_[i];
  }
  return points_;
}

void PointBatch::Clear() {
  points_.clear();
  tag_counts_.clear();
  tags_.clear();
  copied_.clear();
}

}  // namespace hourcell
