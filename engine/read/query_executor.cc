#include "engine/read/query_executor.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <atomic>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <re2/re2.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/stop_watch.h"
#include "codec/base/strings.h"
#include "engine/names/query_names.h"
#include "engine/names/virtual_metrics.h"
#include "engine/query/query_plan.h"
#include "engine/query/query_watch.h"
#include "engine/read/query_tree.h"
#include "engine/read/sub_query_pipeline.h"

// Why a query reads its series in batches: before, all spans of a query were in memory, 17 bytes
// a point, which is 1.7 GB for 100 million points. Members of a group are added in the order of
// series keys, so sums of doubles have OpenTSDB's digits. Rejected: reading all members time by
// time, since a member with a gap needs its next point, however far away, to interpolate; a
// cache of decoded cells, since summaries already answer whole rows without decoding
// (docs/decisions/0010).

namespace hourcell {
namespace {

// Sub queries that are read at once.
constexpr size_t kStepsAtOnce = 16;
// With at most this number of rows, a sub query is read together with others, whatever its points
// take.
constexpr uint64_t kFewRows = 128;
// Memory for the points of sub queries with more rows that are read together: as much as a batch of
// a large one takes.
constexpr uint64_t kBytesAheadMax = 16 << 20;
// Fewer rows than this are not worth another thread.
constexpr uint64_t kRowsWorthAThread = 32;
// For all sub queries. Each may take a megabyte, which is not in a budget.
constexpr size_t kRegexpsMax = 128;

// Returns freed memory to the system: glibc's allocator keeps it.
void ReturnFreedMemory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

absl::Status CheckTimes(const QuerySpec& spec) {
  if (spec.end_ms >= spec.start_ms) return absl::OkStatus();
  return absl::InvalidArgumentError("End time must be greater than the start time");
}

QueryMeter::Deadline DeadlineOf(const QuerySpec& spec, int64_t timeout_ms, MonotonicClock* clock) {
  if (spec.deadline_ms != 0 || timeout_ms <= 0 || spec.without_limits)
    return {.ms = spec.deadline_ms, .clock = clock};
  return {.ms = clock->MonotonicMs() + timeout_ms, .clock = clock};
}

}  // namespace

QueryExecutor::QueryExecutor(const Options& options,
                             const RowKeyCodec& row_keys,
                             const Parts& parts)
    : options_(options),
      row_keys_(row_keys),
      parts_(parts),
      pool_(options.query_threads),
      memory_(options.query_memory_bytes, options.refuse_query_memory) {
  for (const MetricQueryLimits& of_metric : options.query_limit_overrides) {
    auto pattern = std::make_unique<re2::RE2>(of_metric.metric, re2::RE2::Quiet);
    HOURCELL_CHECK(pattern->ok());
    limits_of_metrics_.emplace_back(std::move(pattern), of_metric.limits);
  }
}

QueryExecutor::~QueryExecutor() = default;

QueryLimits QueryExecutor::LimitsOf(const SubQuery& query, const QuerySpec& spec) const {
  if (spec.without_limits) return QueryLimits();
  for (const auto& [pattern, of_metric] : limits_of_metrics_) {
    if (re2::RE2::PartialMatch(query.metric, *pattern)) return of_metric;
  }
  return options_.query_limits;
}

// kResourceExhausted: the range is too long.
absl::Status QueryExecutor::CheckRange(const SubQuery& query, const QuerySpec& spec) const {
  const QueryLimits limits = LimitsOf(query, spec);
  if (limits.range_ms == 0 || spec.end_ms - spec.start_ms <= limits.range_ms) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(fmt::format(
      "Sorry, your query is of {} ms, more than our limit of {} ms. Please decrease your time "
      "range.",
      spec.end_ms - spec.start_ms, limits.range_ms));
}

// A planned sub query with its limits.
struct QueryExecutor::Step {
  Step(const QueryLimits& limits,
       const QueryMeter::Deadline& deadline,
       QueryMemory* all_memory,
       size_t quick_bytes,
       QueryControl* control)
      : meter(limits, deadline, control), memory(all_memory, control, quick_bytes) {}

  SubQueryPlan plan;
  int64_t plan_us = 0;
  QueryMeter meter;
  MemoryLease memory;
  std::optional<SubQueryPipeline> run;
};

// Runs planned sub queries in order. The threads read one sub query each, as one alone may be too
// small to divide, and the query's own thread finishes them meanwhile: rate, groups, aggregation
// and the text of the answer take about half as long as reading.
absl::Status QueryExecutor::RunSteps(Steps* steps,
                                     TaskPool* pool,
                                     QueryTree* tree,
                                     QueryControl* control) const {
  uint64_t rows = 0;
  for (const std::unique_ptr<Step>& step : *steps)
    rows += SubQueryPipeline::RowsAtMost(step->plan);
  absl::Status ran;
  const auto run = [&](size_t i) {
    ran = RunStep((*steps)[i].get(), tree, control);
    (*steps)[i].reset();  // with its memory
    return ran.ok();
  };
  if (steps->size() > 1 && rows >= kRowsWorthAThread && pool->threads() > 1) {
    const auto read = [steps](size_t i) { (*steps)[i]->run->ReadAhead(); };
    pool->ForEachThen(steps->size(), read, run);
  } else {
    for (size_t i = 0; i < steps->size() && run(i);)
      ++i;
  }
  steps->clear();
  return ran;
}

absl::Status QueryExecutor::RunStep(Step* step, QueryTree* tree, QueryControl* control) {
  const absl::Status ran = step->run->Run();
  PlanReport report = step->run->Report();
  report.plan_us = step->plan_us;
  const size_t sub_query = report.query_index;
  control->AddPlan(std::move(report));
  HOURCELL_RETURN_IF_ERROR(ran);
  return tree == nullptr ? absl::OkStatus() : tree->EndOf(sub_query);
}

absl::Status QueryExecutor::RunRollups(SubQueryPipeline::Parts parts,
                                       const QuerySpec& spec,
                                       size_t index,
                                       const QueryMeter::Deadline& deadline,
                                       QueryControl* control) const {
  if (spec.quick.has_value()) return absl::AbortedError("A query of rollups is not quick");
  QueryMeter meter(LimitsOf(spec.queries[index], spec), deadline, control);
  MemoryLease memory(&memory_, control);
  parts.read.meter = &meter;
  parts.read.memory = &memory;
  const QueryWatch watch(parts_.clock, control, deadline.ms, /*timeout_ms=*/0);
  return parts_.rollups->Run(parts, spec, index, watch, control);
}

absl::Status QueryExecutor::RunVirtual(SubQueryPipeline::Parts parts,
                                       const QuerySpec& spec,
                                       size_t index,
                                       const QueryPlanner::ResolvedQuery& resolved,
                                       const Running& running) const {
  if (spec.quick.has_value()) return absl::AbortedError("A query of a virtual metric is not quick");
  // Rows that were not written by VirtualMetrics may have a cycle.
  if (running.level == kVirtualLevelsMax) {
    return absl::DataLossError(fmt::format("virtual metric {}: expected at most {} levels",
                                           QuoteForMessage(spec.queries[index].metric),
                                           kVirtualLevelsMax));
  }
  QueryMeter meter(LimitsOf(spec.queries[index], spec), running.deadline, running.control);
  MemoryLease memory(&memory_, running.control);
  parts.read.meter = &meter;
  parts.read.memory = &memory;
  const QueryWatch watch(parts_.clock, running.control, running.deadline.ms, /*timeout_ms=*/0);
  Running below = running;
  ++below.level;
  const auto run_input = [&](const SubQuery& input, int64_t start_ms, int64_t end_ms,
                             QuerySink* sink) -> absl::Status {
    // The times to read may be an hour or a bucket more than those of the query.
    HOURCELL_RETURN_IF_ERROR(CheckRange(input, *running.asked));
    QuerySpec inner{.start_ms = start_ms, .end_ms = end_ms, .queries = {}};
    // At the index of the query, so that reports and results have it.
    inner.queries.resize(index + 1);
    inner.queries[index] = input;
    inner.queries[index].rollup_usage = spec.queries[index].rollup_usage;
    inner.deadline_ms = spec.deadline_ms;
    inner.may_use_rollups = spec.may_use_rollups;
    inner.without_limits = spec.without_limits;
    inner.annotations = false;
    inner.read_method = spec.read_method;
    inner.read_division = spec.read_division;
    SubQueryPipeline::Parts of_input = parts;
    of_input.sink = sink;
    return RunInput(of_input, inner, index, below);
  };
  return parts_.virtuals->Run({.parts = parts,
                               .spec = &spec,
                               .index = index,
                               .resolved = &resolved,
                               .watch = &watch,
                               .run_input = run_input});
}

absl::Status QueryExecutor::RunDerived(const SubQueryPipeline::Parts& parts,
                                       const QuerySpec& spec,
                                       size_t index,
                                       const QueryPlanner::ResolvedQuery& resolved,
                                       const Running& running) const {
  return IsVirtual(resolved.metric)
             ? RunVirtual(parts, spec, index, resolved, running)
             : RunRollups(parts, spec, index, running.deadline, running.control);
}

absl::Status QueryExecutor::RunInput(SubQueryPipeline::Parts parts,
                                     const QuerySpec& spec,
                                     size_t index,
                                     const Running& running) const {
  const QueryWatch watch(parts_.clock, running.control, running.deadline.ms, /*timeout_ms=*/0);
  HOURCELL_RETURN_IF_ERROR(watch.Check());
  HOURCELL_ASSIGN_OR_RETURN(QueryPlanner::ResolvedQuery resolved,
                            parts_.planner->Resolve(spec.queries[index], &watch));
  if (IsDerived(spec, index, resolved.metric)) {
    return RunDerived(parts, spec, index, resolved, running);
  }
  Step step(LimitsOf(spec.queries[index], spec), running.deadline, &memory_, /*quick_bytes=*/0,
            running.control);
  HOURCELL_RETURN_IF_ERROR(MakePlan(spec, index, std::move(resolved), watch, &step));
  HOURCELL_RETURN_IF_ERROR(step.memory.Take(SubQueryPipeline::BytesOf(step.plan)));
  parts.read.meter = &step.meter;
  parts.read.memory = &step.memory;
  step.run.emplace(parts, spec, index, &step.plan);
  return RunStep(&step, /*tree=*/nullptr, running.control);
}

absl::Status QueryExecutor::MakePlan(const QuerySpec& spec,
                                     size_t index,
                                     QueryPlanner::ResolvedQuery resolved,
                                     const QueryWatch& watch,
                                     Step* step) const {
  const StopWatch stop_watch(&step->plan_us);
  HOURCELL_ASSIGN_OR_RETURN(
      step->plan,
      parts_.planner->Plan(spec.queries[index], std::move(resolved), spec.start_ms, spec.end_ms,
                           {.watch = &watch,
                            .memory = &step->memory,
                            .quick_series = spec.quick.has_value() ? spec.quick->series : 0}));
  return absl::OkStatus();
}

// The rest of a query's QuickBounds.
struct QueryExecutor::Quick {
  explicit Quick(const QuickBounds& bounds)
      : rows(static_cast<int64_t>(bounds.rows)), points(static_cast<int64_t>(bounds.points)) {}

  // kAborted: the sub query may take more. Of its plan, before its series are grouped.
  absl::Status TakeRows(uint64_t of_plan) {
    rows -= static_cast<int64_t>(of_plan);
    if (rows >= 0) return absl::OkStatus();
    return absl::AbortedError("The query has more rows than a quick one may");
  }
  absl::Status TakeBuckets(uint64_t buckets) {
    const auto taken = static_cast<int64_t>(buckets * kQuickPointsOfGiven);
    if (points.fetch_sub(taken, std::memory_order_relaxed) >= taken) return absl::OkStatus();
    return absl::AbortedError("The query has more buckets than a quick one may");
  }

  int64_t rows = 0;
  std::atomic<int64_t> points{0};
};

absl::Status QueryExecutor::Run(const QuerySpec& spec,
                                OpenHours* open_hours,
                                QuerySink* sink,
                                QueryControl* control) const {
  const absl::Status ran = RunAll(spec, open_hours, sink, control);
  if (memory_.IsWorthReturning()) ReturnFreedMemory();
  return ran;
}

absl::StatusOr<QueryExecutor::ResolvedQueries> QueryExecutor::ResolveAll(
    const QuerySpec& spec, const QueryWatch& watch, QueryControl* control) const {
  ResolvedQueries resolved;
  resolved.reserve(spec.queries.size());
  int64_t took_us = 0;
  size_t regexps = 0;
  {
    const StopWatch stop_watch(&took_us);
    for (const SubQuery& query : spec.queries) {
      HOURCELL_RETURN_IF_ERROR(watch.Check());
      HOURCELL_RETURN_IF_ERROR(CheckRange(query, spec));
      if (spec.quick.has_value()) HOURCELL_RETURN_IF_ERROR(parts_.planner->CheckQuick(query));
      if (query.pre_aggregate && !options_.rollups.has_value()) {
        return absl::InvalidArgumentError("preAggregate: rollups are not enabled on this store");
      }
      regexps += static_cast<size_t>(
          std::ranges::count(query.filters, FilterType::kRegexp, &TagFilterSpec::type));
      if (regexps > kRegexpsMax) {
        return absl::InvalidArgumentError(fmt::format(
            "expected at most {} regular expressions, got more in a request", kRegexpsMax));
      }
      HOURCELL_ASSIGN_OR_RETURN(QueryPlanner::ResolvedQuery one,
                                parts_.planner->Resolve(query, &watch));
      resolved.push_back(std::move(one));
    }
  }
  control->check_us = took_us;
  return resolved;
}

absl::Status QueryExecutor::BeginSink(const QuerySpec& spec,
                                      TableView* view,
                                      MemoryLease* lease,
                                      QuerySink* sink) const {
  std::vector<Annotation> global;
  if (spec.annotations && spec.global_annotations) {
    HOURCELL_ASSIGN_OR_RETURN(global,
                              parts_.annotations->Global(view, spec.start_ms, spec.end_ms, lease));
  }
  return sink->OnBegin(global);
}

absl::Status QueryExecutor::RunAll(const QuerySpec& spec,
                                   OpenHours* open_hours,
                                   QuerySink* sink,
                                   QueryControl* control) const {
  HOURCELL_RETURN_IF_ERROR(CheckTimes(spec));
  const QueryMeter::Deadline deadline = DeadlineOf(spec, options_.query_timeout_ms, parts_.clock);
  const QueryWatch watch(parts_.clock, control, deadline.ms, /*timeout_ms=*/0);
  HOURCELL_ASSIGN_OR_RETURN(ResolvedQueries resolved, ResolveAll(spec, watch, control));
  std::optional<Quick> quick;
  if (spec.quick.has_value()) quick.emplace(*spec.quick);
  TaskPool* const pool = quick.has_value() ? &alone_ : &pool_;
  // Pin before snapshot: an hour sealed in between is then seen twice (the pin wins), never missed.
  const ReadPins::Pin pin = open_hours->pins().Acquire();
  const std::unique_ptr<TableView> view =
      quick.has_value() ? parts_.tables->SnapshotInMemory() : parts_.tables->Snapshot();
  const size_t quick_bytes = quick.has_value() ? spec.quick->bytes : 0;
  MemoryLease lease(&memory_, control, quick_bytes);  // for memory outside sub queries
  QueryNames names(row_keys_.layout(), parts_.uids, &lease);
  HOURCELL_RETURN_IF_ERROR(BeginSink(spec, view.get(), &lease, sink));
  std::optional<QueryTree> tree;
  if (HasFunctions(spec)) tree.emplace(PlanOf(spec), spec.queries.size(), sink, &lease, &watch);
  QueryTree* const functions = tree.has_value() ? &*tree : nullptr;
  SubQueryPipeline::Parts parts{.options = &options_,
                                .read = {.row_keys = &row_keys_,
                                         .view = view.get(),
                                         .open_hours = open_hours,
                                         .pinned_at = pin.time(),
                                         .pool = pool},
                                .names = &names,
                                .annotations = parts_.annotations,
                                .sink = sink};
  Steps waiting;               // to be read at once
  uint64_t bytes_waiting = 0;  // of their points, without those of few rows
  waiting.reserve(std::min(spec.queries.size(), kStepsAtOnce));
  for (size_t i = 0; i < spec.queries.size(); ++i) {
    if (functions != nullptr) parts.sink = functions->SinkOf(i);
    if (IsDerived(spec, i, resolved[i].metric)) {
      HOURCELL_RETURN_IF_ERROR(RunSteps(&waiting, pool, functions, control));
      HOURCELL_RETURN_IF_ERROR(RunDerived(parts, spec, i, resolved[i], {deadline, control, &spec}));
      if (functions != nullptr) HOURCELL_RETURN_IF_ERROR(functions->EndOf(i));
      continue;
    }
    auto step = std::make_unique<Step>(LimitsOf(spec.queries[i], spec), deadline, &memory_,
                                       quick_bytes, control);
    HOURCELL_RETURN_IF_ERROR(MakePlan(spec, i, std::move(resolved[i]), watch, step.get()));
    HOURCELL_RETURN_IF_ERROR(step->memory.Take(SubQueryPipeline::BytesOf(step->plan)));
    const uint64_t rows = SubQueryPipeline::RowsAtMost(step->plan);
    if (quick.has_value()) HOURCELL_RETURN_IF_ERROR(quick->TakeRows(rows));
    parts.read.meter = &step->meter;
    parts.read.memory = &step->memory;
    step->run.emplace(parts, spec, i, &step->plan);
    if (quick.has_value()) {
      HOURCELL_RETURN_IF_ERROR(quick->TakeBuckets(step->run->BucketsAtMost()));
      step->meter.BindQuick(&quick->points);
    }
    const uint64_t bytes = rows <= kFewRows ? 0 : step->run->BytesOfBuckets().value_or(UINT64_MAX);
    if (bytes > kBytesAheadMax - bytes_waiting || waiting.size() == kStepsAtOnce) {
      HOURCELL_RETURN_IF_ERROR(RunSteps(&waiting, pool, functions, control));
      bytes_waiting = 0;
    }
    waiting.push_back(std::move(step));
    if (bytes < kBytesAheadMax) {
      bytes_waiting += bytes;
      continue;
    }
    HOURCELL_RETURN_IF_ERROR(RunSteps(&waiting, pool, functions, control));
  }
  return RunSteps(&waiting, pool, functions, control);
}

}  // namespace hourcell
