#include "engine/read/sub_query_pipeline.h"

#include <algorithm>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/limits.h"
#include "engine/query/stages/downsampler.h"
#include "engine/query/stages/rate.h"

// Why groups are formed before anything is read: at most one group is unfinished at any time, so
// memory is bounded by a group and not by the query; all spans of a query were in memory before,
// 1.7 GB for 100 million points. Members are added in the order of their keys, whatever the
// batches, so sums of doubles have OpenTSDB's digits. Going through time instead, all members at
// each instant, was rejected: a member with a gap needs its next point, however far away
// (docs/decisions/0010).

namespace hourcell {
namespace {

// What the spans of a batch may take, as far as can be told before they are read.
constexpr size_t kBatchBytes = 16 << 20;
// Points an hour may have before any is read: one a second.
constexpr size_t kPointsOfHourGuess = 3600;
// Of groups of one: members of the first batch, how batches grow, and of any batch.
constexpr size_t kFirstMembers = 1024;
constexpr size_t kBatchGrowth = 4;
constexpr size_t kMembersMax = 16'384;
// With so many times a group keeps accumulators, else its members.
constexpr size_t kAccumulatorsMax = size_t{1} << 19;
// Fewer rows than this are read before it is asked which hours there are.
constexpr uint64_t kRowsWorthAsking = 64;
// Of a cell, for what is expected; as a packed hour of points every 10 s.
constexpr uint64_t kCellBytesGuess = 400;
// A query that reads more than this part of the block cache leaves it alone.
constexpr uint64_t kLargeShareOfCache = 4;

// What a series takes whose annotations are looked for.
constexpr size_t kSoughtBytes = sizeof(std::string_view) + 2 * sizeof(std::string);

// What is between start and end.
SpanView PointsWithin(const Span& span, int64_t start_ms, int64_t end_ms) {
  const auto begin = std::ranges::lower_bound(span.t, start_ms) - span.t.begin();
  const auto end = std::ranges::upper_bound(span.t, end_ms) - span.t.begin();
  const auto first = static_cast<size_t>(begin);
  const auto count = static_cast<size_t>(std::max<ptrdiff_t>(0, end - begin));
  return {.t = std::span(span.t).subspan(first, count),
          .v = std::span(span.v).subspan(first, count),
          .is_float = std::span(span.is_float).subspan(first, count)};
}

uint64_t HoursOf(const ScanBounds& bounds) {
  return bounds.end_s <= bounds.begin_s ? 0 : (bounds.end_s - bounds.begin_s) / kRowSpanS;
}

}  // namespace

size_t SubQueryPipeline::BytesOf(const SubQueryPlan& plan) {
  // Their positions: as selected, by group, as they are grouped, of a batch in two orders, and of
  // those present; where groups end; tsuids; the values they are grouped by.
  constexpr size_t kMemberBytes = 6 * sizeof(uint32_t) + sizeof(size_t) + sizeof(std::string_view);
  return plan.selected.size() * (kMemberBytes + plan.group_by_tagks.size() * sizeof(Uid));
}

SubQueryPipeline::SubQueryPipeline(const Parts& parts,
                                   const QuerySpec& spec,
                                   size_t index,
                                   const SubQueryPlan* plan)
    : parts_(parts),
      spec_(spec),
      index_(index),
      query_(spec.queries[index]),
      plan_(*plan),
      range_{.start_ms = spec.start_ms, .end_ms = spec.end_ms, .scan = plan->bounds},
      each_alone_(query_.aggregator == Aggregator::kNone),
      groups_(
          GroupSeries(plan->list->all_tags(), plan->selected, plan->group_by_tagks, each_alone_)) {}

uint64_t SubQueryPipeline::RowsAtMost() const {
  return HoursOf(ClampHours(plan_.bounds)) * groups_.members().size();
}

void SubQueryPipeline::ReadAhead() {
  ahead_ = Begin();
  if (ahead_->ok() && groups_.size() > 0) ahead_ = ReadBatch();
}

absl::Status SubQueryPipeline::Run() {
  HOURCELL_RETURN_IF_ERROR(ahead_.has_value() ? *std::move(ahead_) : Begin());
  while (!MembersLeft().empty()) {
    if (batch_.sorted.empty()) HOURCELL_RETURN_IF_ERROR(ReadBatch());
    HOURCELL_RETURN_IF_ERROR(FinishBatch());
  }
  return absl::OkStatus();
}

absl::Status SubQueryPipeline::Begin() {
  if (query_.downsample.has_value()) {
    HOURCELL_RETURN_IF_ERROR(CheckBucketCount(*query_.downsample, range_));
  }
  HOURCELL_RETURN_IF_ERROR(parts_.read.meter->AddSeries(groups_.members().size()));
  if (groups_.size() == 0) return absl::OkStatus();
  members_left_ = groups_[0].size();
  return Prepare();
}

absl::Status SubQueryPipeline::Prepare() {
  if (query_.downsample.has_value()) {
    auto times = BucketTimes(*query_.downsample, range_, kAccumulatorsMax);
    if (times.has_value()) bucket_times_ = *std::move(times);
  }
  aggregator_ = MakeSpanAggregator(
      // `none` has no function of its own; a maximum leaves a single member as it is, -0.0 too.
      {.aggregator = each_alone_ ? Aggregator::kMax : query_.aggregator,
       .is_rate = query_.rate.has_value(),
       .scan_end_ms = static_cast<int64_t>(plan_.bounds.end_s) * 1000,
       .asked = spec_.keep_scanned ? AskedTimes{}
                                   : AskedTimes{.from_ms = spec_.start_ms, .to_ms = spec_.end_ms},
       // Of groups of one it is quicker to pass them on.
       .times = groups_.size() == groups_.members().size() ? std::vector<int64_t>() : bucket_times_,
       .memory = parts_.read.memory});
  HOURCELL_RETURN_IF_ERROR(parts_.read.memory->Take(aggregator_->allocated_bytes() +
                                                    bucket_times_.capacity() * sizeof(int64_t)));
  stored_ = ClampHours(plan_.bounds);
  stored_.begin_s = std::max(stored_.begin_s, FirstRowFromS(plan_.visible_from_ms));
  if (HoursOf(stored_) * groups_.members().size() > kRowsWorthAsking && HoursOf(stored_) > 2) {
    HOURCELL_ASSIGN_OR_RETURN(
        stored_, PresentHours(*parts_.read.row_keys, parts_.read.view, plan_.metric, stored_));
  }
  std::vector<uint32_t> sorted(groups_.members().begin(), groups_.members().end());
  std::ranges::sort(sorted);
  cost_ = EstimateFor(sorted);
  if (spec_.annotations && parts_.annotations->has_any()) {
    HOURCELL_RETURN_IF_ERROR(ReadAnnotations(sorted));
  }
  reader_ = std::make_unique<SpanReader>(
      parts_.read, SpanReader::Settings{.list = plan_.list.get(),
                                        .metric = plan_.metric,
                                        .bounds = plan_.bounds,
                                        .stored = stored_,
                                        .visible_from_ms = plan_.visible_from_ms,
                                        .downsample = query_.downsample,
                                        .range = range_,
                                        .division = spec_.read_division});
  return absl::OkStatus();
}

absl::Status SubQueryPipeline::ReadAnnotations(std::span<const uint32_t> sorted) {
  MemoryHold hold(parts_.read.memory);  // of the tsuids, and of what is made to find them
  HOURCELL_RETURN_IF_ERROR(hold.Take(sorted.size() * kSoughtBytes));
  std::vector<std::string_view> tsuids;
  tsuids.reserve(sorted.size());
  for (const uint32_t member : sorted)
    tsuids.push_back(plan_.list->tsuid(member));
  HOURCELL_ASSIGN_OR_RETURN(std::vector<Annotation> found,
                            parts_.annotations->OfSeries(parts_.read.view, tsuids, spec_.start_ms,
                                                         spec_.end_ms, parts_.read.memory));
  for (Annotation& annotation : found) {
    std::vector<Annotation>& of_series = annotations_[annotation.tsuid];
    of_series.push_back(std::move(annotation));
  }
  return absl::OkStatus();
}

std::vector<Annotation> SubQueryPipeline::AnnotationsOfGroup() const {
  std::vector<Annotation> annotations;
  if (annotations_.empty()) return annotations;
  for (const std::string_view tsuid : tsuids_) {
    const auto of_series = annotations_.find(ToUpperHex(tsuid));
    if (of_series == annotations_.end()) continue;
    annotations.insert(annotations.end(), of_series->second.begin(), of_series->second.end());
  }
  SortByStart(&annotations);
  return annotations;
}

ReadCost SubQueryPipeline::EstimateFor(std::span<const uint32_t> sorted) const {
  ReadCost cost = EstimateRead({.series = sorted,
                                .metric_series = plan_.metric_series,
                                .knows_all = plan_.list_is_whole,
                                .hours = HoursOf(stored_),
                                .buckets = parts_.read.row_keys->salt_epochs().BucketsMaxIn(
                                    stored_.begin_s, stored_.end_s)});
  if (spec_.read_method != ReadMethod::kCheapest) cost.method = spec_.read_method;
  return cost;
}

// How many members are read next.
size_t SubQueryPipeline::BatchSize() const {
  size_t bytes = 0;  // of a member
  if (members_read_ > 0) {
    bytes = bytes_of_read_ / members_read_;
  } else {
    const size_t points = HoursOf(plan_.bounds) * kPointsOfHourGuess;
    bytes =
        kSpanPointBytes * (bucket_times_.empty() ? points : std::min(points, bucket_times_.size()));
  }
  size_t size = kBatchBytes / std::max<size_t>(bytes, 64) + 1;
  // The first results are wanted soon, so that batches begin small. Not if groups have several
  // members: those may lie anywhere, and each batch would step over the rows of the others.
  if (groups_.size() == groups_.members().size()) {
    size = std::min(size, std::clamp(kBatchGrowth * members_read_, kFirstMembers, kMembersMax));
  }
  return std::min(MembersLeft().size(), size);
}

absl::Status SubQueryPipeline::ReadBatch() {
  const std::span<const uint32_t> members = MembersLeft().first(BatchSize());
  // Rows are read in the order of their keys, and given to their groups in the order of those.
  batch_.sorted.assign(members.begin(), members.end());
  std::ranges::sort(batch_.sorted);
  const ReadCost cost =
      members.size() == groups_.members().size() ? cost_ : EstimateFor(batch_.sorted);
  const bool is_large =
      cost_.rows * kCellBytesGuess > parts_.options->block_cache_bytes / kLargeShareOfCache;
  HOURCELL_RETURN_IF_ERROR(
      reader_->Read(batch_.sorted, cost.method, is_large, &batch_.spans, &batch_.bytes));
  members_read_ += members.size();
  bytes_of_read_ += batch_.bytes - members.size() * SpanReader::kSeriesBytes;
  return absl::OkStatus();
}

absl::Status SubQueryPipeline::FinishBatch() {
  const std::span<const uint32_t> members = MembersLeft().first(batch_.sorted.size());
  members_given_ += members.size();
  for (const uint32_t member : members) {
    const auto at = std::ranges::lower_bound(batch_.sorted, member) - batch_.sorted.begin();
    HOURCELL_RETURN_IF_ERROR(AddMember(member, &batch_.spans[static_cast<size_t>(at)]));
  }
  parts_.read.memory->GiveBack(batch_.bytes);
  batch_.sorted.clear();
  return absl::OkStatus();
}

absl::Status SubQueryPipeline::AddMember(uint32_t member, SeriesSpan* read) {
  // Series without a point in the scanned hours take no part, not even in tags.
  if (read->has_points) {
    present_.push_back(member);
    MemoryHold hold(parts_.read.memory);
    HOURCELL_ASSIGN_OR_RETURN(Span span, FinishedSpan(read, &hold));
    const size_t before = aggregator_->allocated_bytes();
    aggregator_->Add(std::move(span));
    hold.GiveBack(hold.bytes());  // what is kept the aggregator counts
    HOURCELL_RETURN_IF_ERROR(parts_.read.memory->Take(aggregator_->allocated_bytes() - before));
  }
  if (--members_left_ > 0) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(FinishGroup());
  ++group_;
  if (group_ < groups_.size()) members_left_ = groups_[group_].size();
  return absl::OkStatus();
}

absl::StatusOr<Span> SubQueryPipeline::FinishedSpan(SeriesSpan* read, MemoryHold* hold) {
  Span span = std::move(read->span);
  if (read->has_gaps) {
    if (filler_ == nullptr) filler_ = MakeGapFiller(*query_.downsample, range_);
    HOURCELL_RETURN_IF_ERROR(hold->Take(filler_->buckets() * kSpanPointBytes));
    span = filler_->Fill(span);
  }
  if (query_.rate.has_value()) {
    HOURCELL_RETURN_IF_ERROR(hold->Take(span.size() * kSpanPointBytes));
    span = Rate(span, *query_.rate);
  }
  return span;
}

absl::Status SubQueryPipeline::FinishGroup() {
  const size_t before = aggregator_->allocated_bytes();
  HOURCELL_ASSIGN_OR_RETURN(const Span merged, aggregator_->Finish());
  parts_.read.memory->GiveBack(before - aggregator_->allocated_bytes());
  MemoryHold hold(parts_.read.memory);
  HOURCELL_RETURN_IF_ERROR(hold.Take(merged.t.capacity() * kSpanPointBytes));
  if (present_.empty()) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(parts_.read.meter->Check());
  HOURCELL_RETURN_IF_ERROR(Give(merged));
  present_.clear();
  return absl::OkStatus();
}

absl::Status SubQueryPipeline::Give(const Span& points) {
  const GroupTags tags = TagsOfGroup(plan_.list->all_tags(), present_);
  QueryNames& names = *parts_.names;
  names.ForgetMany();
  tags_.clear();
  for (const TagUids& tag : tags.common) {
    tags_.emplace_back(names.NameOf(UidKind::kTagk, tag.tagk),
                       names.NameOf(UidKind::kTagv, tag.tagv));
  }
  aggregate_tags_.clear();
  for (const Uid tagk : tags.aggregated)
    aggregate_tags_.push_back(names.NameOf(UidKind::kTagk, tagk));
  tsuids_.clear();
  for (const uint32_t member : present_)
    tsuids_.push_back(plan_.list->tsuid(member));
  const std::string_view metric =
      query_.tsuids.empty() ? query_.metric : names.NameOf(UidKind::kMetric, plan_.metric);
  HOURCELL_RETURN_IF_ERROR(names.status());
  const std::vector<Annotation> annotations = AnnotationsOfGroup();
  return parts_.sink->OnSeries(
      {.query_index = index_,
       .metric = metric,
       .tags = tags_,
       .aggregate_tags = aggregate_tags_,
       .tsuids = tsuids_,
       .nan_as_null = query_.downsample.has_value() && query_.downsample->fill == FillPolicy::kNull,
       .annotations = annotations,
       .points = spec_.keep_scanned ? PointsWithin(points, INT64_MIN, INT64_MAX)
                                    : PointsWithin(points, spec_.start_ms, spec_.end_ms)});
}

PlanReport SubQueryPipeline::Report() const {
  return {.query_index = index_,
          .method = std::string(ReadMethodName(cost_.method)),
          .metric_series = plan_.metric_series,
          .series = groups_.members().size(),
          .groups = groups_.size(),
          .hours = HoursOf(stored_),
          .expected_rows = cost_.rows,
          .expected_bytes = cost_.rows * kCellBytesGuess,
          .cost = parts_.read.meter->cost()};
}

}  // namespace hourcell
