#include "engine/rollups/rollup_run.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/stop_watch.h"
#include "engine/query/stages/downsampler.h"
#include "engine/query/stages/rollup_buckets.h"

// Why the buckets of the levels and of the points are joined series by series, before rate, groups
// and aggregates: OpenTSDB runs two queries and appends one result to the other. A rate then lacks
// its first point at the cut, and a group with members on one side only has two results.

namespace hourcell {
namespace {

// Up to this number of times a group keeps accumulators, as in SubQueryPipeline.
constexpr size_t kTimesMax = size_t{1} << 19;

void AppendBetween(const Span& from, int64_t begin_ms, int64_t end_ms, Span* to) {
  for (size_t i = 0; i < from.size(); ++i) {
    if (from.t[i] >= begin_ms && from.t[i] < end_ms) to->push_back(from.t[i], from.value(i));
  }
}

}  // namespace

RollupRun::RollupRun(const SubQueryPipeline::Parts& parts,
                     const QuerySpec& spec,
                     size_t index,
                     const RollupPlan* plan)
    : parts_(parts),
      index_(index),
      query_(spec.queries[index]),
      plan_(*plan),
      range_{.start_ms = spec.start_ms, .end_ms = spec.end_ms, .scan = plan->all.bounds},
      groups_(GroupSeries(plan->all.list->all_tags(),
                          plan->all.selected,
                          plan->all.group_by_tagks,
                          spec.queries[index].aggregator == Aggregator::kNone)),
      finisher_({.read = &parts_.read,
                 .names = parts.names,
                 .annotations = parts.annotations,
                 .sink = parts.sink},
                spec,
                index,
                plan->all) {}

absl::StatusOr<SeriesSpan*> RollupRun::Reading::Next() {
  if (at == reader->batch().size()) {
    if (!reader->batch().empty()) reader->Release();
    HOURCELL_RETURN_IF_ERROR(reader->Read());
    at = 0;
  }
  return reader->SpanOf(reader->batch()[at++]);
}

absl::Status RollupRun::Begin() {
  const std::optional<DownsampleSpec>& downsample = query_.downsample;
  if (downsample.has_value()) HOURCELL_RETURN_IF_ERROR(CheckBucketCount(*downsample, range_));
  HOURCELL_RETURN_IF_ERROR(parts_.read.meter->AddSeries(groups_.members().size()));
  size_t buckets = 0;
  std::vector<int64_t> times;
  if (downsample.has_value()) {
    buckets = BucketCount(*downsample, range_, kTimesMax).value_or(0);
    if (buckets > 0) times = *BucketTimes(*downsample, range_, kTimesMax);
  }
  HOURCELL_RETURN_IF_ERROR(finisher_.Begin(std::move(times), groups_.members()));
  readings_.resize(plan_.sources.size());
  for (size_t i = 0; i < readings_.size(); ++i) {
    Reading& reading = readings_[i];
    reading.source = plan_.sources[i].get();
    for (const uint32_t member : groups_.members()) {
      const uint32_t position = reading.source->positions[member];
      if (position != kAbsentFromSource) reading.order.Add(position, /*is_new_group=*/false);
    }
    reading.reader =
        std::make_unique<MemberReader>(parts_.read, reading.source->range, reading.source->query,
                                       reading.source->plan, reading.order);
    if (reading.order.size() == 0) continue;
    HOURCELL_RETURN_IF_ERROR(reading.reader->Begin(
        {.block_cache_bytes = parts_.options->block_cache_bytes, .buckets = buckets}));
  }
  return absl::OkStatus();
}

absl::Status RollupRun::Run() {
  const StopWatch watch(&took_us_);
  if (groups_.size() == 0) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(Begin());
  for (size_t group = 0; group < groups_.size(); ++group) {
    for (const uint32_t member : groups_[group])
      HOURCELL_RETURN_IF_ERROR(Add(member));
    HOURCELL_RETURN_IF_ERROR(finisher_.Finish());
  }
  return absl::OkStatus();
}

absl::Status RollupRun::Add(uint32_t member) {
  std::vector<SeriesSpan*> spans(readings_.size(), nullptr);
  bool has_points = false;
  for (size_t i = 0; i < readings_.size(); ++i) {
    if (readings_[i].source->positions[member] == kAbsentFromSource) continue;
    HOURCELL_ASSIGN_OR_RETURN(spans[i], readings_[i].Next());
    has_points = has_points || spans[i]->has_points;
  }
  has_points_ = has_points_ || has_points;
  if (readings_.size() == 1) return finisher_.Add(member, spans[0]);
  // Buckets of one point each, but for those with the cut of a rule and after.
  DownsampleSpec of_buckets = *query_.downsample;
  of_buckets.function = plan_.is_by_rule && !plan_.is_average
                            ? FunctionOfLevel(query_.downsample->function)
                            : Aggregator::kSum;
  const std::unique_ptr<SpanBuilder> builder = MakeSpanBuilder(of_buckets, range_);
  builder->AddSpan(plan_.is_by_rule ? ComposeByRule(spans) : Compose(spans));
  SeriesSpan composed{.builder = builder.get(), .has_points = has_points};
  return finisher_.Add(member, &composed);
}

Span RollupRun::Compose(const std::vector<SeriesSpan*>& spans) const {
  Span buckets;
  size_t next = 0;
  if (plan_.is_average) {
    if (spans[0] != nullptr && spans[1] != nullptr) {
      const Span averages = RollupAverages(spans[0]->builder->Finish(), spans[1]->builder->Finish(),
                                           *query_.downsample, range_);
      AppendBetween(averages, INT64_MIN, plan_.cut_ms, &buckets);
    }
    next = 2;
  } else if (readings_[0].source->is_level) {
    if (spans[0] != nullptr) {
      AppendBetween(spans[0]->builder->Finish(), INT64_MIN, plan_.cut_ms, &buckets);
    }
    next = 1;
  }
  if (next < spans.size() && spans[next] != nullptr) {
    AppendBetween(spans[next]->builder->Finish(), plan_.cut_ms, INT64_MAX, &buckets);
  }
  return buckets;
}

// A member is in the sources of the rule, or in that of the others, which is the last.
Span RollupRun::ComposeByRule(const std::vector<SeriesSpan*>& spans) const {
  HOURCELL_DCHECK(spans.size() == plan_.sources.size());
  std::vector<Span> aggregates;  // each before and from the cut
  for (size_t i = 0; i < spans.size(); ++i) {
    const RollupSource& source = *plan_.sources[i];
    if (source.is_level) aggregates.emplace_back();
    if (spans[i] == nullptr) continue;
    const Span span = spans[i]->builder->Finish();
    if (source.is_other) return span;
    AppendBetween(span, INT64_MIN, INT64_MAX, &aggregates.back());
  }
  if (!plan_.is_average) return aggregates[0];
  return RollupAverages(aggregates[0], aggregates[1], *query_.downsample, range_);
}

PlanReport RollupRun::Report() const {
  PlanReport report{.query_index = index_,
                    .method = {},
                    .metric_series = plan_.all.metric_series,
                    .series = groups_.members().size(),
                    .groups = groups_.size(),
                    .hours = 0,
                    .expected_rows = 0,
                    .expected_bytes = 0,
                    .cost = parts_.read.meter->cost(),
                    .plan_us = 0,
                    .read_us = took_us_,
                    .finish_us = 0};
  std::vector<std::string_view> named;
  for (const std::unique_ptr<RollupSource>& source : plan_.sources) {
    // The points of a metric may be several sources.
    if (std::ranges::find(named, source->metric) != named.end()) continue;
    named.push_back(source->metric);
    if (!report.method.empty()) report.method += ", ";
    report.method += source->metric;
  }
  for (const Reading& reading : readings_) {
    if (reading.order.size() == 0) continue;
    report.hours = std::max(report.hours, reading.reader->hours());
    report.expected_rows += reading.reader->cost().rows;
    report.expected_bytes += reading.reader->expected_bytes();
  }
  return report;
}

}  // namespace hourcell
