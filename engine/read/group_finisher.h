// GroupFinisher: the second stage of a sub-query. It combines the members of a group, as they
// arrive, into one result for the sink.
//
//   fill gaps -> rate -> aggregate -> cut to start..end -> sink

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/inlined_vector.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/strings.h"
#include "engine/annotations/annotation_store.h"
#include "engine/histograms/histogram_reader.h"
#include "engine/names/query_names.h"
#include "engine/query.h"
#include "engine/query/memory_account.h"
#include "engine/query/stages/aggregate.h"
#include "engine/query/stages/downsampler.h"
#include "engine/query/stages/group_by.h"
#include "engine/read/query_meter.h"
#include "engine/read/query_planner.h"
#include "engine/read/span_reader.h"

namespace hourcell {

// Thread-compatible.
class GroupFinisher {
 public:
  // Borrowed.
  struct Parts {
    const SpanReader::Parts* read = nullptr;
    QueryNames* names = nullptr;
    const AnnotationStore* annotations = nullptr;
    QuerySink* sink = nullptr;
  };

  // All are borrowed.
  GroupFinisher(const Parts& parts, const QuerySpec& spec, size_t index, const SubQueryPlan& plan);

  // `bucket_times`: the times of a downsampled span, so that a group keeps accumulators and not its
  // members; empty: it keeps its members. `members`: all members, for their annotations. Call it
  // once, before Add.
  absl::Status Begin(std::vector<int64_t> bucket_times, std::span<const uint32_t> members);

  // Adds a member to the group. Finishes its builder.
  absl::Status Add(uint32_t member, SeriesSpan* read);

  // Passes the group's result to the sink, unless no member has a point, and begins the next group.
  absl::Status Finish();

  // In place of Add and Finish: passes series of a group's histograms to the sink, as they are.
  // `present`: the members with histograms, not empty.
  absl::Status GiveHistograms(std::span<const uint32_t> present,
                              std::span<const HistogramSeries> series);

  // The metric of the query. Lives until the next group.
  std::string_view MetricName() const;

 private:
  absl::Status ReadAnnotations(std::span<const uint32_t> members);
  // The annotations of the group's members, by start.
  std::vector<Annotation> AnnotationsOfGroup() const;
  // Sets span_ to the span of a member, filled and as a rate where the query wants that. `*hold`
  // counts its memory.
  absl::Status FinishSpan(SpanBuilder* builder, MemoryHold* hold);
  // Sets merged_ to the aggregate of the members.
  absl::Status Aggregate();
  // Sets the tags and tsuids of the group of present_.
  absl::Status NameGroup();
  absl::Status Give(std::string_view metric, const Span& points);

  const Parts parts_;
  const QuerySpec& spec_;
  const size_t index_;
  const SubQuery& query_;
  const SubQueryPlan& plan_;
  const QueryRange range_;
  std::unique_ptr<SpanAggregator> aggregator_;
  bool adds_in_place_ = false;                      // buckets, where their builder has them
  std::unique_ptr<GapFiller> filler_;               // once a span has gaps
  StringMap<std::vector<Annotation>> annotations_;  // by tsuid in hex; of series with annotations
  absl::InlinedVector<uint32_t, 8> present_;        // members of the group with points
  Span span_;                                       // of the member that is added
  Span merged_;                                     // the group's
  // Reused from group to group.
  GroupTags group_tags_;
  absl::InlinedVector<std::pair<std::string_view, std::string_view>, 8> tags_;
  absl::InlinedVector<std::string_view, 4> aggregate_tags_;
  absl::InlinedVector<std::string_view, 8> tsuids_;
};

}  // namespace hourcell
