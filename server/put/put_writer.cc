#include "server/put/put_writer.h"

#include <cstdint>
#include <utility>

#include "codec/base/check.h"

namespace hourcell {
namespace {

// How long points of new series wait if the request may wait.
constexpr int64_t kSeriesWaitMs = 1000;

Counter* ReasonCounter(Tsdb* tsdb, PointErrorKind kind) {
  return tsdb->stats().counter("rpc.put.errors",
                               {{"reason", std::string(PointErrorKindName(kind))}});
}

}  // namespace

PutWriter::PutWriter(Tsdb* tsdb, AppendInPlace in_place)
    : tsdb_(tsdb),
      in_place_(std::move(in_place)),
      points_(tsdb->stats().counter("rpc.put.points")),
      invalid_values_(ReasonCounter(tsdb, PointErrorKind::kInvalidValue)),
      illegal_arguments_(ReasonCounter(tsdb, PointErrorKind::kIllegalArgument)),
      unknown_names_(ReasonCounter(tsdb, PointErrorKind::kUnknownName)),
      no_such_rollups_(ReasonCounter(tsdb, PointErrorKind::kNoSuchRollup)),
      throttled_(ReasonCounter(tsdb, PointErrorKind::kThrottled)),
      storage_errors_(ReasonCounter(tsdb, PointErrorKind::kStorage)),
      timeouts_(tsdb->stats().counter("rpc.put.errors", {{"reason", "timeout"}})) {}

template <typename Point>
CommitTicket PutWriter::AppendAll(std::span<const Point> points,
                                  std::vector<RefusedPoint>* refused,
                                  const PutMode& mode) const {
  // A request that may not wait gets kAborted, because its thread serves other connections, too.
  const AppendOptions options{.sync = mode.sync,
                              .wait_ms = mode.may_wait ? kSeriesWaitMs : 0,
                              .all_or_none = !mode.may_wait,
                              .via = mode.via,
                              .items = mode.items,
                              .new_series = mode.new_series};
  return in_place_ ? in_place_(points.size(), refused, options)
                   : tsdb_->points().Append(points, refused, options);
}

CommitTicket PutWriter::Append(std::span<const PointView> points,
                               std::vector<RefusedPoint>* refused,
                               const PutMode& mode) const {
  HOURCELL_DCHECK(!points.empty());
  return AppendAll(points, refused, mode);
}

CommitTicket PutWriter::Append(std::span<const LinePoint> points,
                               std::vector<RefusedPoint>* refused,
                               const PutMode& mode) const {
  HOURCELL_DCHECK(!points.empty());
  return AppendAll(points, refused, mode);
}

absl::Status PutWriter::AppendHistograms(std::span<const HistogramPoint> histograms,
                                         std::vector<RefusedPoint>* refused,
                                         const PutMode& mode) const {
  HOURCELL_DCHECK(!histograms.empty() && mode.may_wait);
  const AppendOptions options{
      .sync = mode.sync, .wait_ms = kSeriesWaitMs, .new_series = mode.new_series};
  return in_place_ ? in_place_(histograms.size(), refused, options).Wait()
                   : tsdb_->points().AppendHistograms(histograms, refused, options);
}

void PutWriter::CountRefused(PointErrorKind kind, size_t points) const {
  switch (kind) {
    case PointErrorKind::kInvalidValue:
      return invalid_values_->Add(points);
    case PointErrorKind::kIllegalArgument:
      return illegal_arguments_->Add(points);
    case PointErrorKind::kUnknownName:
      return unknown_names_->Add(points);
    case PointErrorKind::kNoSuchRollup:
      return no_such_rollups_->Add(points);
    case PointErrorKind::kThrottled:
      return throttled_->Add(points);
    case PointErrorKind::kStorage:
      return storage_errors_->Add(points);
  }
  HOURCELL_CHECK(false);
}

void PutWriter::CountFailed(const absl::Status& failure, size_t points) const {
  Counter* const reason = IsForLater(failure)   ? throttled_
                          : IsUnwanted(failure) ? illegal_arguments_
                                                : storage_errors_;
  reason->Add(points);
}

std::string RefusalText(const PointError& error) {
  switch (error.kind) {
    case PointErrorKind::kInvalidValue:
      return "Unable to parse value to a number";
    case PointErrorKind::kIllegalArgument:
      return error.text;
    case PointErrorKind::kUnknownName:
      return "Unknown metric";
    case PointErrorKind::kNoSuchRollup:
      return "No such rollup: " + error.text;
    case PointErrorKind::kThrottled:
      return "Please throttle";
    case PointErrorKind::kStorage:
      return "Storage exception: " + error.text;
  }
  HOURCELL_CHECK(false);
}

bool IsForLater(const absl::Status& failure) {
  return absl::IsUnavailable(failure) || absl::IsResourceExhausted(failure);
}

bool IsUnwanted(const absl::Status& failure) {
  return absl::IsInvalidArgument(failure) || absl::IsPermissionDenied(failure);
}

}  // namespace hourcell
