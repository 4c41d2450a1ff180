#include "engine/histograms/histogram_writer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/rows/histogram_cell.h"
#include "engine/series/series_ref.h"
#include "engine/write/point_writer.h"

namespace hourcell {
namespace {

PointError RefusedValue(std::string text) {
  return {.kind = PointErrorKind::kIllegalArgument, .text = std::move(text)};
}

// The fault of the histogram itself.
std::optional<PointError> ValueFault(const HistogramPoint& one) {
  if (one.exponential != nullptr) {
    const absl::Status status = CheckExponentialHistogram(*one.exponential);
    if (status.ok()) return std::nullopt;
    return RefusedValue(std::string(MessageOf(status)));
  }
  if (one.codec == kExponentialHistogramId) {
    return RefusedValue(
        fmt::format("codec: expected another ID than {}, which is that of "
                    "exponential histograms",
                    kExponentialHistogramId));
  }
  if (one.histogram->buckets.size() <= kHistogramBucketsMax) return std::nullopt;
  return RefusedValue(fmt::format("Too many buckets: expected at most {}, got {}",
                                  kHistogramBucketsMax, one.histogram->buckets.size()));
}

void AppendCellOfPoint(const HistogramPoint& one, std::string* out) {
  if (one.exponential != nullptr) return AppendExponentialCell(*one.exponential, out);
  AppendHistogramCell(one.codec, *one.histogram, out);
}

}  // namespace

HistogramWriter::HistogramWriter(const Options& options, const Parts& parts)
    : options_(options),
      only_opentsdb_(parts.series->layout().names == NameEncoding::kAny && !options.put_any_names),
      observers_(options.observers),
      is_refused_(!std::ranges::all_of(options.observers, &StoreObserver::TakesHistograms)),
      always_sync_(options.sync == Durability::kAlways),
      parts_(parts),
      added_(parts.stats->counter("histograms.added")),
      refused_(parts.stats->counter("histograms.refused")),
      expired_(parts.stats->counter("histograms.expired")) {}

std::optional<PointError> HistogramWriter::FaultOf(const HistogramPoint& one) const {
  HOURCELL_DCHECK((one.histogram == nullptr) != (one.exponential == nullptr));
  const PointView& point = one.point;
  if (auto fault = ContentFault(point.timestamp, Value::Integer(0), false)) return fault;
  if (auto fault = TagsFault(point, options_.tags_max)) return fault;
  if (auto fault = ValueFault(one)) return fault;
  if (!only_opentsdb_ || point.has_any_names) return std::nullopt;
  return NamesFault(point, NameEncoding::kUtf8, options_.extra_name_chars);
}

// Before series are created: a refused histogram must not create a name.
absl::StatusOr<std::vector<size_t>> HistogramWriter::Check(
    std::span<const HistogramPoint> histograms, std::vector<RefusedPoint>* refused) {
  const int64_t may_expire_ms = parts_.expiry == nullptr ? 0 : parts_.expiry->MayExpireBeforeMs();
  std::vector<size_t> good;
  for (size_t i = 0; i < histograms.size(); ++i) {
    if (auto fault = FaultOf(histograms[i])) {
      refused->push_back({.index = i, .error = *std::move(fault)});
      continue;
    }
    const PointView& point = histograms[i].point;
    if (point.timestamp.ms < may_expire_ms) {
      const absl::StatusOr<std::optional<Uid>> metric =
          parts_.uids->Find(UidKind::kMetric, point.metric);
      if (!metric.ok() && !absl::IsInvalidArgument(metric.status())) return metric.status();
      const Uid uid = metric.ok() ? metric->value_or(kNoUid) : kNoUid;
      if (point.timestamp.ms < parts_.expiry->ExpiresBeforeMs(uid)) {
        expired_->Add(1);
        continue;
      }
    }
    good.push_back(i);
  }
  return good;
}

absl::Status HistogramWriter::AskObservers(std::string_view via) {
  if (is_refused_) {
    return absl::UnimplementedError(
        "histogram: this store has an observer of puts that does not know histograms");
  }
  for (StoreObserver* const observer : observers_)
    HOURCELL_RETURN_IF_ERROR(observer->BeforeHistograms(via));
  return absl::OkStatus();
}

absl::Status HistogramWriter::Write(std::span<const HistogramRow> rows,
                                    std::span<const PointView* const> points,
                                    const AppendOptions& options) {
  HOURCELL_DCHECK(rows.size() == points.size());
  const bool sync = always_sync_ || options.sync;
  if (observers_.empty() || rows.empty()) return parts_.store->Write(rows, sync);
  std::vector<StoredHistogram> stored;
  for (size_t i = 0; i < rows.size(); ++i)
    stored.push_back({.point = *points[i], .cell = rows[i].cell});
  MutexLock lock(&order_);
  HOURCELL_RETURN_IF_ERROR(parts_.store->Write(rows, sync));
  for (StoreObserver* const observer : observers_)
    observer->AfterHistograms(stored, options.via);
  return absl::OkStatus();
}

absl::Status HistogramWriter::Append(std::span<const HistogramPoint> histograms,
                                     std::vector<RefusedPoint>* refused,
                                     const AppendOptions& options,
                                     size_t* new_series) {
  *new_series = 0;
  HOURCELL_RETURN_IF_ERROR(AskObservers(options.via));
  std::vector<RefusedPoint> faults;
  // From before the lookup of series until their rows are written: no series is dropped meanwhile.
  ReadPins::Pin pin;
  if (parts_.puts != nullptr) pin = parts_.puts->Acquire();
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<size_t> good, Check(histograms, &faults));
  std::vector<const PointView*> points;
  for (const size_t index : good)
    points.push_back(&histograms[index].point);
  std::vector<Parsed<SeriesRef>> series;
  parts_.series->GetOrCreate(points, &series, options.wait_ms, options.new_series);
  std::vector<HistogramRow> rows;
  std::vector<SeriesNumber> numbers;
  std::vector<const PointView*> written;
  for (size_t i = 0; i < good.size(); ++i) {
    const HistogramPoint& one = histograms[good[i]];
    if (!series[i].ok()) {
      faults.push_back({.index = good[i], .error = series[i].error()});
      continue;
    }
    if (series[i]->is_new) ++*new_series;
    HistogramRow& row = rows.emplace_back();
    row.tsuid = series[i]->tsuid;
    row.time_ms = one.point.timestamp.ms;
    numbers.push_back(series[i]->number);
    AppendCellOfPoint(one, &row.cell);
    written.push_back(&one.point);
  }
  const absl::Status written_rows = Write(rows, written, options);
  parts_.series->unlisted()->Show(numbers);  // after an error, some of the rows may be there
  HOURCELL_RETURN_IF_ERROR(written_rows);
  added_->Add(rows.size());
  refused_->Add(faults.size());
  std::ranges::sort(faults, {}, &RefusedPoint::index);
  if (refused != nullptr) *refused = std::move(faults);
  return absl::OkStatus();
}

}  // namespace hourcell
