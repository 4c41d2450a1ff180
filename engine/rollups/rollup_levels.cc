#include "engine/rollups/rollup_levels.h"

#include <utility>
#include <vector>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/stop_watch.h"
#include "engine/rollups/rollup_run.h"

namespace hourcell {

RollupLevels::RollupLevels(const Options& options,
                           const Layout& layout,
                           UidDirectory* uids,
                           const QueryPlanner* planner,
                           WallClock* clock,
                           const std::optional<RuleParts>& rules)
    : planner_(options, layout, uids, planner), clock_(clock) {
  HOURCELL_DCHECK(options.rollups.has_value() || rules.has_value());
  if (!rules.has_value()) return;
  HOURCELL_DCHECK(options.rollup_rules.has_value());
  by_rules_.emplace(layout, RulePlanner::Parts{.rules = &*options.rollup_rules,
                                               .planner = &planner_,
                                               .marks = rules->marks,
                                               .active = rules->active,
                                               .expiry = rules->expiry,
                                               .uids = uids});
}

bool RollupLevels::Takes(const SubQuery& query) const {
  if (!SummarizedMetric(query.metric).empty()) return false;  // it names the level itself
  if (IsByRule(query)) return true;
  return planner_.IsOfPreAggregates(query) || planner_.ReadsOf(query).front() != nullptr;
}

absl::Status RollupLevels::Run(const SubQueryPipeline::Parts& parts,
                               const QuerySpec& spec,
                               size_t index,
                               const QueryWatch& watch,
                               QueryControl* control) const {
  PlanReport report;
  const bool is_by_rule = IsByRule(spec.queries[index]);
  std::vector<const RollupInterval*> reads = {nullptr};
  if (!is_by_rule) reads = planner_.ReadsOf(spec.queries[index]);
  for (const RollupInterval* const level : reads) {
    int64_t plan_us = 0;
    absl::StatusOr<RollupPlan> plan;
    {
      const StopWatch stop_watch(&plan_us);
      const QueryPlanner::Budget budget{.watch = &watch, .memory = parts.read.memory};
      plan = is_by_rule ? by_rules_->Plan(spec, index, clock_->NowMs(), budget)
                        : planner_.Plan(spec, index, level, clock_->NowMs(), budget);
    }
    HOURCELL_RETURN_IF_ERROR(plan.status());
    HOURCELL_RETURN_IF_ERROR(parts.read.memory->Take(SubQueryPipeline::BytesOf(plan->all)));
    RollupRun run(parts, spec, index, &*plan);
    HOURCELL_RETURN_IF_ERROR(run.Run());
    report = run.Report();
    report.plan_us = plan_us;
    if (run.has_points()) break;
  }
  control->AddPlan(std::move(report));
  return absl::OkStatus();
}

}  // namespace hourcell
