// RollupPlan: the series that a sub query reads from rollups: those of its levels' metrics, and of
// the points for the time that is not rolled up. A value.
//
//   sum:1h-avg:cpu   ->  _rollup/1h-sum/cpu, _rollup/1h-count/cpu     until `cut_ms`
//                        cpu                                          from `cut_ms` on
//
// A series has the same tags in each metric. Its tsuid in the plan is that of the points.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/base/check.h"
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
  bool is_level = true;  // else of the points from the cut on
  SubQuery query;        // with the downsample to read with
  QuerySpec range;       // its times
  SubQueryPlan plan;
  std::vector<uint32_t> positions;  // in `plan`, of each series of the RollupPlan; or kAbsent
};

inline constexpr uint32_t kAbsentFromSource = UINT32_MAX;

struct RollupPlan {
  SubQueryPlan all;  // the series of all sources
  std::vector<std::unique_ptr<RollupSource>> sources;
  bool is_average = false;     // the first two sources are sums and counts
  int64_t cut_ms = INT64_MAX;  // buckets before it are those of the levels
};

class RollupPlanner {
 public:
  // Borrowed. REQUIRES: options.rollups.
  RollupPlanner(const Options& options,
                const Layout& layout,
                UidDirectory* uids,
                const QueryPlanner* planner)
      : options_(options), layout_(layout), uids_(*uids), planner_(*planner) {
    HOURCELL_DCHECK(options.rollups.has_value());
  }

  // Whether the query is of pre-aggregated series: by its field, or by a literal filter of the tag
  // tsd.rollups.agg_tag_key with another value than that of raw points.
  bool IsOfPreAggregates(const SubQuery& query) const;

  // The levels to read, in turn: RollupConfig::Reads.
  std::vector<const RollupInterval*> ReadsOf(const SubQuery& query) const;

  // Plans to read a level, or the points. Errors as QueryPlanner; an unknown metric gives an empty
  // plan.
  absl::StatusOr<RollupPlan> Plan(const QuerySpec& spec,
                                  size_t index,
                                  const RollupInterval* level,
                                  int64_t now_ms,
                                  const QueryPlanner::Budget& budget) const;

 private:
  absl::StatusOr<std::string> MetricOf(const SubQuery& query) const;
  absl::Status AddSource(RollupSource source,
                         const QueryPlanner::Budget& budget,
                         RollupPlan* plan) const;
  absl::Status Join(const SubQuery& query,
                    const QuerySpec& spec,
                    const QueryPlanner::Budget& budget,
                    RollupPlan* plan) const;

  const Options& options_;
  const Layout& layout_;
  UidDirectory& uids_;
  const QueryPlanner& planner_;
};

}  // namespace hourcell
