#include "engine/deletion/metric_batches.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/names/level_metrics.h"

namespace hourcell {
namespace {

// Metrics of a batch: each batch that deletes seals the store and makes a checkpoint.
constexpr size_t kMetricsPerBatch = 256;

bool IsOfAllMetrics(const SubQuery& query) {
  return query.metric.empty() && query.tsuids.empty();
}

}  // namespace

absl::Status MetricBatches::CheckSelection(const QuerySpec& spec) const {
  for (const SubQuery& query : spec.queries) {
    if (IsOfAllMetrics(query) && query.filters.empty()) {
      return absl::InvalidArgumentError("sub query: expected a metric, tsuids or tags, got none");
    }
    if (query.pre_aggregate) {
      return absl::InvalidArgumentError(
          "preAggregate: a delete does not take it; expected a filter of the tag of "
          "pre-aggregates");
    }
    if (query.metric.empty() || parts_.virtual_metrics->is_empty()) continue;
    const absl::StatusOr<Uid> metric = parts_.uids->Get(UidKind::kMetric, query.metric);
    if (metric.ok() && parts_.virtual_metrics->Has(*metric)) {
      return absl::InvalidArgumentError(
          fmt::format("metric {}: virtual; expected a metric with points of its own",
                      QuoteForMessage(query.metric)));
    }
  }
  return absl::OkStatus();
}

absl::Status MetricBatches::ForEach(
    const QuerySpec& spec,
    QueryControl* control,
    const std::function<absl::Status(const QuerySpec&)>& take) const {
  HOURCELL_RETURN_IF_ERROR(CheckSelection(spec));
  const QueryWatch watch(parts_.clock, control, spec.deadline_ms, parts_.timeout_ms);
  QuerySpec batch = spec;
  std::erase_if(batch.queries, IsOfAllMetrics);
  const bool is_complete = batch.queries.size() == spec.queries.size();
  HOURCELL_RETURN_IF_ERROR(AddLevels(&batch.queries, watch));
  if (is_complete || !batch.queries.empty()) HOURCELL_RETURN_IF_ERROR(take(batch));
  if (is_complete) return absl::OkStatus();
  batch.queries.clear();
  MemoryLease lease(parts_.memory, control);
  MemoryHold hold(&lease);
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<Uid> metrics, MetricsWithSeries(watch, &hold));
  for (const SubQuery& query : spec.queries) {
    if (!IsOfAllMetrics(query)) continue;
    SubQuery of_metric = query;
    for (const Uid metric : metrics) {
      HOURCELL_RETURN_IF_ERROR(watch.Check());
      absl::StatusOr<std::string> name = parts_.uids->NameOf(UidKind::kMetric, metric);
      if (absl::IsNotFound(name.status())) continue;
      HOURCELL_RETURN_IF_ERROR(name.status());
      of_metric.metric = *std::move(name);
      HOURCELL_ASSIGN_OR_RETURN(const bool selects, SelectsSome(of_metric, spec, watch, control));
      if (!selects) continue;
      batch.queries.push_back(of_metric);
      if (batch.queries.size() < kMetricsPerBatch) continue;
      HOURCELL_RETURN_IF_ERROR(take(batch));
      batch.queries.clear();
    }
  }
  return batch.queries.empty() ? absl::OkStatus() : take(batch);
}

// A level has the series of the points, and their tsuids but for the UID of the metric.
absl::Status MetricBatches::AddLevels(std::vector<SubQuery>* queries,
                                      const QueryWatch& watch) const {
  const size_t metric_width = parts_.series->layout().metric_width;
  const size_t given = queries->size();
  for (size_t i = 0; i < given; ++i) {
    if ((*queries)[i].rollup_usage == RollupUsage::kRaw) continue;
    SubQuery of_level = (*queries)[i];
    HOURCELL_ASSIGN_OR_RETURN(const QueryPlanner::ResolvedQuery resolved,
                              parts_.planner->Resolve(of_level, &watch));
    const absl::StatusOr<std::string> metric =
        parts_.uids->NameOf(UidKind::kMetric, resolved.metric);
    if (absl::IsNotFound(metric.status())) continue;  // and so are its levels
    HOURCELL_RETURN_IF_ERROR(metric.status());
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> levels,
                              LevelMetricsOf(*metric, parts_.uids));
    for (const std::string& level : levels) {
      HOURCELL_ASSIGN_OR_RETURN(const Uid uid, parts_.uids->Get(UidKind::kMetric, level));
      std::string metric_bytes;
      AppendBigEndian(uid, metric_width, &metric_bytes);
      if (!of_level.metric.empty()) of_level.metric = level;
      for (std::string& tsuid : of_level.tsuids)
        tsuid.replace(0, 2 * metric_width, ToUpperHex(metric_bytes));
      queries->push_back(of_level);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Uid>> MetricBatches::MetricsWithSeries(const QueryWatch& watch,
                                                                  MemoryHold* hold) const {
  constexpr size_t kMetricsPerCheck = 256;
  const size_t metric_width = parts_.series->layout().metric_width;
  std::vector<Uid> metrics;
  absl::Status ended;
  const auto visit = [&](SeriesNumber, std::string_view tsuid) {
    if (metrics.size() % kMetricsPerCheck == 0) ended = watch.Check();
    if (ended.ok()) ended = hold->Set((metrics.size() + 1) * 2 * sizeof(Uid));
    if (!ended.ok()) return NextVisit::kNone;
    metrics.push_back(LoadBigEndian(tsuid.data(), metric_width));
    return NextVisit::kMetric;
  };
  HOURCELL_RETURN_IF_ERROR(parts_.series->VisitAll(visit));
  HOURCELL_RETURN_IF_ERROR(ended);
  return metrics;
}

absl::StatusOr<bool> MetricBatches::SelectsSome(const SubQuery& query,
                                                const QuerySpec& spec,
                                                const QueryWatch& watch,
                                                QueryControl* control) const {
  MemoryLease lease(parts_.memory, control);  // given back after each metric
  HOURCELL_ASSIGN_OR_RETURN(QueryPlanner::ResolvedQuery resolved,
                            parts_.planner->Resolve(query, &watch));
  HOURCELL_ASSIGN_OR_RETURN(const SubQueryPlan plan,
                            parts_.planner->Plan(query, std::move(resolved), spec.start_ms,
                                                 spec.end_ms, {.watch = &watch, .memory = &lease}));
  return !plan.selected.empty();
}

}  // namespace hourcell
