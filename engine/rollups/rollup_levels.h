// RollupLevels: answers sub queries from rollups. A metric with a rule has levels that are as exact
// as the points (rule_planner.h). Of the levels that clients write, the best is read first; if it
// is empty, others follow according to the query's RollupUsage. Thread-safe.

#pragma once

#include <cstddef>
#include <optional>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "engine/options.h"
#include "engine/read/query_executor.h"
#include "engine/rollups/marks/rollup_marks.h"
#include "engine/rollups/rollup_plan.h"
#include "engine/rollups/rule_planner.h"
#include "engine/series/active_sets.h"
#include "engine/table/retention.h"

namespace hourcell {

class RollupLevels final : public RollupAnswers {
 public:
  // The parts of rules; borrowed.
  struct RuleParts {
    const RollupMarks* marks = nullptr;
    ActiveSets* active = nullptr;
    const RowExpiry* expiry = nullptr;
  };
  // Borrowed. `rules`: nothing if the store does not compute levels by options.rollup_rules.
  // REQUIRES: options.rollups, or `rules`.
  RollupLevels(const Options& options,
               const Layout& layout,
               UidDirectory* uids,
               const QueryPlanner* planner,
               WallClock* clock,
               const std::optional<RuleParts>& rules);

  bool Takes(const SubQuery& query) const override;
  absl::Status Run(const SubQueryPipeline::Parts& parts,
                   const QuerySpec& spec,
                   size_t index,
                   const QueryWatch& watch,
                   QueryControl* control) const override;

 private:
  bool IsByRule(const SubQuery& query) const {
    return by_rules_.has_value() && by_rules_->Takes(query);
  }

  const RollupPlanner planner_;
  std::optional<RulePlanner> by_rules_;
  WallClock* const clock_;
};

}  // namespace hourcell
