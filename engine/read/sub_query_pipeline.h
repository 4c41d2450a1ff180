// SubQueryPipeline: one sub-query of a query, from its plan to the sink.
//
//   GroupSeries   -> the plan's series as groups
//   MemberReader  -> their members' points, in batches that fit the memory
//   GroupFinisher -> gaps filled, rate, aggregate, cut; a group's result to the sink
//
// Members are read group by group, so that at most one group is unfinished at any time, and a
// downsampled group keeps its accumulators only. ReadAhead may run for several sub-queries at once,
// each in another thread; otherwise thread-compatible.

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
  // Memory of a plan's selected series without their points: lists of members, of groups, and of
  // present series.
  static size_t BytesOf(const SubQueryPlan& plan);

  // The maximum of rows to read: a row for each hour and selected series.
  static uint64_t RowsAtMost(const SubQueryPlan& plan);

  // `plan` is borrowed. REQUIRES: BytesOf(*plan) was taken from the memory.
  SubQueryPipeline(const Parts& parts,
                   const QuerySpec& spec,
                   size_t index,
                   const SubQueryPlan* plan);
  SubQueryPipeline(const SubQueryPipeline&) = delete;
  SubQueryPipeline& operator=(const SubQueryPipeline&) = delete;

  // The maximum of buckets: a series in each group; 0 without downsampling.
  uint64_t BucketsAtMost() const;

  // The memory of the buckets of all series, about; unknown without downsampling, and for
  // intervals of the calendar.
  std::optional<uint64_t> BytesOfBuckets() const;

  // Reads the first batch before Run. An error is kept for Run.
  void ReadAhead();

  // Errors: as Queries::Query.
  absl::Status Run();

  // Call it after Run, also after an error.
  PlanReport Report() const;

 private:
  absl::Status Begin();
  absl::Status ReadBatch();
  // Passes the members of the batch to their groups.
  absl::Status FinishBatch();
  // Run, of a query of histograms.
  absl::Status RunHistograms();
  // kInvalidArgument: the metric has series, but no histogram.
  absl::Status CheckHasHistograms() const;

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
  size_t members_left_ = 0;            // of group_, not added yet
};

}  // namespace hourcell
