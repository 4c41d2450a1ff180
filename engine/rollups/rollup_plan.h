// RollupPlan: the series that a sub query reads from rollups: those of its levels' metrics, and of
// the points for the time that is not rolled up. A value.
//
//   sum:1h-avg:cpu   ->  _rollup/1h-sum/cpu, _rollup/1h-count/cpu     until `cut_ms`
//                        cpu                                          from `cut_ms` on
//
// The cut of levels that clients write is between two buckets. That of levels by rules
// (rule_planner.h) is between two intervals of the level: the points after it are downsampled to
// such intervals, which go into the buckets with those of the level.
//
// A series has the same tags in each metric. Its tsuid in the plan is that of the points.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/rollups/rollup_config.h"
#include "engine/options.h"
#include "engine/query/query_spec.h"
#include "engine/query/query_watch.h"
#include "engine/read/query_planner.h"
#include "uid/uid_directory.h"

namespace hourcell {

// A metric to read.
struct RollupSource {
  std::string metric;
  bool is_level = true;   // else of the points from the cut on
  bool is_other = false;  // of the points of series that the rule leaves out, over the whole range
  SubQuery query;         // with the downsample to read with
  QuerySpec range;        // its times
  SubQueryPlan plan;
  std::vector<uint32_t> positions;  // in `plan`, of each series of the RollupPlan; or kAbsent
};

inline constexpr uint32_t kAbsentFromSource = UINT32_MAX;

struct RollupPlan {
  SubQueryPlan all;  // the series of all sources
  std::vector<std::unique_ptr<RollupSource>> sources;
  // Sums and counts: the first two sources, or the two halves of the sources by a rule.
  bool is_average = false;
  bool is_by_rule = false;
  int64_t cut_ms = INT64_MAX;  // buckets before it are those of the levels
};

// The greatest interval that divides all buckets: that of the downsample, or of its
// calendar. 0 for `all` and without a downsample.
int64_t WholeIntervalMs(const std::optional<DownsampleSpec>& downsample);

class RollupPlanner {
 public:
  // Borrowed.
  RollupPlanner(const Options& options,
                const Layout& layout,
                UidDirectory* uids,
                const QueryPlanner* planner)
      : options_(options), layout_(layout), uids_(*uids), planner_(*planner) {}

  // Whether the query is of pre-aggregated series: by its field, or by a literal filter of the tag
  // tsd.rollups.agg_tag_key with another value than that of raw points. Never without
  // options.rollups.
  bool IsOfPreAggregates(const SubQuery& query) const;

  // The levels to read, in turn: RollupConfig::Reads. Only the points without options.rollups.
  std::vector<const RollupInterval*> ReadsOf(const SubQuery& query) const;

  // Plans to read a level, or the points. Errors as QueryPlanner; an unknown metric gives an empty
  // plan.
  absl::StatusOr<RollupPlan> Plan(const QuerySpec& spec,
                                  size_t index,
                                  const RollupInterval* level,
                                  int64_t now_ms,
                                  const QueryPlanner::Budget& budget) const;

  // The parts of a plan. The metric of the points of a query, by name or tsuids.
  absl::StatusOr<std::string> MetricOf(const SubQuery& query) const;
  // Plans a source, unless its metric does not exist, and adds it.
  absl::Status AddSource(RollupSource source,
                         const QueryPlanner::Budget& budget,
                         RollupPlan* plan) const;
  // Last: the series of all sources by their tags.
  absl::Status Join(const SubQuery& query,
                    const QuerySpec& spec,
                    const QueryPlanner::Budget& budget,
                    RollupPlan* plan) const;

 private:
  const Options& options_;
  const Layout& layout_;
  UidDirectory& uids_;
  const QueryPlanner& planner_;
};

}  // namespace hourcell
