#include "engine/rollups/rollup_levels.h"

#include <utility>

#include "codec/base/status_macros.h"
#include "codec/base/stop_watch.h"
#include "engine/rollups/rollup_run.h"

namespace hourcell {

bool RollupLevels::Takes(const SubQuery& query) const {
  if (!SummarizedMetric(query.metric).empty()) return false;  // it names the level itself
  return planner_.IsOfPreAggregates(query) || planner_.ReadsOf(query).front() != nullptr;
}

absl::Status RollupLevels::Run(const SubQueryPipeline::Parts& parts,
                               const QuerySpec& spec,
                               size_t index,
                               const QueryWatch& watch,
                               QueryControl* control) const {
  PlanReport report;
  for (const RollupInterval* const level : planner_.ReadsOf(spec.queries[index])) {
    int64_t plan_us = 0;
    absl::StatusOr<RollupPlan> plan;
    {
      const StopWatch stop_watch(&plan_us);
      plan = planner_.Plan(spec, index, level, clock_->NowMs(),
                           {.watch = &watch, .memory = parts.read.memory});
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
