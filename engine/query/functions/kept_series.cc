#include "engine/query/functions/kept_series.h"

#include <string_view>

#include "codec/base/status_macros.h"

namespace hourcell {
namespace {

size_t BytesOf(const Annotation& annotation) {
  size_t bytes = sizeof(Annotation) + annotation.tsuid.size() + annotation.description.size() +
                 annotation.notes.size();
  for (const auto& [name, value] : annotation.custom)
    bytes += 2 * sizeof(std::string) + name.size() + value.size();
  return bytes;
}

// Memory of a copy; short texts are counted twice, once in their std::string.
size_t BytesOf(const SeriesView& series) {
  size_t bytes = sizeof(KeptSeries) + series.metric.size() + series.points.size() * kSpanPointBytes;
  for (const auto& [tagk, tagv] : series.tags)
    bytes += 2 * sizeof(std::string) + tagk.size() + tagv.size();
  for (const std::string_view tagk : series.aggregate_tags)
    bytes += sizeof(std::string) + tagk.size();
  for (const std::string_view tsuid : series.tsuids)
    bytes += sizeof(std::string) + tsuid.size();
  for (const Annotation& annotation : series.annotations)
    bytes += BytesOf(annotation);
  return bytes;
}

}  // namespace

absl::StatusOr<std::unique_ptr<KeptSeries>> KeptSeries::CopyOf(const SeriesView& series,
                                                               MemoryAccount* memory) {
  std::unique_ptr<KeptSeries> kept(new KeptSeries(memory));
  HOURCELL_RETURN_IF_ERROR(kept->hold_.Take(BytesOf(series)));
  kept->query_index_ = series.query_index;
  kept->metric_ = series.metric;
  kept->tags_.assign(series.tags.begin(), series.tags.end());
  kept->aggregate_tags_.assign(series.aggregate_tags.begin(), series.aggregate_tags.end());
  kept->tsuids_.assign(series.tsuids.begin(), series.tsuids.end());
  kept->nan_as_null_ = series.nan_as_null;
  kept->annotations_.assign(series.annotations.begin(), series.annotations.end());
  kept->points_.t.assign(series.points.t.begin(), series.points.t.end());
  kept->points_.v.assign(series.points.v.begin(), series.points.v.end());
  kept->points_.is_float.assign(series.points.is_float.begin(), series.points.is_float.end());
  return kept;
}

absl::Status KeptSeries::GiveTo(QuerySink* sink) const {
  const std::vector<std::pair<std::string_view, std::string_view>> tags(tags_.begin(), tags_.end());
  const std::vector<std::string_view> aggregate_tags(aggregate_tags_.begin(),
                                                     aggregate_tags_.end());
  const std::vector<std::string_view> tsuids(tsuids_.begin(), tsuids_.end());
  return sink->OnSeries({.query_index = query_index_,
                         .metric = metric_,
                         .tags = tags,
                         .aggregate_tags = aggregate_tags,
                         .tsuids = tsuids,
                         .nan_as_null = nan_as_null_,
                         .annotations = annotations_,
                         .points = {.t = points_.t, .v = points_.v, .is_float = points_.is_float}});
}

}  // namespace hourcell
