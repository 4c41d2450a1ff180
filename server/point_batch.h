// PointBatch: points gathered from lines, until they go to Tsdb::Append together.
//
// A PointText gives one point whose views end with the next line; a batch keeps many. Names that
// lie in the line are kept as views of it, others (converted from Latin-1; rare) are copied.
// Thread-compatible.

#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/point.h"

namespace hourcell {

class PointBatch {
 public:
  // Adds `point`, which was parsed from `line`. `line` is borrowed until Clear.
  void Add(const PointView& point, std::string_view line);

  size_t size() const { return points_.size(); }
  bool empty() const { return points_.empty(); }

  // The points in the order they were added. Valid until the next Add or Clear.
  std::span<const PointView> points();

  void Clear();

 private:
  std::string_view Keep(std::string_view text, std::string_view line);

  std::vector<PointView> points_;   // their `tags` are set by points()
  std::vector<size_t> tag_counts_;  // of each point
  std::vector<TagView> tags_;       // of all points, one after another
  std::deque<std::string> copied_;  // a deque, so that views stay good
};

}  // namespace hourcell
