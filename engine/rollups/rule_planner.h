// RulePlanner: plans a sub query of a metric with a rule (docs/decisions/0039-rollups-by-rules.md).
//
//   level        until the cut: the first hour that is not computed, or changed since
//   points       from the cut on, downsampled to the level's interval
//   points       of series that the rule leaves out by their tags
//
// Exact for every point that was acknowledged before the plan. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <absl/status/statusor.h>

#include "codec/rollups/metric_rules.h"
#include "engine/query/query_spec.h"
#include "engine/read/query_planner.h"
#include "engine/rollups/marks/rollup_marks.h"
#include "engine/rollups/rollup_plan.h"
#include "engine/series/active_sets.h"
#include "engine/table/retention.h"
#include "uid/uid_directory.h"

namespace hourcell {

class RulePlanner {
 public:
  // Borrowed; they outlive the planner.
  struct Parts {
    const MetricRules* rules = nullptr;
    const RollupPlanner* planner = nullptr;
    const RollupMarks* marks = nullptr;
    ActiveSets* active = nullptr;
    const RowExpiry* expiry = nullptr;
    UidDirectory* uids = nullptr;
  };
  RulePlanner(const Layout& layout, const Parts& parts) : layout_(layout), parts_(parts) {}

  // Whether a level may answer the query. Never with ROLLUP_RAW.
  bool Takes(const SubQuery& query) const;

  // Reads the points alone if no level helps. Errors as RollupPlanner::Plan.
  absl::StatusOr<RollupPlan> Plan(const QuerySpec& spec,
                                  size_t index,
                                  int64_t now_ms,
                                  const QueryPlanner::Budget& budget) const;

 private:
  // A level, and the hours in which it is read.
  struct Choice {
    std::string metric;
    const MetricRule* rule = nullptr;
    const RuleLevel* level = nullptr;
    ScanBounds bounds;   // of the query
    uint64_t cut_s = 0;  // in the bounds, after their begin
  };
  absl::StatusOr<std::optional<Choice>> Choose(const QuerySpec& spec,
                                               const SubQuery& query,
                                               int64_t now_ms) const;
  absl::Status AddAggregate(const Choice& choice,
                            const QuerySpec& spec,
                            const SubQuery& query,
                            const std::string& aggregate,
                            const QueryPlanner::Budget& budget,
                            RollupPlan* plan) const;
  absl::Status AddOthers(const Choice& choice,
                         const QuerySpec& spec,
                         const SubQuery& query,
                         const QueryPlanner::Budget& budget,
                         RollupPlan* plan) const;

  const Layout& layout_;
  const Parts parts_;
};

}  // namespace hourcell
