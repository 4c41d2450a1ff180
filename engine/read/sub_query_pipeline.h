// SubQueryPipeline: one sub-query of a query, from its plan to the sink.
//
//   GroupSeries   -> the plan's series as groups
//   MemberReader  -> their members' points, in batches that fit the memory
//   GroupFinisher -> gaps filled, rate, aggregate, cut; a group's result to the sink
//
// Members are read group by group, so that at most one group is unfinished at any time, and a group
// that is downsampled keeps its accumulators only. Several sub-queries may ReadAhead at once, each
// in a thread of its own; else thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <absl/status/status.h>

#include "engine/annotations/annotation_store.h"
#include "engine/names/query_names.h"
#include "engine/options.h"
#include "engine/query.h"
#include "engine/query/stages/group_by.h"
#include "engine/read/group_finisher.h"
#include "engine/read/member_reader.h"
#include "engine/read/query_planner.h"
#include "engine/read/span_reader.h"

namespace hourcell {

class SubQueryPipeline {
 public:
  // Borrowed.
  struct Parts {
    const Options* options = nullptr;
    SpanReader::Parts read;
    QueryNames* names = nullptr;
    const AnnotationStore* annotations = nullptr;
    QuerySink* sink = nullptr;
  };
  // What the selected series of a plan take here besides their points, as a list of members, of
  // groups, and of those that are present.
  static size_t BytesOf(const SubQueryPlan& plan);

  // `plan` is borrowed. REQUIRES: BytesOf(*plan) were taken of the memory.
  SubQueryPipeline(const Parts& parts,
                   const QuerySpec& spec,
                   size_t index,
                   const SubQueryPlan* plan);
  SubQueryPipeline(const SubQueryPipeline&) = delete;
  SubQueryPipeline& operator=(const SubQueryPipeline&) = delete;

  // Rows that it reads at most, were there a row of each hour and series.
  uint64_t RowsAtMost() const;

  // Buckets that it makes at most, were there a series in each of its groups; 0 if it has none.
  uint64_t BucketsAtMost() const;

  // Reads the first batch before Run asks for it. An error is kept for Run.
  void ReadAhead();

  // Errors: as Tsdb::Query.
  absl::Status Run();

  // To be called after Run, whatever it returned.
  PlanReport Report() const;

 private:
  absl::Status Begin();
  absl::Status ReadBatch();
  // Gives the members of the batch to their groups.
  absl::Status FinishBatch();

  const Parts parts_;
  const QuerySpec& spec_;
  const size_t index_;
  const SubQueryPlan& plan_;
  const SeriesGroups groups_;
  MemberReader reader_;
  GroupFinisher finisher_;
  int64_t read_us_ = 0;
  int64_t finish_us_ = 0;
  std::optional<absl::Status> ahead_;  // what ReadAhead met
  size_t group_ = 0;                   // the one members are added to
  size_t members_left_ = 0;            // of it, not yet added
};

}  // namespace hourcell
