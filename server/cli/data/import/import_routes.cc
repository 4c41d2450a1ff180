#include "server/cli/data/import/import_routes.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "codec/base/check.h"
#include "codec/limits.h"
#include "codec/text/point_text.h"

namespace hourcell {
namespace {

uint64_t HashOf(std::string_view head, std::string_view tail) {
  return XXH3_64bits_withSeed(tail.data(), tail.size(), XXH3_64bits(head.data(), head.size()));
}

// The same for all spellings of a series. 0 for an invalid series, which the store refuses.
uint64_t SeriesHash(const LinePoint& point, PointText* parser) {
  if (parser->ParseSeries(point, {.tags_max = kTagsMax}).has_value()) return 0;
  const PointView& view = parser->point();
  std::vector<TagView> tags(view.tags.begin(), view.tags.end());
  std::ranges::sort(tags, {}, &TagView::key);
  std::string bytes;
  for (const TagView& tag : tags) {
    bytes.append(tag.key).push_back(kTagSeparator);
    bytes.append(tag.value).push_back(kTagSeparator);
  }
  return HashOf(view.metric, bytes);
}

}  // namespace

bool ImportRoutes::FindAll(std::span<const LinePoint> points, std::span<uint8_t> workers) const {
  HOURCELL_DCHECK(workers.size() >= points.size());
  ReaderLock lock(&mutex_);
  for (size_t i = 0; i < points.size(); ++i) {
    const auto found = worker_of_.find(HashOf(points[i].metric, points[i].tags));
    if (found == worker_of_.end()) return false;
    workers[i] = found->second;
  }
  return true;
}

void ImportRoutes::Learn(std::span<const LinePoint> points) {
  PointText parser;
  WriterLock lock(&mutex_);
  for (const LinePoint& point : points) {
    if (worker_of_.size() >= routes_max_) worker_of_.clear();
    const auto [route, is_new] = worker_of_.try_emplace(HashOf(point.metric, point.tags), 0);
    if (is_new) route->second = static_cast<uint8_t>(SeriesHash(point, &parser) % workers_);
  }
}

}  // namespace hourcell
