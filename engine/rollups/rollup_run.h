// RollupRun: one sub query of a query, read from the sources of a RollupPlan. As SubQueryPipeline
// otherwise (engine/read/sub_query_pipeline.h).
//
//   sums, counts -> averages --+
//   points of a level ---------+-> buckets before the cut --+
//   points, downsampled ----------> buckets from the cut ---+-> GroupFinisher
//
// Each source is read in batches, in the order of the groups. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/query.h"
#include "engine/query/stages/group_by.h"
#include "engine/read/group_finisher.h"
#include "engine/read/member_reader.h"
#include "engine/read/sub_query_pipeline.h"
#include "engine/rollups/rollup_plan.h"

namespace hourcell {

class RollupRun {
 public:
  // `plan` is borrowed.
  RollupRun(const SubQueryPipeline::Parts& parts,
            const QuerySpec& spec,
            size_t index,
            const RollupPlan* plan);

  // Errors: as Queries::Query.
  absl::Status Run();

  // After Run: whether any source had a point.
  bool has_points() const { return has_points_; }
  PlanReport Report() const;

 private:
  // A source with its reader, which gives the members one after another.
  struct Reading {
    const RollupSource* source = nullptr;
    SeriesGroups order;  // its members in the order in which they are used
    std::unique_ptr<MemberReader> reader;
    size_t at = 0;  // in the batch
    absl::StatusOr<SeriesSpan*> Next();
  };

  absl::Status Begin();
  absl::Status Add(uint32_t member);
  // The buckets of a member, from its spans in all sources; null: it is not in one. By a rule,
  // those from the cut on are of the level's interval.
  Span Compose(const std::vector<SeriesSpan*>& spans) const;
  Span ComposeByRule(const std::vector<SeriesSpan*>& spans) const;

  const SubQueryPipeline::Parts parts_;
  const size_t index_;
  const SubQuery& query_;
  const RollupPlan& plan_;
  const QueryRange range_;
  const SeriesGroups groups_;
  std::vector<Reading> readings_;
  GroupFinisher finisher_;
  bool has_points_ = false;
  int64_t took_us_ = 0;
};

}  // namespace hourcell
