// VirtualLookup: the series of a virtual metric by their tags, without their points.
//
// They are those that a query without filters joins, if each series of the inputs has points: a
// lookup does not read any. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "codec/rows/tsuid.h"
#include "codec/rows/uid.h"
#include "engine/hidden/unlisted_series.h"
#include "engine/names/virtual_metrics.h"
#include "engine/query/memory_account.h"
#include "engine/query/query_spec.h"
#include "engine/read/query_planner.h"

namespace hourcell {

class VirtualLookup {
 public:
  // The first three are borrowed. `unlisted`: series that are left out. `now_ms`: series are looked
  // for until then.
  VirtualLookup(const Layout& layout,
                const VirtualMetrics* metrics,
                const QueryPlanner* planner,
                SeriesSet::Pointer unlisted,
                int64_t now_ms)
      : layout_(layout),
        metrics_(*metrics),
        planner_(*planner),
        unlisted_(std::move(unlisted)),
        now_ms_(now_ms) {}

  // The tsuids of its series, ascending; none if it is not virtual. Errors: as QueryPlanner;
  // kInvalidArgument: as JoinInputs. `budget` counts the plans and the result.
  absl::StatusOr<std::vector<std::string>> TsuidsOf(Uid metric,
                                                    const QueryPlanner::Budget& budget) const;

 private:
  using Tags = std::vector<TagUids>;

  // The tags of each result of a sub query, and the keys that it groups by.
  struct Results {
    std::vector<Tags> tags;
    FewUids group_by_tagks;
    bool each_alone = false;
  };
  absl::StatusOr<Results> ResultsOf(const SubQuery& query,
                                    size_t level,
                                    const QueryPlanner::Budget& budget) const;
  // The tags of the series that a query of a virtual metric joins.
  absl::StatusOr<std::vector<Tags>> JoinedTags(const StoredExpression& stored,
                                               const SubQuery& query,
                                               size_t level,
                                               const QueryPlanner::Budget& budget) const;

  const Layout& layout_;
  const VirtualMetrics& metrics_;
  const QueryPlanner& planner_;
  const SeriesSet::Pointer unlisted_;
  const int64_t now_ms_;
};

}  // namespace hourcell
