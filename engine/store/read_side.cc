#include "engine/store/read_side.h"

#include <cstddef>

#include "codec/base/check.h"

namespace hourcell {
namespace {

// For the series of queried metrics.
constexpr size_t kMetricSeriesBytes = 128 << 20;

std::optional<RollupLevels> MakeRollups(StoreCore* core,
                                        ActiveSets* active,
                                        RollupMarks* marks,
                                        const QueryPlanner* planner) {
  std::optional<RollupLevels::RuleParts> rules;
  if (marks != nullptr && core->options.rollup_rules.has_value()) {
    HOURCELL_DCHECK(active != nullptr);
    rules = {.marks = marks, .active = active, .expiry = &*core->expiry};
  }
  if (!core->options.rollups.has_value() && !rules.has_value()) return std::nullopt;
  return std::optional<RollupLevels>(std::in_place, core->options, core->options.layout,
                                     core->uids.get(), planner, core->clock, rules);
}

}  // namespace

ReadSide::ReadSide(StoreCore* core, ActiveSets* active, RollupMarks* marks)
    : active_sets(active),
      metric_series(core->options.layout, core->series.get(), {.bytes = kMetricSeriesBytes}),
      tags_in_use(core->options.layout, core->series.get(), core->clock),
      planner(core->options,
              *core->row_keys,
              QueryPlanner::Parts{.uids = core->uids.get(),
                                  .series = core->series.get(),
                                  .metric_series = &metric_series,
                                  .active = active,
                                  .expiry = &*core->expiry}),
      rollups(MakeRollups(core, active, marks, &planner)),
      virtuals(core->options.layout, core->virtual_metrics.get(), core->uids.get()),
      executor(core->options,
               *core->row_keys,
               QueryExecutor::Parts{.tables = core->tables.get(),
                                    .uids = core->uids.get(),
                                    .planner = &planner,
                                    .annotations = core->annotations.get(),
                                    .clock = core->clock,
                                    .rollups = rollups.has_value() ? &*rollups : nullptr,
                                    .virtuals = &virtuals}),
      series_(*core->series) {
  HOURCELL_DCHECK(marks == nullptr || active != nullptr);
}

absl::Status ReadSide::ListPutSeries() const {
  if (active_sets == nullptr || !series_.unlisted()->is_any()) return absl::OkStatus();
  return active_sets->TakeOpened();
}

}  // namespace hourcell
