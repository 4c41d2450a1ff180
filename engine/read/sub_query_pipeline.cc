#include "engine/read/sub_query_pipeline.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/stop_watch.h"
#include "codec/base/strings.h"
#include "engine/annotations/annotation_scan.h"
#include "engine/histograms/histogram_reader.h"
#include "engine/query/stages/downsampler.h"

// Why groups are formed before anything is read: the members of a group are read next to each other
// then, and its result can be given away before the next group is begun. All spans of a query were
// in memory before, 1.7 GB for 100 million points.

namespace hourcell {
namespace {

// Up to this number of times a group keeps accumulators, above it its members.
constexpr size_t kAccumulatorsMax = size_t{1} << 19;

}  // namespace

size_t SubQueryPipeline::BytesOf(const SubQueryPlan& plan) {
  // Their positions: as selected, by group, as they are grouped, of a batch in two orders, and of
  // those present; where groups end; tsuids; the values they are grouped by.
  constexpr size_t kMemberBytes = 6 * sizeof(uint32_t) + sizeof(size_t) + sizeof(std::string_view);
  return plan.selected.size() * (kMemberBytes + plan.group_by_tagks.size() * sizeof(Uid));
}

SubQueryPipeline::SubQueryPipeline(const Parts& parts,
                                   const QuerySpec& spec,
                                   size_t index,
                                   const SubQueryPlan* plan)
    : parts_(parts),
      spec_(spec),
      index_(index),
      plan_(*plan),
      groups_(GroupSeries(plan->list->all_tags(),
                          plan->selected,
                          plan->group_by_tagks,
                          spec.queries[index].aggregator == Aggregator::kNone)),
      reader_(parts_.read, spec, spec.queries[index], *plan, groups_),
      finisher_({.read = &parts_.read,
                 .names = parts.names,
                 .annotations = parts.annotations,
                 .sink = parts.sink},
                spec,
                index,
                *plan) {}

uint64_t SubQueryPipeline::RowsAtMost(const SubQueryPlan& plan) {
  return MemberReader::HoursOf(ClampHours(plan.bounds)) * plan.selected.size();
}

uint64_t SubQueryPipeline::BucketsAtMost() const {
  const std::optional<DownsampleSpec>& downsample = spec_.queries[index_].downsample;
  if (!downsample.has_value() || downsample->all || downsample->interval_ms == 0) return 0;
  const auto range_ms = static_cast<uint64_t>(spec_.end_ms - spec_.start_ms);
  return (range_ms / static_cast<uint64_t>(downsample->interval_ms) + 1) * groups_.size();
}

std::optional<uint64_t> SubQueryPipeline::BytesOfBuckets() const {
  const std::optional<DownsampleSpec>& downsample = spec_.queries[index_].downsample;
  if (!downsample.has_value()) return std::nullopt;
  const size_t series = groups_.members().size();
  if (downsample->all) return series * SpanReader::kSeriesBytes;
  if (downsample->interval_ms == 0) return std::nullopt;
  const auto range_ms = static_cast<uint64_t>(spec_.end_ms - spec_.start_ms);
  const uint64_t buckets = range_ms / static_cast<uint64_t>(downsample->interval_ms) + 1;
  return series * (SpanReader::kSeriesBytes + buckets * kSpanPointBytes);
}

absl::Status SubQueryPipeline::ReadBatch() {
  const StopWatch watch(&read_us_);
  return reader_.Read();
}

void SubQueryPipeline::ReadAhead() {
  if (plan_.is_of_histograms) return;
  ahead_ = Begin();
  if (ahead_->ok() && groups_.size() > 0) ahead_ = ReadBatch();
}

absl::Status SubQueryPipeline::Run() {
  if (plan_.is_of_histograms) return RunHistograms();
  HOURCELL_RETURN_IF_ERROR(ahead_.has_value() ? *std::move(ahead_) : Begin());
  while (!reader_.batch().empty() || !reader_.is_done()) {
    if (reader_.batch().empty()) HOURCELL_RETURN_IF_ERROR(ReadBatch());
    HOURCELL_RETURN_IF_ERROR(FinishBatch());
  }
  return absl::OkStatus();
}

absl::Status SubQueryPipeline::RunHistograms() {
  const QueryRange range{.start_ms = spec_.start_ms, .end_ms = spec_.end_ms, .scan = plan_.bounds};
  QueryMeter& meter = *parts_.read.meter;
  HistogramReader histograms(
      {.row_keys = parts_.read.row_keys,
       .view = parts_.read.view,
       .count =
           [&meter](uint64_t read, uint64_t bytes) {
             return meter.Add({.rows = read, .points = read, .bytes = bytes});
           }},
      spec_.queries[index_], range, plan_.visible_from_ms);
  HOURCELL_RETURN_IF_ERROR(histograms.Begin());
  HOURCELL_RETURN_IF_ERROR(parts_.read.meter->AddSeries(groups_.members().size()));
  if (groups_.size() == 0) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(finisher_.Begin({}, groups_.members()));
  bool is_any = false;
  const auto tsuid_of = [this](uint32_t member) { return plan_.list->tsuid(member); };
  for (size_t next = 0; next < groups_.size();) {
    MemoryHold hold(parts_.read.memory);
    absl::StatusOr<std::vector<HistogramGroup>> read = absl::UnknownError("");
    {
      const StopWatch watch(&read_us_);
      read = histograms.Read(groups_, next, tsuid_of, &hold);
    }
    HOURCELL_RETURN_IF_ERROR(read.status());
    next += read->size();
    const StopWatch watch(&finish_us_);
    for (const HistogramGroup& group : *read) {
      if (group.present.empty()) continue;
      is_any = true;
      MemoryHold of_series(parts_.read.memory);
      HOURCELL_ASSIGN_OR_RETURN(const std::vector<HistogramSeries> series,
                                histograms.SeriesOf(finisher_.MetricName(), group, &of_series));
      HOURCELL_RETURN_IF_ERROR(finisher_.GiveHistograms(group.present, series));
    }
  }
  return is_any ? absl::OkStatus() : CheckHasHistograms();
}

// OpenTSDB gives an empty result, which its users took for a fault of the query.
absl::Status SubQueryPipeline::CheckHasHistograms() const {
  HOURCELL_ASSIGN_OR_RETURN(const bool has_some,
                            HasHistograms(*parts_.read.row_keys, parts_.read.view, plan_.metric));
  if (has_some) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "percentiles: {} has no histograms; expected a metric that 'histogram' or /api/histogram "
      "wrote. For numbers, use an aggregator such as p99",
      QuoteForMessage(finisher_.MetricName())));
}

absl::Status SubQueryPipeline::Begin() {
  HOURCELL_DCHECK(members_left_ == 0);  // begun once
  const std::optional<DownsampleSpec>& downsample = spec_.queries[index_].downsample;
  const QueryRange range{.start_ms = spec_.start_ms, .end_ms = spec_.end_ms, .scan = plan_.bounds};
  if (downsample.has_value()) HOURCELL_RETURN_IF_ERROR(CheckBucketCount(*downsample, range));
  HOURCELL_RETURN_IF_ERROR(parts_.read.meter->AddSeries(groups_.members().size()));
  if (groups_.size() == 0) return absl::OkStatus();
  members_left_ = groups_[0].size();
  size_t buckets = 0;
  std::vector<int64_t> times;
  if (downsample.has_value()) {
    buckets = BucketCount(*downsample, range, kAccumulatorsMax).value_or(0);
    // Of groups of one it is quicker to pass them on.
    if (buckets > 0 && groups_.size() < groups_.members().size()) {
      times = *BucketTimes(*downsample, range, kAccumulatorsMax);
    }
  }
  HOURCELL_RETURN_IF_ERROR(finisher_.Begin(std::move(times), groups_.members()));
  return reader_.Begin(
      {.block_cache_bytes = parts_.options->block_cache_bytes, .buckets = buckets});
}

absl::Status SubQueryPipeline::FinishBatch() {
  const StopWatch watch(&finish_us_);
  for (const uint32_t member : reader_.batch()) {
    HOURCELL_DCHECK(members_left_ > 0);
    HOURCELL_RETURN_IF_ERROR(finisher_.Add(member, reader_.SpanOf(member)));
    if (--members_left_ > 0) continue;
    HOURCELL_RETURN_IF_ERROR(finisher_.Finish());
    ++group_;
    if (group_ < groups_.size()) members_left_ = groups_[group_].size();
  }
  HOURCELL_DCHECK(group_ <= groups_.size());
  reader_.Release();
  return absl::OkStatus();
}

PlanReport SubQueryPipeline::Report() const {
  return {.query_index = index_,
          .method = std::string(ReadMethodName(reader_.cost().method)),
          .metric_series = plan_.metric_series,
          .series = groups_.members().size(),
          .groups = groups_.size(),
          .hours = reader_.hours(),
          .expected_rows = reader_.cost().rows,
          .expected_bytes = reader_.expected_bytes(),
          .cost = parts_.read.meter->cost(),
          .plan_us = 0,  // of the caller
          .read_us = read_us_,
          .finish_us = finish_us_};
}

}  // namespace hourcell
