// SubQueryPipeline: one sub query of a query, from its plan to the sink.
//
//   groups -> batches of series that fit the memory -> spans -> rate -> aggregate -> cut -> sink
//
// Members are read group by group, so that at most one group is unfinished at any time, and a group
// that is downsampled keeps its accumulators only. Several sub queries may ReadAhead at once, each
// in a thread of its own; else thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/strings.h"
#include "codec/rows/row_key.h"
#include "engine/annotations/annotation_store.h"
#include "engine/names/query_names.h"
#include "engine/options.h"
#include "engine/query.h"
#include "engine/query/memory_account.h"
#include "engine/query/stages/aggregate.h"
#include "engine/query/stages/downsampler.h"
#include "engine/query/stages/group_by.h"
#include "engine/read/query_meter.h"
#include "engine/read/query_planner.h"
#include "engine/read/read_cost.h"
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

  // Rows that it reads at most, were there a row of each hour and series.
  uint64_t RowsAtMost() const;

  // Reads the first batch before Run asks for it. An error is kept for Run.
  void ReadAhead();

  // Errors: as Tsdb::Query.
  absl::Status Run();

  // To be called after Run, whatever it returned.
  PlanReport Report() const;

 private:
  // Members that were read.
  struct Batch {
    std::vector<uint32_t> sorted;
    std::vector<SeriesSpan> spans;  // of each of `sorted`
    size_t bytes = 0;               // of the lease
  };

  absl::Status Begin();
  // Chooses how the hours there are rows in are read.
  absl::Status Prepare();
  // Reads the annotations of all members, positions ascending.
  absl::Status ReadAnnotations(std::span<const uint32_t> sorted);
  std::span<const uint32_t> MembersLeft() const {
    return groups_.members().subspan(members_given_);
  }
  absl::Status ReadBatch();
  // Gives the batch's members to their groups.
  absl::Status FinishBatch();
  ReadCost EstimateFor(std::span<const uint32_t> sorted) const;
  size_t BatchSize() const;
  absl::Status AddMember(uint32_t member, SeriesSpan* read);
  // The span of a member, filled and as a rate if that is asked for. `*hold` counts it.
  absl::StatusOr<Span> FinishedSpan(SeriesSpan* read, MemoryHold* hold);
  absl::Status FinishGroup();
  absl::Status Give(const Span& points);
  // Those of the present members, by start.
  std::vector<Annotation> AnnotationsOfGroup() const;

  const Parts parts_;
  const QuerySpec& spec_;
  const size_t index_;
  const SubQuery& query_;
  const SubQueryPlan& plan_;
  const QueryRange range_;
  const bool each_alone_;
  SeriesGroups groups_;
  ScanBounds stored_;  // in which there may be stored rows
  std::vector<int64_t> bucket_times_;
  std::unique_ptr<SpanAggregator> aggregator_;
  std::unique_ptr<GapFiller> filler_;  // once a span has gaps
  std::unique_ptr<SpanReader> reader_;
  ReadCost cost_;                      // of all, as expected
  Batch batch_;                        // read and not yet given
  std::optional<absl::Status> ahead_;  // what ReadAhead met
  size_t members_read_ = 0;
  size_t members_given_ = 0;
  size_t bytes_of_read_ = 0;  // of memory, of the members read

  StringMap<std::vector<Annotation>> annotations_;  // by tsuid in hex; of those that have some

  size_t group_ = 0;               // the one members are added to
  size_t members_left_ = 0;        // of it, not yet added
  std::vector<uint32_t> present_;  // of its members: those with points
  // Reused from group to group.
  std::vector<std::pair<std::string_view, std::string_view>> tags_;
  std::vector<std::string_view> aggregate_tags_;
  std::vector<std::string_view> tsuids_;
};

}  // namespace hourcell
