#include "engine/histograms/histogram_scan.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rows/tsuid.h"
#include "engine/annotations/annotation_scan.h"
#include "engine/names/query_names.h"
#include "engine/rows/annotation_key.h"
#include "engine/rows/histogram_cell.h"

namespace hourcell {
namespace {

// Limits of a batch, so that its memory is bounded.
constexpr size_t kVisitedAtOnceMax = 1000;
constexpr size_t kVisitedBytesMax = size_t{1} << 20;  // as stored

// A histogram with its names.
struct VisitedHistogram {
  std::string metric;
  std::vector<std::pair<std::string, std::string>> tags;
  std::vector<TagView> tag_views;
  int64_t time_ms = 0;
  uint8_t codec = 0;
  HistogramValue histogram;
};

class HistogramBatch {
 public:
  explicit HistogramBatch(const HistogramScan& parts)
      : parts_(parts), names_(parts.row_keys->layout(), parts.uids) {}

  absl::Status Add(const AnnotationRow& row) {
    HOURCELL_ASSIGN_OR_RETURN(const SeriesUids series,
                              ParseTsuid(parts_.row_keys->layout(), row.tsuid));
    if (parts_.expiry != nullptr && row.start_ms < parts_.expiry->ExpiresBeforeMs(series.metric)) {
      return absl::OkStatus();
    }
    VisitedHistogram one{.metric = std::string(names_.NameOf(UidKind::kMetric, series.metric)),
                         .tags = {},
                         .tag_views = {},
                         .time_ms = row.start_ms,
                         .codec = 0,
                         .histogram = {}};
    absl::StatusOr<HistogramValue> histogram = ParseHistogramCell(row.value);
    if (!histogram.ok()) {
      return absl::DataLossError(
          fmt::format("row {}: {}", ToHex(row.key), MessageOf(histogram.status())));
    }
    one.histogram = *std::move(histogram);
    one.codec = static_cast<uint8_t>(row.value.front());
    for (const TagUids& tag : series.tags) {
      std::string tagk(names_.NameOf(UidKind::kTagk, tag.tagk));
      one.tags.emplace_back(std::move(tagk), names_.NameOf(UidKind::kTagv, tag.tagv));
    }
    HOURCELL_RETURN_IF_ERROR(names_.status());
    names_.ForgetMany();
    bytes_ += row.value.size();
    histograms_.push_back(std::move(one));
    return absl::OkStatus();
  }

  bool is_full() const {
    return histograms_.size() >= kVisitedAtOnceMax || bytes_ >= kVisitedBytesMax;
  }

  // Passes the batch on, and empties it.
  absl::Status Visit(const std::function<absl::Status(std::span<const HistogramPoint>)>& visit) {
    if (histograms_.empty()) return absl::OkStatus();
    std::vector<HistogramPoint> points;
    points.reserve(histograms_.size());
    for (VisitedHistogram& one : histograms_) {
      for (const auto& [key, value] : one.tags)
        one.tag_views.push_back({.key = key, .value = value});
      points.push_back(
          {.point = {.metric = one.metric,
                     .tags = one.tag_views,
                     .timestamp = {.ms = one.time_ms, .is_ms = one.time_ms % 1000 != 0},
                     .value = {},
                     .has_any_names = true},
           .histogram = std::get_if<SimpleHistogram>(&one.histogram),
           .codec = one.codec,
           .exponential = std::get_if<ExponentialHistogram>(&one.histogram)});
    }
    HOURCELL_RETURN_IF_ERROR(visit(points));
    histograms_.clear();
    bytes_ = 0;
    return absl::OkStatus();
  }

 private:
  const HistogramScan& parts_;
  QueryNames names_;
  std::deque<VisitedHistogram> histograms_;
  size_t bytes_ = 0;
};

// Visits the rows of histograms of all series, by key.
absl::Status ScanAllHistograms(const HistogramScan& parts,
                               int64_t start_ms,
                               int64_t end_ms,
                               const AnnotationVisit& visit) {
  std::string tsuid;
  const std::unique_ptr<RowCursor> row = parts.view->NewCursor(TableId::kAnnotation, {});
  for (row->Seek(""); row->valid(); row->Next()) {
    HOURCELL_ASSIGN_OR_RETURN(const AnnotationKeyView key,
                              ParseAnnotationKey(*parts.row_keys, row->key()));
    if (key.is_annotation() || key.start_ms < start_ms || key.start_ms > end_ms) continue;
    tsuid.assign(key.metric).append(key.tags);
    HOURCELL_RETURN_IF_ERROR(visit(
        {.key = row->key(), .tsuid = tsuid, .start_ms = key.start_ms, .value = row->value()}));
  }
  return row->status();
}

}  // namespace

absl::Status VisitHistograms(
    const HistogramScan& parts,
    const HistogramSelection& selection,
    const std::function<absl::Status(std::span<const HistogramPoint>)>& visit) {
  HistogramBatch batch(parts);
  const auto add = [&](const AnnotationRow& row) {
    HOURCELL_RETURN_IF_ERROR(batch.Add(row));
    return batch.is_full() ? batch.Visit(visit) : absl::OkStatus();
  };
  if (selection.tsuids.has_value()) {
    const std::vector<std::string_view> tsuids(selection.tsuids->begin(), selection.tsuids->end());
    HOURCELL_RETURN_IF_ERROR(ScanSeriesHistograms(*parts.row_keys, parts.view, tsuids,
                                                  selection.start_ms, selection.end_ms, add));
  } else {
    HOURCELL_RETURN_IF_ERROR(ScanAllHistograms(parts, selection.start_ms, selection.end_ms, add));
  }
  return batch.Visit(visit);
}

}  // namespace hourcell
