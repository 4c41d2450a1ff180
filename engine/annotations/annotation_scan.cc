#include "engine/annotations/annotation_scan.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/object_qualifier.h"
#include "engine/rows/annotation_key.h"
#include "engine/rows/key_range.h"

namespace hourcell {
namespace {

// Rows of other series that a scan reads, plus one for each eight wanted series, before sorting the
// wanted series is worth it.
constexpr size_t kMissesMin = 64;
constexpr size_t kSeriesAMiss = 8;

// Finds where the next row of a wanted series can be, for one metric.
//
// Keys do not sort as tsuids do: a series' rows come after those of a series with the same tags and
// more, if the next tagk is less than the qualifier's first byte. So this class sorts the part of
// the key after the hour: the tags and that byte.
class SeriesJumper {
 public:
  SeriesJumper(const RowKeyCodec& row_keys, std::span<const std::string_view> tsuids, uint8_t type)
      : head_size_(row_keys.tags_offset()), pair_width_(row_keys.layout().pair_width()) {
    blocks_.reserve(tsuids.size());
    for (const std::string_view tsuid : tsuids) {
      std::string& block = blocks_.emplace_back(tsuid.substr(row_keys.layout().metric_width));
      block.push_back(static_cast<char>(type));
    }
    std::ranges::sort(blocks_);
  }

  // The least key after `key` that a wanted series can have; empty: none exists. Returns `key`
  // itself if the next row may be wanted.
  std::string Next(std::string_view key) const {
    const std::string_view head = key.substr(0, head_size_);
    const std::string_view tail = key.substr(head_size_);
    if (IsInBlock(tail)) return std::string(key);
    const auto block = std::ranges::upper_bound(blocks_, tail);
    return block == blocks_.end() ? PrefixEnd(head) : std::string(head) + *block;
  }

 private:
  // True if the key begins as a wanted series' keys do, but belongs to another series.
  bool IsInBlock(std::string_view tail) const {
    for (size_t size = pair_width_; size < tail.size(); size += pair_width_) {
      if (std::ranges::binary_search(blocks_, tail.substr(0, size + 1))) return true;
    }
    return false;
  }

  const size_t head_size_;
  const size_t pair_width_;
  std::vector<std::string> blocks_;
};

// The objects to visit.
struct WantedObjects {
  uint8_t type = kAnnotationType;
  int64_t start_ms = 0;
  int64_t end_ms = 0;  // inclusive

  bool Has(int64_t ms) const { return ms >= start_ms && ms <= end_ms; }
};

// One scan of series of one metric.
class MetricScan {
 public:
  MetricScan(const RowKeyCodec& row_keys,
             std::span<const std::string_view> tsuids,
             const WantedObjects& wanted,
             const AnnotationVisit& visit)
      : row_keys_(row_keys),
        tsuids_(tsuids),
        metric_(tsuids.front().substr(0, row_keys.layout().metric_width)),
        wanted_(wanted),
        visit_(visit) {}

  absl::Status Run(TableView* view) {
    const uint64_t end_s = kAnnotationRowSpan.EndS(kAnnotationRowSpan.BaseS(wanted_.end_ms));
    const Uid metric = LoadBigEndian(metric_.data(), metric_.size());
    for (const KeyRange& range :
         row_keys_.Ranges(metric, kAnnotationRowSpan.BaseS(wanted_.start_ms), end_s)) {
      const std::unique_ptr<RowCursor> row =
          view->NewCursor(TableId::kAnnotation, {.begin = range.begin, .end = range.end});
      row->Seek(range.begin);
      while (row->valid())
        HOURCELL_RETURN_IF_ERROR(Step(row.get()));
      HOURCELL_RETURN_IF_ERROR(row->status());
    }
    return absl::OkStatus();
  }

 private:
  // Visits the row if it is wanted, and moves to the next one.
  absl::Status Step(RowCursor* row) {
    HOURCELL_ASSIGN_OR_RETURN(const AnnotationKeyView key,
                              ParseAnnotationKey(row_keys_, row->key()));
    if (key.metric != metric_) {
      row->Next();  // in layouts that put the time before the metric
      return absl::OkStatus();
    }
    tsuid_.assign(key.metric);
    tsuid_.append(key.tags);
    if (!std::ranges::binary_search(tsuids_, std::string_view(tsuid_))) {
      PassOver(row);
      return absl::OkStatus();
    }
    if (key.type == wanted_.type && wanted_.Has(key.start_ms)) {
      HOURCELL_RETURN_IF_ERROR(visit_(
          {.key = row->key(), .tsuid = tsuid_, .start_ms = key.start_ms, .value = row->value()}));
    }
    row->Next();
    return absl::OkStatus();
  }

  void PassOver(RowCursor* row) {
    if (jumper_ == nullptr && ++misses_ > kMissesMin + tsuids_.size() / kSeriesAMiss) {
      jumper_ = std::make_unique<SeriesJumper>(row_keys_, tsuids_, wanted_.type);
    }
    if (jumper_ == nullptr) {
      row->Next();
      return;
    }
    const std::string next = jumper_->Next(row->key());
    if (next == row->key()) {
      row->Next();
    } else {
      // Without a next key, seeks past all keys.
      row->Seek(next.empty() ? std::string(row->key().size() + 1, '\xFF') : next);
    }
  }

  const RowKeyCodec& row_keys_;
  const std::span<const std::string_view> tsuids_;
  const std::string_view metric_;
  const WantedObjects wanted_;
  const AnnotationVisit& visit_;
  std::string tsuid_;
  size_t misses_ = 0;
  std::unique_ptr<SeriesJumper> jumper_;  // null until there are many misses
};

// Limits the range to valid timestamps; false if it is then empty.
bool Clamp(int64_t* start_ms, int64_t* end_ms) {
  *start_ms = std::max<int64_t>(*start_ms, 0);
  *end_ms = std::min(*end_ms, kTimestampMsMax);
  return *start_ms <= *end_ms;
}

absl::Status ScanSeriesObjects(const RowKeyCodec& row_keys,
                               TableView* view,
                               std::span<const std::string_view> tsuids,
                               WantedObjects wanted,
                               const AnnotationVisit& visit) {
  if (!Clamp(&wanted.start_ms, &wanted.end_ms)) return absl::OkStatus();
  const size_t width = row_keys.layout().metric_width;
  while (!tsuids.empty()) {
    const std::string_view metric = tsuids.front().substr(0, width);
    const auto is_others = [&](std::string_view tsuid) { return tsuid.substr(0, width) != metric; };
    const auto end = std::ranges::find_if(tsuids, is_others);
    const auto count = static_cast<size_t>(end - tsuids.begin());
    MetricScan scan(row_keys, tsuids.first(count), wanted, visit);
    HOURCELL_RETURN_IF_ERROR(scan.Run(view));
    tsuids = tsuids.subspan(count);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ScanSeriesAnnotations(const RowKeyCodec& row_keys,
                                   TableView* view,
                                   std::span<const std::string_view> tsuids,
                                   int64_t start_ms,
                                   int64_t end_ms,
                                   const AnnotationVisit& visit) {
  return ScanSeriesObjects(row_keys, view, tsuids,
                           {.type = kAnnotationType, .start_ms = start_ms, .end_ms = end_ms},
                           visit);
}

absl::Status ScanSeriesHistograms(const RowKeyCodec& row_keys,
                                  TableView* view,
                                  std::span<const std::string_view> tsuids,
                                  int64_t start_ms,
                                  int64_t end_ms,
                                  const AnnotationVisit& visit) {
  return ScanSeriesObjects(row_keys, view, tsuids,
                           {.type = kHistogramType, .start_ms = start_ms, .end_ms = end_ms}, visit);
}

absl::StatusOr<bool> HasHistograms(const RowKeyCodec& row_keys, TableView* view, Uid metric) {
  for (const KeyRange& range : row_keys.Ranges(metric, 0, 0)) {
    const std::unique_ptr<RowCursor> row =
        view->NewCursor(TableId::kAnnotation, {.begin = range.begin, .end = range.end});
    row->Seek(range.begin);
    for (; row->valid(); row->Next()) {
      HOURCELL_ASSIGN_OR_RETURN(const AnnotationKeyView key,
                                ParseAnnotationKey(row_keys, row->key()));
      const bool is_of_metric =
          !key.is_global() && LoadBigEndian(key.metric.data(), key.metric.size()) == metric;
      if (is_of_metric && !key.is_annotation()) return true;
    }
    HOURCELL_RETURN_IF_ERROR(row->status());
  }
  return false;
}

absl::Status ScanGlobalAnnotations(const RowKeyCodec& row_keys,
                                   TableView* view,
                                   int64_t start_ms,
                                   int64_t end_ms,
                                   const AnnotationVisit& visit) {
  if (!Clamp(&start_ms, &end_ms)) return absl::OkStatus();
  ScanRange range;
  row_keys.AppendGlobal(kAnnotationRowSpan.BaseS(start_ms), &range.begin);
  row_keys.AppendGlobal(kAnnotationRowSpan.BaseS(end_ms), &range.end);
  range.end = PrefixEnd(range.end);
  const std::unique_ptr<RowCursor> row = view->NewCursor(TableId::kAnnotation, range);
  for (row->Seek(range.begin); row->valid(); row->Next()) {
    HOURCELL_ASSIGN_OR_RETURN(const AnnotationKeyView key,
                              ParseAnnotationKey(row_keys, row->key()));
    if (!key.is_global() || key.start_ms < start_ms || key.start_ms > end_ms) continue;
    HOURCELL_RETURN_IF_ERROR(
        visit({.key = row->key(), .tsuid = {}, .start_ms = key.start_ms, .value = row->value()}));
  }
  return row->status();
}

}  // namespace hourcell
