#include "engine/query_executor.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "engine/query/aggregate.h"
#include "engine/query/downsampler.h"
#include "engine/query/rate.h"

namespace hourcell {
namespace {

// The stages that concern one series alone.
Span TransformSpan(Span span, const SubQuery& query, const QueryRange& range) {
  if (query.downsample.has_value()) span = Downsample(span, *query.downsample, range);
  if (query.rate.has_value()) span = Rate(span, *query.rate);
  return span;
}

// What is between start and end.
SpanView Trim(const Span& span, int64_t start_ms, int64_t end_ms) {
  const auto begin = std::ranges::lower_bound(span.t, start_ms) - span.t.begin();
  const auto end = std::ranges::upper_bound(span.t, end_ms) - span.t.begin();
  const auto first = static_cast<size_t>(begin);
  const auto count = static_cast<size_t>(std::max<ptrdiff_t>(0, end - begin));
  return {.t = std::span(span.t).subspan(first, count),
          .v = std::span(span.v).subspan(first, count),
          .is_float = std::span(span.is_float).subspan(first, count)};
}

}  // namespace

absl::Status QueryExecutor::Run(const QuerySpec& spec,
                                QuerySink* sink,
                                QueryControl* control) const {
  if (spec.end_ms < spec.start_ms) {
    return absl::InvalidArgumentError("End time must be greater than the start time");
  }
  QueryBudget budget{.points_max = options_.query_limits.points,
                     .deadline_ms = spec.deadline_ms,
                     .clock = parts_.clock};
  if (budget.deadline_ms == 0 && options_.query_timeout_ms > 0) {
    budget.deadline_ms = parts_.clock->NowMs() + options_.query_timeout_ms;
  }
  // In this order: an hour that is sealed in between is in both, and in neither never.
  const ReadPins::Pin pin = parts_.open_hours->pins().Acquire();
  const std::unique_ptr<TableView> view = parts_.tables->Snapshot();
  RowReader reader(row_keys_, view.get(), parts_.open_hours, budget);
  HOURCELL_RETURN_IF_ERROR(sink->OnBegin({}));
  for (size_t i = 0; i < spec.queries.size(); ++i) {
    HOURCELL_RETURN_IF_ERROR(RunSubQuery(spec, i, view.get(), &reader, sink));
  }
  control->rows = reader.rows_read();
  control->points = reader.points_read();
  return absl::OkStatus();
}

absl::Status QueryExecutor::RunSubQuery(const QuerySpec& spec,
                                        size_t index,
                                        TableView* view,
                                        RowReader* reader,
                                        QuerySink* sink) const {
  const SubQuery& query = spec.queries[index];
  HOURCELL_ASSIGN_OR_RETURN(SubQueryPlan plan,
                            planner_.Plan(view, query, spec.start_ms, spec.end_ms));
  const QueryRange range{.start_ms = spec.start_ms, .end_ms = spec.end_ms, .scan = plan.bounds};
  if (query.downsample.has_value()) {
    HOURCELL_RETURN_IF_ERROR(CheckBucketCount(*query.downsample, range));
  }
  std::vector<Span> read;
  HOURCELL_RETURN_IF_ERROR(reader->Read(plan, &read));

  // Series without a row in the scanned hours take no part, not even in tags.
  std::vector<PlannedSeries> present;
  std::vector<SeriesUids> uids;
  std::vector<Span> spans;
  for (size_t i = 0; i < read.size(); ++i) {
    if (read[i].empty()) continue;
    uids.push_back(plan.series[i].uids);
    present.push_back(std::move(plan.series[i]));
    spans.push_back(TransformSpan(std::move(read[i]), query, range));
  }
  plan.series = std::move(present);

  const bool each_alone = query.aggregator == Aggregator::kNone;
  for (const SeriesGroup& group : GroupSeries(uids, plan.group_by_tagks, each_alone)) {
    std::vector<Span> members;
    for (const size_t member : group.members)
      members.push_back(std::move(spans[member]));
    // A single member passes through any aggregator unchanged; `none` has no function of its own.
    const Aggregator aggregator = each_alone ? Aggregator::kSum : query.aggregator;
    HOURCELL_ASSIGN_OR_RETURN(const Span merged,
                              AggregateSpans(members, aggregator, query.rate.has_value(),
                                             static_cast<int64_t>(plan.bounds.end_s) * 1000));
    HOURCELL_ASSIGN_OR_RETURN(ResultSeries series, MakeResult(query, uids, group, plan));
    const std::vector<std::pair<std::string_view, std::string_view>> tags(series.tags.begin(),
                                                                          series.tags.end());
    const std::vector<std::string_view> aggregate_tags(series.aggregate_tags.begin(),
                                                       series.aggregate_tags.end());
    const std::vector<std::string_view> tsuids(series.tsuids.begin(), series.tsuids.end());
    HOURCELL_RETURN_IF_ERROR(
        sink->OnSeries({.query_index = index,
                        .metric = series.metric,
                        .tags = tags,
                        .aggregate_tags = aggregate_tags,
                        .tsuids = tsuids,
                        .nan_as_null = series.nan_as_null,
                        .annotations = {},
                        .points = spec.keep_scanned ? Trim(merged, INT64_MIN, INT64_MAX)
                                                    : Trim(merged, spec.start_ms, spec.end_ms)}));
  }
  return absl::OkStatus();
}

absl::StatusOr<ResultSeries> QueryExecutor::MakeResult(const SubQuery& query,
                                                       const std::vector<SeriesUids>& series,
                                                       const SeriesGroup& group,
                                                       const SubQueryPlan& plan) const {
  ResultSeries result;
  result.metric = query.tsuids.empty() ? query.metric : NameOrHex(UidKind::kMetric, plan.metric);
  result.nan_as_null = query.downsample.has_value() && query.downsample->fill == FillPolicy::kNull;
  const GroupTags tags = TagsOfGroup(series, group);
  for (const TagUids& tag : tags.common) {
    result.tags.emplace_back(NameOrHex(UidKind::kTagk, tag.tagk),
                             NameOrHex(UidKind::kTagv, tag.tagv));
  }
  for (const Uid tagk : tags.aggregated) {
    result.aggregate_tags.push_back(NameOrHex(UidKind::kTagk, tagk));
  }
  for (const size_t member : group.members) {
    result.tsuids.push_back(plan.series[member].tsuid);
  }
  return result;
}

std::string QueryExecutor::NameOrHex(UidKind kind, Uid uid) const {
  absl::StatusOr<std::string> name = parts_.uids->NameOf(kind, uid);
  if (name.ok()) return *std::move(name);
  // A deleted name must not make the data of its UID unreadable.
  std::string bytes;
  AppendBigEndian(uid, row_keys_.layout().width(kind), &bytes);
  return ToUpperHex(bytes);
}

}  // namespace hourcell
