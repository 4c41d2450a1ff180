#include "engine/rollups/rollup_plan.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "engine/query/stages/rollup_buckets.h"
#include "engine/query/stages/scan_bounds.h"
#include "engine/table/table_spec.h"

namespace hourcell {
namespace {

// Zones differ from UTC by multiples of this; their days begin at one.
constexpr int64_t kZoneStepMs = 900'000;
constexpr int64_t kDayMs = 86'400'000;

// Hex, of a tsuid of another metric.
std::string WithMetric(std::string_view tsuid_hex, std::string_view metric_bytes) {
  return ToUpperHex(metric_bytes) + std::string(tsuid_hex.substr(2 * metric_bytes.size()));
}

}  // namespace

int64_t WholeIntervalMs(const std::optional<DownsampleSpec>& downsample) {
  if (!downsample.has_value() || downsample->all) return 0;
  if (!downsample->calendar) return downsample->interval_ms;
  const bool is_utc = downsample->timezone == absl::UTCTimeZone();
  return std::gcd(downsample->interval_ms, is_utc ? kDayMs : kZoneStepMs);
}

bool RollupPlanner::IsOfPreAggregates(const SubQuery& query) const {
  if (!options_.rollups.has_value()) return false;
  if (query.pre_aggregate) return true;
  return std::ranges::any_of(query.filters, [this](const TagFilterSpec& filter) {
    return filter.tagk == options_.aggregate_tagk && filter.type == FilterType::kLiteralOr &&
           filter.filter != options_.raw_aggregate;
  });
}

std::vector<const RollupInterval*> RollupPlanner::ReadsOf(const SubQuery& query) const {
  const int64_t interval_ms = WholeIntervalMs(query.downsample);
  if (interval_ms == 0 || !options_.rollups.has_value()) return {nullptr};
  return options_.rollups->Reads(interval_ms, AggregatorName(query.downsample->function),
                                 query.rollup_usage);
}

absl::StatusOr<std::string> RollupPlanner::MetricOf(const SubQuery& query) const {
  if (query.tsuids.empty()) return query.metric;
  HOURCELL_ASSIGN_OR_RETURN(const QueryPlanner::ResolvedQuery resolved, planner_.Resolve(query));
  return uids_.NameOf(UidKind::kMetric, resolved.metric);
}

absl::StatusOr<RollupPlan> RollupPlanner::Plan(const QuerySpec& spec,
                                               size_t index,
                                               const RollupInterval* level,
                                               int64_t now_ms,
                                               const QueryPlanner::Budget& budget) const {
  const SubQuery& query = spec.queries[index];
  HOURCELL_ASSIGN_OR_RETURN(const std::string metric, MetricOf(query));
  const std::string group_by = IsOfPreAggregates(query) ? "agg" : "";
  RollupPlan plan;
  int64_t cut_ms = INT64_MAX;
  if (level == nullptr) {
    cut_ms = INT64_MIN;
  } else if (options_.split_rollups && !query.downsample->calendar) {
    cut_ms = RollupCutMs(now_ms, spec.end_ms, level->delay_s(), query.downsample->interval_ms)
                 .value_or(INT64_MAX);
  }
  plan.cut_ms = cut_ms;
  if (cut_ms > spec.start_ms) {
    const auto stored = options_.rollups->StoredFor(AggregatorName(query.downsample->function));
    plan.is_average = stored.size() == 2;
    for (const std::string& aggregate : stored) {
      RollupSource source{
          .metric = RollupMetric(
              {.interval = level->name(), .aggregator = aggregate, .group_by = group_by}, metric),
          .is_level = true,
          .is_other = false,
          .query = query,
          .range = {.start_ms = spec.start_ms,
                    .end_ms = std::min(spec.end_ms, cut_ms - 1),
                    .queries = {}},
          .plan = {},
          .positions = {}};
      source.query.downsample->function = FunctionOfLevel(query.downsample->function);
      HOURCELL_RETURN_IF_ERROR(AddSource(std::move(source), budget, &plan));
    }
  }
  if (cut_ms <= spec.end_ms) {
    RollupSource source{
        .metric = group_by.empty() ? metric : RollupMetric({.group_by = group_by}, metric),
        .is_level = false,
        .is_other = false,
        .query = query,
        .range = {.start_ms = std::max(spec.start_ms, cut_ms),
                  .end_ms = spec.end_ms,
                  .queries = {}},
        .plan = {},
        .positions = {}};
    HOURCELL_RETURN_IF_ERROR(AddSource(std::move(source), budget, &plan));
  }
  HOURCELL_RETURN_IF_ERROR(Join(query, spec, budget, &plan));
  return plan;
}

// Sums and counts that clients write are read as they are stored: they are paired before they are
// added.
absl::Status RollupPlanner::AddSource(RollupSource source,
                                      const QueryPlanner::Budget& budget,
                                      RollupPlan* plan) const {
  const absl::StatusOr<Uid> uid = uids_.Get(UidKind::kMetric, source.metric);
  if (!uid.ok() && !absl::IsNotFound(uid.status())) return uid.status();
  source.plan.list = std::make_shared<SeriesList>();
  if (uid.ok()) {
    std::string metric_bytes;
    AppendBigEndian(*uid, layout_.metric_width, &metric_bytes);
    source.query.metric = source.metric;
    for (std::string& tsuid : source.query.tsuids)
      tsuid = WithMetric(tsuid, metric_bytes);
    HOURCELL_ASSIGN_OR_RETURN(QueryPlanner::ResolvedQuery resolved,
                              planner_.Resolve(source.query, budget.watch));
    HOURCELL_ASSIGN_OR_RETURN(
        source.plan, planner_.Plan(source.query, std::move(resolved), source.range.start_ms,
                                   source.range.end_ms, budget));
    if (source.is_level && plan->is_average && !plan->is_by_rule) source.query.downsample.reset();
  }
  plan->sources.push_back(std::make_unique<RollupSource>(std::move(source)));
  return absl::OkStatus();
}

absl::Status RollupPlanner::Join(const SubQuery& query,
                                 const QuerySpec& spec,
                                 const QueryPlanner::Budget& budget,
                                 RollupPlan* plan) const {
  HOURCELL_ASSIGN_OR_RETURN(const QueryPlanner::ResolvedQuery resolved,
                            planner_.Resolve(query, budget.watch));
  plan->all.metric = resolved.metric;
  plan->all.group_by_tagks = resolved.group_by_tagks;
  plan->all.bounds = ComputeScanBounds(kDataRowSpan, spec.start_ms, spec.end_ms, query.downsample);
  std::vector<std::string_view> tags;  // of each series
  for (const auto& source : plan->sources) {
    for (const uint32_t i : source->plan.selected)
      tags.push_back(source->plan.list->tag_bytes(i));
    plan->all.metric_series = std::max(plan->all.metric_series, source->plan.metric_series);
  }
  HOURCELL_RETURN_IF_ERROR(budget.Take(tags.capacity() * sizeof(std::string_view)));
  std::ranges::sort(tags);
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  std::string tsuid;
  AppendBigEndian(resolved.metric, layout_.metric_width, &tsuid);
  SeriesListBuilder builder(layout_);
  for (const std::string_view of_series : tags) {
    tsuid.replace(layout_.metric_width, std::string::npos, of_series);
    HOURCELL_RETURN_IF_ERROR(builder.Add(/*number=*/0, tsuid));
  }
  HOURCELL_RETURN_IF_ERROR(budget.Take(builder.allocated_bytes()));
  for (const auto& source : plan->sources) {
    source->positions.assign(tags.size(), kAbsentFromSource);
    for (const uint32_t i : source->plan.selected) {
      const auto at = std::ranges::lower_bound(tags, source->plan.list->tag_bytes(i));
      HOURCELL_DCHECK(at != tags.end());
      source->positions[static_cast<size_t>(at - tags.begin())] = i;
    }
    HOURCELL_RETURN_IF_ERROR(budget.Take(tags.size() * sizeof(uint32_t)));
  }
  plan->all.list = std::make_shared<SeriesList>(std::move(builder).Build());
  plan->all.selected.resize(tags.size());
  std::iota(plan->all.selected.begin(), plan->all.selected.end(), 0);
  return absl::OkStatus();
}

}  // namespace hourcell
