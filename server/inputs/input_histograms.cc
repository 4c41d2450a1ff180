#include "server/inputs/input_histograms.h"

#include <algorithm>
#include <utility>

#include "codec/base/check.h"

namespace hourcell {
namespace {

// Takes a text and the separator before it off the front of "\1host\1a\1dc\1b".
std::string_view TakeTagText(std::string_view* tags) {
  HOURCELL_DCHECK(tags->starts_with(kTagSeparator));
  tags->remove_prefix(1);
  const std::string_view text = tags->substr(0, tags->find(kTagSeparator));
  tags->remove_prefix(text.size());
  return text;
}

}  // namespace

void InputHistograms::Add(const LinePoint& point, ExponentialHistogram histogram, size_t item) {
  buckets_ += histogram.positive.size() + histogram.negative.size();
  histograms_.push_back({.metric = std::string(point.metric),
                         .tags = std::string(point.tags),
                         .timestamp = point.timestamp,
                         .histogram = std::move(histogram),
                         .item = item});
}

std::vector<HistogramPoint> InputHistograms::points() {
  std::vector<HistogramPoint> points;
  points.reserve(histograms_.size());
  for (Named& one : histograms_) {
    one.tag_views.clear();
    for (std::string_view rest = one.tags; !rest.empty();) {
      const std::string_view key = TakeTagText(&rest);
      const std::string_view value = TakeTagText(&rest);
      // As for points: different labels may become one tag.
      const bool is_known = std::ranges::any_of(
          one.tag_views, [&](const TagView& tag) { return tag.key == key && tag.value == value; });
      if (!is_known) one.tag_views.push_back({.key = key, .value = value});
    }
    points.push_back({.point = {.metric = one.metric,
                                .tags = one.tag_views,
                                .timestamp = one.timestamp,
                                .value = {},
                                .has_any_names = true},
                      .exponential = &one.histogram});
  }
  return points;
}

void InputHistograms::Clear() {
  histograms_.clear();
  buckets_ = 0;
}

}  // namespace hourcell
