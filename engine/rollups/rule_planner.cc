#include "engine/rollups/rule_planner.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "engine/query/stages/rollup_buckets.h"
#include "engine/query/stages/scan_bounds.h"
#include "engine/table/table_spec.h"

// Why the watermark and the marks are read after the query's pin and snapshot: the points of a
// level were put before its watermark rose or its mark was removed, so the query sees them, in open
// hours or in its snapshot. A mark that comes later is of a point that is acknowledged later.

namespace hourcell {
namespace {

constexpr uint64_t kPlannedHourS = 3600;

uint64_t FloorOfLevel(uint64_t time_s, const RuleLevel& level) {
  HOURCELL_DCHECK(level.seconds > 0);
  return time_s - time_s % static_cast<uint64_t>(level.seconds);
}

// The tags of a rule as UIDs.
using RuleTagUids = std::vector<std::pair<Uid, std::vector<Uid>>>;

absl::StatusOr<RuleTagUids> UidsOfTags(const MetricRule& rule, UidDirectory* uids) {
  RuleTagUids found;
  for (const RuleTag& tag : rule.tags) {
    auto& [tagk, tagvs] = found.emplace_back();
    const absl::StatusOr<Uid> key = uids->Get(UidKind::kTagk, tag.tagk);
    if (!key.ok() && !absl::IsNotFound(key.status())) return key.status();
    tagk = key.value_or(kNoUid);
    for (const std::string& name : tag.tagvs) {
      const absl::StatusOr<Uid> value = uids->Get(UidKind::kTagv, name);
      if (!value.ok() && !absl::IsNotFound(value.status())) return value.status();
      if (value.ok()) tagvs.push_back(*value);
    }
  }
  return found;
}

// Whether a series with these tags, pairs of UIDs, has all that the rule wants.
bool HasTags(std::string_view tag_bytes, const RuleTagUids& wanted, const Layout& layout) {
  const size_t pair = layout.tagk_width + layout.tagv_width;
  return std::ranges::all_of(wanted, [&](const auto& one) {
    for (std::string_view rest = tag_bytes; rest.size() >= pair; rest.remove_prefix(pair)) {
      if (LoadBigEndian(rest.data(), layout.tagk_width) != one.first) continue;
      const Uid value = LoadBigEndian(rest.data() + layout.tagk_width, layout.tagv_width);
      return std::ranges::find(one.second, value) != one.second.end();
    }
    return false;
  });
}

void KeepSeries(bool with_tags, const RuleTagUids& tags, const Layout& layout, RollupSource* from) {
  std::erase_if(from->plan.selected, [&](uint32_t i) {
    return HasTags(from->plan.list->tag_bytes(i), tags, layout) != with_tags;
  });
}

}  // namespace

bool RulePlanner::Takes(const SubQuery& query) const {
  const int64_t interval_ms = WholeIntervalMs(query.downsample);
  if (interval_ms == 0 || query.rollup_usage == RollupUsage::kRaw) return false;
  if (parts_.planner->IsOfPreAggregates(query)) return false;
  if (!query.tsuids.empty()) return true;  // the plan finds the metric
  const MetricRule* const rule = parts_.rules->RuleOf(query.metric);
  // With times at which every level is kept.
  return rule != nullptr &&
         rule->LevelFor(interval_ms, AggregatorName(query.downsample->function), {}) != nullptr;
}

absl::StatusOr<RollupPlan> RulePlanner::Plan(const QuerySpec& spec,
                                             size_t index,
                                             int64_t now_ms,
                                             const QueryPlanner::Budget& budget) const {
  const SubQuery& query = spec.queries[index];
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<Choice> choice, Choose(spec, query, now_ms));
  if (!choice.has_value()) {
    return parts_.planner->Plan(spec, index, /*level=*/nullptr, now_ms, budget);
  }
  RollupPlan plan;
  plan.is_by_rule = true;
  const std::vector<std::string> stored =
      choice->level->StoredFor(AggregatorName(query.downsample->function));
  plan.is_average = stored.size() == 2;
  for (const std::string& aggregate : stored)
    HOURCELL_RETURN_IF_ERROR(AddAggregate(*choice, spec, query, aggregate, budget, &plan));
  if (!choice->rule->tags.empty()) {
    HOURCELL_RETURN_IF_ERROR(AddOthers(*choice, spec, query, budget, &plan));
  }
  HOURCELL_RETURN_IF_ERROR(parts_.planner->Join(query, spec, budget, &plan));
  return plan;
}

// Nothing: the points alone.
absl::StatusOr<std::optional<RulePlanner::Choice>> RulePlanner::Choose(const QuerySpec& spec,
                                                                       const SubQuery& query,
                                                                       int64_t now_ms) const {
  Choice choice;
  HOURCELL_ASSIGN_OR_RETURN(choice.metric, parts_.planner->MetricOf(query));
  choice.rule = parts_.rules->RuleOf(choice.metric);
  if (choice.rule == nullptr) return std::optional<Choice>();
  const absl::StatusOr<Uid> metric = parts_.uids->Get(UidKind::kMetric, choice.metric);
  if (absl::IsNotFound(metric.status())) return std::optional<Choice>();
  HOURCELL_RETURN_IF_ERROR(metric.status());
  choice.bounds = ComputeScanBounds(kDataRowSpan, spec.start_ms, spec.end_ms, query.downsample);
  const uint64_t begin_s = choice.bounds.begin_s;
  const int64_t expires_ms = parts_.expiry->ExpiresBeforeMs(*metric);
  choice.level = choice.rule->LevelFor(
      WholeIntervalMs(query.downsample), AggregatorName(query.downsample->function),
      {.begin_ms = static_cast<int64_t>(begin_s) * 1000,
       .now_ms = now_ms,
       .points_ttl_s = expires_ms == 0 ? 0 : (now_ms - expires_ms) / 1000});
  if (choice.level == nullptr) return std::optional<Choice>();
  HOURCELL_RETURN_IF_ERROR(parts_.active->TakeOpened());
  const std::optional<RollupUntil> until = parts_.marks->UntilOf(*metric);
  if (!until.has_value() || until->fingerprint != choice.rule->Fingerprint()) {
    return std::optional<Choice>();
  }
  const uint64_t clean_s = parts_.marks->CleanUntilS(*metric, FloorOfLevel(begin_s, *choice.level));
  choice.cut_s = FloorOfLevel(clean_s, *choice.level);
  // Hours with expired points are not computed again, and their points are gone or going.
  if (expires_ms > 0) {
    const auto interval_s = static_cast<uint64_t>(choice.level->seconds);
    const uint64_t whole_s = std::max(interval_s, kPlannedHourS);
    const uint64_t first_whole_s =
        (static_cast<uint64_t>(expires_ms) / 1000 / whole_s + 1) * whole_s;
    choice.cut_s = std::max(choice.cut_s,
                            std::min(first_whole_s, FloorOfLevel(until->until_s, *choice.level)));
  }
  if (choice.cut_s <= begin_s) return std::optional<Choice>();
  choice.cut_s = std::min(choice.cut_s, choice.bounds.end_s);
  return std::optional<Choice>(std::move(choice));
}

// The level before the cut, in buckets of the query, and the points from it on, in intervals of the
// level.
absl::Status RulePlanner::AddAggregate(const Choice& choice,
                                       const QuerySpec& spec,
                                       const SubQuery& query,
                                       const std::string& aggregate,
                                       const QueryPlanner::Budget& budget,
                                       RollupPlan* plan) const {
  const bool is_count = aggregate == "count";
  RollupSource level;
  level.metric =
      RollupMetric({.interval = choice.level->interval, .aggregator = aggregate}, choice.metric);
  level.query = query;
  level.query.downsample->function =
      plan->is_average ? Aggregator::kSum : FunctionOfLevel(query.downsample->function);
  // With a fill policy, the bucket with the cut would lack its part before the cut. Empty buckets
  // are added to those of all sources; a level that is the only source adds its own.
  if (choice.cut_s != choice.bounds.end_s) level.query.downsample->fill = FillPolicy::kNone;
  level.range = {.start_ms = spec.start_ms, .end_ms = spec.end_ms, .queries = {}};
  HOURCELL_RETURN_IF_ERROR(parts_.planner->AddSource(std::move(level), budget, plan));
  plan->sources.back()->plan.bounds = {.begin_s = choice.bounds.begin_s, .end_s = choice.cut_s};
  if (choice.cut_s == choice.bounds.end_s) return absl::OkStatus();

  RollupSource points;
  points.metric = choice.metric;
  points.is_level = false;
  points.query = query;
  points.range = {.start_ms = spec.start_ms, .end_ms = spec.end_ms, .queries = {}};
  HOURCELL_RETURN_IF_ERROR(parts_.planner->AddSource(std::move(points), budget, plan));
  RollupSource& added = *plan->sources.back();
  added.plan.bounds = {.begin_s = static_cast<uint32_t>(choice.cut_s),
                       .end_s = choice.bounds.end_s};
  added.query.downsample = DownsampleSpec{.interval_ms = choice.level->seconds * 1000,
                                          .function = query.downsample->function};
  if (plan->is_average) {
    added.query.downsample->function = is_count ? Aggregator::kCount : Aggregator::kSum;
  }
  if (choice.rule->tags.empty()) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(const RuleTagUids tags, UidsOfTags(*choice.rule, parts_.uids));
  KeepSeries(/*with_tags=*/true, tags, layout_, &added);
  return absl::OkStatus();
}

// The series without the rule's tags, over the whole range.
absl::Status RulePlanner::AddOthers(const Choice& choice,
                                    const QuerySpec& spec,
                                    const SubQuery& query,
                                    const QueryPlanner::Budget& budget,
                                    RollupPlan* plan) const {
  RollupSource others;
  others.metric = choice.metric;
  others.is_level = false;
  others.is_other = true;
  others.query = query;
  others.range = {.start_ms = spec.start_ms, .end_ms = spec.end_ms, .queries = {}};
  HOURCELL_RETURN_IF_ERROR(parts_.planner->AddSource(std::move(others), budget, plan));
  HOURCELL_ASSIGN_OR_RETURN(const RuleTagUids tags, UidsOfTags(*choice.rule, parts_.uids));
  KeepSeries(/*with_tags=*/false, tags, layout_, plan->sources.back().get());
  return absl::OkStatus();
}

}  // namespace hourcell
