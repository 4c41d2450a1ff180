#include "engine/read/group_finisher.h"

#include <algorithm>
#include <string>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "engine/query/stages/group_by.h"
#include "engine/query/stages/rate.h"

// Why groups are finished one after another: at most one is unfinished at any time, so memory is
// bounded by a group and not by the query. Members are added in the order of their keys, whatever
// the batches they were read in, so sums of doubles have OpenTSDB's digits. Going through time
// instead, all members at each instant, was rejected: a member with a gap needs its next point,
// however far away (docs/decisions/0010).

namespace hourcell {
namespace {

// Most series have fewer tags.
constexpr size_t kUsualTags = 8;

// A larger span is not kept for the next member.
constexpr size_t kReusedPointsMax = 4096;

// Memory of a series during the search for its annotations.
constexpr size_t kSoughtBytes = sizeof(std::string_view) + 2 * sizeof(std::string);

// Infinities at these times are errors. None are if the query wants special values.
AskedTimes AskedTimesOf(const QuerySpec& spec) {
  if (spec.special_values) return {.from_ms = INT64_MAX, .to_ms = INT64_MIN};
  if (spec.keep_scanned) return {};
  return {.from_ms = spec.start_ms, .to_ms = spec.end_ms};
}

// The points between start and end.
SpanView PointsWithin(const Span& span, int64_t start_ms, int64_t end_ms) {
  const auto begin = std::ranges::lower_bound(span.t, start_ms) - span.t.begin();
  const auto end = std::ranges::upper_bound(span.t, end_ms) - span.t.begin();
  const auto first = static_cast<size_t>(begin);
  const auto count = static_cast<size_t>(std::max<ptrdiff_t>(0, end - begin));
  return {.t = std::span(span.t).subspan(first, count),
          .v = std::span(span.v).subspan(first, count),
          .is_float = std::span(span.is_float).subspan(first, count),
          .weights = span.weights.empty() ? std::span<const uint32_t>()
                                          : std::span(span.weights).subspan(first, count)};
}

}  // namespace

GroupFinisher::GroupFinisher(const Parts& parts,
                             const QuerySpec& spec,
                             size_t index,
                             const SubQueryPlan& plan)
    : parts_(parts),
      spec_(spec),
      index_(index),
      query_(spec.queries[index]),
      plan_(plan),
      range_{.start_ms = spec.start_ms, .end_ms = spec.end_ms, .scan = plan.bounds} {
  group_tags_.common.reserve(kUsualTags);
}

absl::Status GroupFinisher::Begin(std::vector<int64_t> bucket_times,
                                  std::span<const uint32_t> members) {
  aggregator_ = MakeSpanAggregator(
      // `none` does not aggregate; a maximum leaves a single member as it is, -0.0 too.
      {.aggregator = query_.aggregator == Aggregator::kNone ? Aggregator::kMax : query_.aggregator,
       .is_rate = query_.rate.has_value(),
       .scan_end_ms = static_cast<int64_t>(plan_.bounds.end_s) * 1000,
       .asked = AskedTimesOf(spec_),
       .times = std::move(bucket_times),
       .memory = parts_.read->memory});
  adds_in_place_ = !aggregator_->keeps_members() && !query_.rate.has_value() &&
                   query_.downsample.has_value() && query_.downsample->fill == FillPolicy::kNone &&
                   !spec_.special_values;
  HOURCELL_RETURN_IF_ERROR(parts_.read->memory->Take(aggregator_->allocated_bytes()));
  if (!spec_.annotations || !parts_.annotations->has_any()) return absl::OkStatus();
  return ReadAnnotations(members);
}

absl::Status GroupFinisher::ReadAnnotations(std::span<const uint32_t> members) {
  MemoryHold hold(parts_.read->memory);  // of the tsuids, and of the search
  HOURCELL_RETURN_IF_ERROR(hold.Take(members.size() * (kSoughtBytes + sizeof(uint32_t))));
  std::vector<uint32_t> sorted(members.begin(), members.end());
  std::ranges::sort(sorted);
  std::vector<std::string_view> tsuids;
  tsuids.reserve(sorted.size());
  for (const uint32_t member : sorted)
    tsuids.push_back(plan_.list->tsuid(member));
  HOURCELL_ASSIGN_OR_RETURN(std::vector<Annotation> found,
                            parts_.annotations->OfSeries(parts_.read->view, tsuids, spec_.start_ms,
                                                         spec_.end_ms, parts_.read->memory));
  for (Annotation& annotation : found) {
    std::vector<Annotation>& of_series = annotations_[annotation.tsuid];
    of_series.push_back(std::move(annotation));
  }
  return absl::OkStatus();
}

std::vector<Annotation> GroupFinisher::AnnotationsOfGroup() const {
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

absl::Status GroupFinisher::Add(uint32_t member, SeriesSpan* read) {
  // Series without a point in the scanned hours do not take part, not even in tags.
  if (!read->has_points) return absl::OkStatus();
  present_.push_back(member);
  if (adds_in_place_) {
    aggregator_->AddBuckets(read->builder->FinishInPlace());
    HOURCELL_DCHECK(!read->builder->has_gaps());
    return absl::OkStatus();
  }
  MemoryHold hold(parts_.read->memory);
  HOURCELL_RETURN_IF_ERROR(FinishSpan(read->builder, &hold));
  if (spec_.special_values) {  // the only member of its group
    HOURCELL_DCHECK(merged_.empty());
    merged_ = std::move(span_);
    return absl::OkStatus();
  }
  const size_t before = aggregator_->allocated_bytes();
  aggregator_->Add(std::move(span_));
  hold.GiveBack(hold.bytes());  // the aggregator counts the kept points
  return parts_.read->memory->Take(aggregator_->allocated_bytes() - before);
}

absl::Status GroupFinisher::FinishSpan(SpanBuilder* builder, MemoryHold* hold) {
  builder->FinishInto(&span_);
  if (builder->has_gaps()) {
    if (filler_ == nullptr) filler_ = MakeGapFiller(*query_.downsample, range_);
    HOURCELL_RETURN_IF_ERROR(hold->Take(filler_->buckets() * kSpanPointBytes));
    span_ = filler_->Fill(span_);
  }
  if (query_.rate.has_value()) {
    HOURCELL_RETURN_IF_ERROR(hold->Take(span_.size() * kSpanPointBytes));
    span_ = Rate(span_, *query_.rate);
  }
  return absl::OkStatus();
}

absl::Status GroupFinisher::Aggregate() {
  const size_t before = aggregator_->allocated_bytes();
  HOURCELL_RETURN_IF_ERROR(aggregator_->FinishInto(&merged_));
  HOURCELL_DCHECK(before >= aggregator_->allocated_bytes());
  parts_.read->memory->GiveBack(before - aggregator_->allocated_bytes());
  return absl::OkStatus();
}

absl::Status GroupFinisher::Finish() {
  HOURCELL_DCHECK(aggregator_ != nullptr);
  // An aggregator would turn special values into other NaNs.
  if (!spec_.special_values) HOURCELL_RETURN_IF_ERROR(Aggregate());
  MemoryHold hold(parts_.read->memory);
  HOURCELL_RETURN_IF_ERROR(hold.Take(merged_.t.capacity() * kSpanPointBytes));
  if (present_.empty()) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(parts_.read->meter->Check());
  HOURCELL_RETURN_IF_ERROR(NameGroup());
  HOURCELL_RETURN_IF_ERROR(Give(MetricName(), merged_));
  present_.resize(0);
  // An aggregator that keeps members gives the memory of one member.
  if (merged_.t.capacity() > kReusedPointsMax) {
    merged_ = {};
  } else if (aggregator_->keeps_members()) {
    span_ = std::move(merged_);
  }
  return absl::OkStatus();
}

absl::Status GroupFinisher::GiveHistograms(std::span<const uint32_t> present,
                                           std::span<const HistogramSeries> series) {
  present_.assign(present.begin(), present.end());
  HOURCELL_RETURN_IF_ERROR(NameGroup());
  for (const HistogramSeries& one : series) {
    HOURCELL_RETURN_IF_ERROR(parts_.read->meter->Check());
    HOURCELL_RETURN_IF_ERROR(Give(one.metric, one.points));
  }
  present_.resize(0);
  return absl::OkStatus();
}

std::string_view GroupFinisher::MetricName() const {
  return query_.tsuids.empty() ? query_.metric
                               : parts_.names->NameOf(UidKind::kMetric, plan_.metric);
}

absl::Status GroupFinisher::NameGroup() {
  HOURCELL_DCHECK(!present_.empty());
  TagsOfGroup(plan_.list->all_tags(), present_, &group_tags_);
  QueryNames& names = *parts_.names;
  names.ForgetMany();
  tags_.resize(0);  // not clear, which frees the memory that the next group uses
  for (const TagUids& tag : group_tags_.common) {
    tags_.emplace_back(names.NameOf(UidKind::kTagk, tag.tagk),
                       names.NameOf(UidKind::kTagv, tag.tagv));
  }
  aggregate_tags_.resize(0);
  for (const Uid tagk : group_tags_.aggregated)
    aggregate_tags_.push_back(names.NameOf(UidKind::kTagk, tagk));
  tsuids_.resize(0);
  for (const uint32_t member : present_)
    tsuids_.push_back(plan_.list->tsuid(member));
  return names.status();
}

absl::Status GroupFinisher::Give(std::string_view metric, const Span& points) {
  HOURCELL_RETURN_IF_ERROR(parts_.names->status());
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

}  // namespace hourcell
