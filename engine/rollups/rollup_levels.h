// RollupLevels: answers sub queries from rollups. The best level is read first. If it is empty,
// others follow according to the query's RollupUsage. Thread-safe.

#pragma once

#include <cstddef>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "codec/base/clock.h"
#include "engine/options.h"
#include "engine/read/query_executor.h"
#include "engine/rollups/rollup_plan.h"

namespace hourcell {

class RollupLevels final : public RollupAnswers {
 public:
  // Borrowed. REQUIRES: options.rollups.
  RollupLevels(const Options& options,
               const Layout& layout,
               UidDirectory* uids,
               const QueryPlanner* planner,
               WallClock* clock)
      : planner_(options, layout, uids, planner), clock_(clock) {
    HOURCELL_DCHECK(options.rollups.has_value());
  }

  bool Takes(const SubQuery& query) const override;
  absl::Status Run(const SubQueryPipeline::Parts& parts,
                   const QuerySpec& spec,
                   size_t index,
                   const QueryWatch& watch,
                   QueryControl* control) const override;

 private:
  const RollupPlanner planner_;
  WallClock* const clock_;
};

}  // namespace hourcell
