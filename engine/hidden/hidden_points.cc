#include "engine/hidden/hidden_points.h"

#include <algorithm>
#include <utility>

#include <absl/status/statusor.h>

#include "codec/base/bytes.h"

namespace hourcell {

HiddenPoints::HiddenPoints(const RowKeyCodec* row_keys, List list)
    : row_keys_(*row_keys), list_(std::move(list)) {
  for (const std::shared_ptr<const HiddenSeries>& one : list_) {
    by_metric_[one->metric].push_back(
        {.start_ms = one->start_ms, .end_ms = one->end_ms, .series = one.get()});
  }
  for (auto& [metric, ranges] : by_metric_)
    std::ranges::sort(ranges, {}, [](const Range& range) { return range.series->id; });
}

bool HiddenPoints::Has(uint64_t id) const {
  return std::ranges::any_of(
      list_, [id](const std::shared_ptr<const HiddenSeries>& one) { return one->id == id; });
}

void HiddenPoints::FindParts(std::string_view row_key, std::vector<HiddenPart>* parts) const {
  parts->clear();
  const absl::StatusOr<RowKeyView> key = row_keys_.ParseStored(row_key);
  if (!key.ok()) return;
  const auto found = by_metric_.find(LoadBigEndian(key->metric.data(), key->metric.size()));
  if (found == by_metric_.end()) return;
  const int64_t base_ms = int64_t{key->base_time_s} * 1000;
  const int64_t span_ms = key->span.ms();
  for (const Range& range : found->second) {
    const int64_t begin_ms = std::max<int64_t>(range.start_ms - base_ms, 0);
    const int64_t end_ms = std::min<int64_t>(range.end_ms + 1 - base_ms, span_ms);
    if (begin_ms >= end_ms || !range.series->tags.Contains(key->tags)) continue;
    parts->push_back({.id = range.series->id,
                      .begin_ms = static_cast<uint32_t>(begin_ms),
                      .end_ms = static_cast<uint32_t>(end_ms),
                      .is_whole = begin_ms == 0 && end_ms == span_ms});
  }
}

}  // namespace hourcell
