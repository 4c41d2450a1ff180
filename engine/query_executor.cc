#include "engine/query_executor.h"

#include <string_view>

#include <fmt/format.h>
#include <re2/re2.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "engine/query_names.h"
#include "engine/sub_query_run.h"

namespace hourcell {

QueryExecutor::QueryExecutor(const Options& options,
                             const RowKeyCodec& row_keys,
                             const Parts& parts)
    : options_(options),
      row_keys_(row_keys),
      parts_(parts),
      pool_(options.query_threads),
      memory_(options.query_memory_bytes) {
  for (const MetricQueryLimits& of_metric : options.query_limit_overrides) {
    auto pattern = std::make_unique<re2::RE2>(of_metric.metric, re2::RE2::Quiet);
    HOURCELL_CHECK(pattern->ok());
    limits_of_metrics_.emplace_back(std::move(pattern), of_metric.limits);
  }
}

QueryExecutor::~QueryExecutor() = default;

// kResourceExhausted: the range is too long.
absl::StatusOr<QueryLimits> QueryExecutor::LimitsOf(const SubQuery& query,
                                                    const QuerySpec& spec) const {
  QueryLimits limits = options_.query_limits;
  for (const auto& [pattern, of_metric] : limits_of_metrics_) {
    if (!re2::RE2::PartialMatch(query.metric, *pattern)) continue;
    limits = of_metric;
    break;
  }
  if (limits.range_ms == 0 || spec.end_ms - spec.start_ms <= limits.range_ms) return limits;
  return absl::ResourceExhaustedError(fmt::format(
      "Sorry, your query is of {} ms, more than our limit of {} ms. Please decrease your time "
      "range.",
      spec.end_ms - spec.start_ms, limits.range_ms));
}

absl::Status QueryExecutor::Run(const QuerySpec& spec,
                                QuerySink* sink,
                                QueryControl* control) const {
  if (spec.end_ms < spec.start_ms) {
    return absl::InvalidArgumentError("End time must be greater than the start time");
  }
  QueryMeter::Deadline deadline{.ms = spec.deadline_ms, .clock = parts_.clock};
  if (deadline.ms == 0 && options_.query_timeout_ms > 0) {
    deadline.ms = parts_.clock->NowMs() + options_.query_timeout_ms;
  }
  // In this order: an hour that is sealed in between is in both, and in neither never.
  const ReadPins::Pin pin = parts_.open_hours->pins().Acquire();
  const std::unique_ptr<TableView> view = parts_.tables->Snapshot();
  QueryNames names(row_keys_.layout(), parts_.uids);
  std::vector<Annotation> global;
  if (spec.annotations && spec.global_annotations) {
    HOURCELL_ASSIGN_OR_RETURN(global,
                              parts_.annotations->Global(view.get(), spec.start_ms, spec.end_ms));
  }
  HOURCELL_RETURN_IF_ERROR(sink->OnBegin(global));
  for (size_t i = 0; i < spec.queries.size(); ++i) {
    HOURCELL_ASSIGN_OR_RETURN(const QueryLimits limits, LimitsOf(spec.queries[i], spec));
    HOURCELL_ASSIGN_OR_RETURN(const SubQueryPlan plan,
                              parts_.planner->Plan(spec.queries[i], spec.start_ms, spec.end_ms));
    QueryMeter meter(limits, deadline, control);
    MemoryLease memory(&memory_, control);
    SubQueryRun run({.options = &options_,
                     .read = {.row_keys = &row_keys_,
                              .view = view.get(),
                              .open_hours = parts_.open_hours,
                              .pinned_at = pin.time(),
                              .pool = &pool_,
                              .meter = &meter,
                              .memory = &memory},
                     .names = &names,
                     .annotations = parts_.annotations,
                     .sink = sink},
                    spec, i, &plan);
    const absl::Status ran = run.Run();
    control->AddPlan(run.Report());
    HOURCELL_RETURN_IF_ERROR(ran);
  }
  return absl::OkStatus();
}

}  // namespace hourcell
