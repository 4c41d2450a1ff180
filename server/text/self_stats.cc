#include "server/text/self_stats.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace hourcell {

SelfStats::SelfStats(Tsdb* tsdb, StatOrigin origin)
    : tsdb_(tsdb),
      origin_(std::move(origin)),
      errors_(tsdb->stats().counter("stats.self_errors")) {}

void SelfStats::Put(int64_t now_ms) {
  const std::vector<StatSample> samples = tsdb_->stats().Snapshot();
  // The points view these, so they must be complete before the first point.
  std::vector<std::string> names;
  std::vector<StatTags> tag_texts;
  std::vector<std::vector<TagView>> tags;
  for (const StatSample& sample : samples) {
    names.push_back("tsd." + sample.name);
    tag_texts.push_back(TagsWithOrigin(sample, origin_));
  }
  for (const StatTags& texts : tag_texts) {
    std::vector<TagView>& views = tags.emplace_back();
    for (const auto& [key, value] : texts)
      views.push_back({.key = key, .value = value});
  }

  std::vector<PointView> points;
  for (size_t i = 0; i < samples.size(); ++i) {
    points.push_back({.metric = names[i],
                      .tags = tags[i],
                      .timestamp = {.ms = now_ms / 1000 * 1000},
                      .value = Value::Integer(samples[i].value)});
  }
  std::vector<RefusedPoint> refused;
  const absl::Status committed = tsdb_->points().Append(points, &refused).Wait();
  errors_->Add(committed.ok() ? refused.size() : points.size());
}

}  // namespace hourcell
