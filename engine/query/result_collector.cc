#include "engine/query/result_collector.h"

#include <utility>

#include "codec/base/bytes.h"

namespace hourcell {

absl::Status ResultCollector::OnBegin(std::span<const Annotation> global_annotations) {
  result_.global_annotations.assign(global_annotations.begin(), global_annotations.end());
  return absl::OkStatus();
}

absl::Status ResultCollector::OnSeries(const SeriesView& series) {
  ResultSeries owned{.query_index = series.query_index,
                     .metric = std::string(series.metric),
                     .tags = {series.tags.begin(), series.tags.end()},
                     .aggregate_tags = {series.aggregate_tags.begin(), series.aggregate_tags.end()},
                     .tsuids = {},
                     .nan_as_null = series.nan_as_null,
                     .annotations = {series.annotations.begin(), series.annotations.end()},
                     .points = {}};
  for (const std::string_view tsuid : series.tsuids)
    owned.tsuids.push_back(ToUpperHex(tsuid));
  owned.points.reserve(series.points.size());
  for (size_t i = 0; i < series.points.size(); ++i)
    owned.points.push_back({.ms = series.points.t[i], .value = series.points.value(i)});
  result_.series.push_back(std::move(owned));
  return absl::OkStatus();
}

}  // namespace hourcell
