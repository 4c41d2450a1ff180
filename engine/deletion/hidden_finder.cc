#include "engine/deletion/hidden_finder.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <roaring/roaring64map.hh>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "engine/histograms/annotated_series.h"
#include "engine/rows/key_range.h"

namespace hourcell {
namespace {

constexpr uint32_t kHoursOfDay = kDayS / kHourSpan.seconds;
constexpr uint32_t kAllHours = (1U << kHoursOfDay) - 1;

// Rows of a day that are read one by one: a scan also reads those of other series.
constexpr size_t kRowsGot = 4096;
// Series in one read of rows.
constexpr size_t kSeriesGotAtOnce = 64;

Roaring64Map SetOf(std::span<const SeriesNumber> numbers) {
  Roaring64Map set;
  set.addMany(numbers.size(), numbers.data());
  return set;
}

std::vector<SeriesNumber> NumbersIn(const Roaring64Map& set) {
  std::vector<SeriesNumber> numbers(set.cardinality());
  if (!numbers.empty()) set.toUint64Array(numbers.data());
  return numbers;
}

}  // namespace

struct HiddenFinder::Record {
  uint64_t id = 0;
  int64_t start_ms = 0;
  int64_t end_ms = 0;                          // inclusive
  std::unique_ptr<const Roaring64Map> series;  // moving a map may throw

  bool Meets(uint32_t day) const {
    const int64_t begin_ms = int64_t{day} * kDaySpan.ms();
    return start_ms < begin_ms + kDaySpan.ms() && end_ms >= begin_ms;
  }
  // The hours of a day, as bits, that are not hidden as a whole.
  uint32_t HoursShown(uint32_t day) const {
    uint32_t hours = 0;
    for (uint32_t hour = 0; hour < kHoursOfDay; ++hour) {
      const int64_t begin_ms = int64_t{day} * kDaySpan.ms() + hour * kHourSpan.ms();
      if (begin_ms < start_ms || begin_ms + kHourSpan.ms() - 1 > end_ms) hours |= 1U << hour;
    }
    return hours;
  }
};

struct HiddenFinder::RowsToRead {
  Roaring64Map series;
  uint32_t hours = 0;  // bits
};

struct HiddenFinder::Sets {
  Roaring64Map left;                    // series without a point up to now
  std::map<uint32_t, RowsToRead> rows;  // by day
};

HiddenFinder::HiddenFinder(const Parts& parts, Uid metric, std::span<const DeletionRow> records)
    : parts_(parts), metric_(metric), sets_(std::make_unique<Sets>()) {
  for (const DeletionRow& row : records) {
    records_.push_back({.id = row.id,
                        .start_ms = row.start_ms,
                        .end_ms = row.end_ms,
                        .series = std::make_unique<const Roaring64Map>(SetOf(row.series))});
  }
}

HiddenFinder::~HiddenFinder() = default;

absl::StatusOr<std::vector<SeriesNumber>> HiddenFinder::Find(
    std::span<const SeriesNumber> numbers) {
  Roaring64Map& left = sets_->left;
  for (const Record& record : records_)
    left |= *record.series;
  left &= SetOf(numbers);
  HOURCELL_RETURN_IF_ERROR(ReadSets());
  if (!left.isEmpty()) HOURCELL_RETURN_IF_ERROR(ReadTakenOut());
  for (const auto& [day, rows] : sets_->rows)
    HOURCELL_RETURN_IF_ERROR(ReadRows(day, rows));
  std::vector<SeriesNumber> hidden = NumbersIn(left);
  HOURCELL_RETURN_IF_ERROR(
      RemoveAnnotated(*parts_.row_keys, *parts_.series, metric_, parts_.view, &hidden));
  return hidden;
}

// The newest day first: it has all series that still get points, and few are left after it.
absl::Status HiddenFinder::ReadSets() {
  const Layout& layout = parts_.row_keys->layout();
  const std::string prefix = ActiveSetsPrefix(layout, metric_);
  const size_t width = ActiveSetPrefix(layout, metric_, 0).size();
  const std::unique_ptr<RowCursor> row =
      parts_.view->NewCursor(TableId::kSeries, PrefixRange(prefix));
  std::vector<SeriesNumber> active;
  row->SeekToLast();
  while (row->valid() && !sets_->left.isEmpty()) {
    const std::string key(row->key());
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t chunk, PostingChunk(key, width));
    active.clear();
    HOURCELL_RETURN_IF_ERROR(DecodePosting(row->value(), chunk, &active));
    const uint64_t day = LoadBigEndian(key.data() + prefix.size(), width - prefix.size());
    TakeSet(static_cast<uint32_t>(day), active);
    row->SeekBefore(key);
  }
  return row->status();
}

void HiddenFinder::TakeSet(uint32_t day, std::span<const SeriesNumber> active) {
  Roaring64Map shown = SetOf(active);
  shown &= sets_->left;
  Roaring64Map at_edge;
  uint32_t hours = 0;
  for (const Record& record : records_) {
    if (shown.isEmpty()) return;
    if (!record.Meets(day)) continue;
    const uint32_t of_record = record.HoursShown(day);
    if (of_record == 0) {
      shown -= *record.series;
      continue;
    }
    Roaring64Map in_part = shown & *record.series;
    if (in_part.isEmpty()) continue;
    at_edge |= in_part;
    hours |= of_record;
  }
  at_edge &= shown;
  sets_->left -= shown - at_edge;
  if (at_edge.isEmpty()) return;
  RowsToRead& rows = sets_->rows[day];
  rows.series |= at_edge;
  rows.hours |= hours;
}

// A row with a key 'U' of a record may have points that were put after the delete.
absl::Status HiddenFinder::ReadTakenOut() {
  for (const KeyRange& range : parts_.row_keys->Ranges(metric_, 0, 0)) {
    ScanRange keys = PrefixRange(HiddenRowsPrefix());
    if (!range.end.empty()) keys.end = HiddenRowsPrefix() + range.end;
    keys.begin += range.begin;
    absl::Status taken;
    HOURCELL_RETURN_IF_ERROR(
        parts_.view->Scan(TableId::kSystem, keys, [&](std::string_view key, std::string_view) {
          taken = TakeTakenOut(key);
          return taken.ok();
        }));
    HOURCELL_RETURN_IF_ERROR(taken);
  }
  return absl::OkStatus();
}

absl::Status HiddenFinder::TakeTakenOut(std::string_view key) {
  HOURCELL_ASSIGN_OR_RETURN(const HiddenRowKeyView hidden, ParseHiddenRowKey(key));
  if (std::ranges::find(records_, hidden.id, &Record::id) == records_.end()) {
    return absl::OkStatus();
  }
  HOURCELL_ASSIGN_OR_RETURN(const RowKeyView row, parts_.row_keys->ParseStored(hidden.row_key));
  if (LoadBigEndian(row.metric.data(), row.metric.size()) != metric_) return absl::OkStatus();
  std::string tsuid;
  RowKeyCodec::AppendTsuid(row, &tsuid);
  HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber number, NumberOf(tsuid));
  if (number == 0) return absl::OkStatus();
  RowsToRead& rows = sets_->rows[DayOf(row.base_time_s)];
  rows.series.add(uint64_t{number});
  rows.hours |=
      row.span == kDaySpan ? kAllHours : 1U << (row.base_time_s % kDayS / kHourSpan.seconds);
  return absl::OkStatus();
}

// Takes series with a row in these hours off those that are left.
absl::Status HiddenFinder::ReadRows(uint32_t day, const RowsToRead& rows) {
  const std::vector<SeriesNumber> numbers = NumbersIn(rows.series & sets_->left);
  if (numbers.empty()) return absl::OkStatus();
  if (numbers.size() * static_cast<size_t>(std::popcount(rows.hours)) <= kRowsGot) {
    return GetRows(day, rows.hours, numbers);
  }
  const uint32_t day_s = day * kDayS;
  for (uint32_t hour = 0; hour < kHoursOfDay; ++hour) {
    if ((rows.hours >> hour & 1) == 0) continue;
    const uint32_t begin_s = day_s + hour * kHourSpan.seconds;
    while (hour < kHoursOfDay && (rows.hours >> hour & 1) != 0)
      ++hour;
    HOURCELL_RETURN_IF_ERROR(
        ScanRows(begin_s, uint64_t{day_s} + uint64_t{hour} * kHourSpan.seconds));
  }
  return absl::OkStatus();
}

absl::Status HiddenFinder::GetRows(uint32_t day,
                                   uint32_t hours,
                                   std::span<const SeriesNumber> numbers) {
  std::vector<std::string> tsuids;
  HOURCELL_RETURN_IF_ERROR(parts_.series->TsuidsFound(numbers, &tsuids));
  std::vector<std::string> keys;
  std::vector<SeriesNumber> series;  // of keys
  std::vector<std::optional<std::string>> cells;
  for (size_t begin = 0; begin < numbers.size(); begin += kSeriesGotAtOnce) {
    const size_t end = std::min(begin + kSeriesGotAtOnce, numbers.size());
    keys.clear();
    series.clear();
    for (size_t i = begin; i < end; ++i) {
      if (tsuids[i].empty()) continue;  // dropped
      for (uint32_t hour = 0; hour < kHoursOfDay; ++hour) {
        if ((hours >> hour & 1) == 0) continue;
        parts_.row_keys->Append(tsuids[i], day * kDayS + hour * kHourSpan.seconds,
                                &keys.emplace_back());
        series.push_back(numbers[i]);
      }
    }
    HOURCELL_RETURN_IF_ERROR(parts_.view->GetMany(TableId::kData, keys, &cells));
    for (size_t i = 0; i < cells.size(); ++i)
      if (cells[i].has_value()) sets_->left.remove(uint64_t{series[i]});
  }
  return absl::OkStatus();
}

absl::Status HiddenFinder::ScanRows(uint32_t begin_s, uint64_t end_s) {
  for (const KeyRange& range : parts_.row_keys->Ranges(metric_, begin_s, end_s)) {
    const std::unique_ptr<RowCursor> row = parts_.view->NewCursor(
        TableId::kData, {.begin = range.begin, .end = range.end, .is_large = true});
    for (row->Seek(range.begin); row->valid(); row->Next()) {
      const absl::StatusOr<RowKeyView> parsed = parts_.row_keys->Parse(row->key());
      if (!parsed.ok()) continue;  // no query finds it
      std::string tsuid;
      RowKeyCodec::AppendTsuid(*parsed, &tsuid);
      HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber number, NumberOf(tsuid));
      if (number != 0) sets_->left.remove(uint64_t{number});
    }
    HOURCELL_RETURN_IF_ERROR(row->status());
  }
  return absl::OkStatus();
}

// The number of a series that was left when the first one was looked for; 0: another series.
absl::StatusOr<SeriesNumber> HiddenFinder::NumberOf(const std::string& tsuid) {
  if (numbers_of_.empty()) {
    const std::vector<SeriesNumber> numbers = NumbersIn(sets_->left);
    std::vector<std::string> tsuids;
    HOURCELL_RETURN_IF_ERROR(parts_.series->TsuidsFound(numbers, &tsuids));
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers_of_[std::move(tsuids[i])] = numbers[i];
  }
  const auto found = numbers_of_.find(tsuid);
  return found == numbers_of_.end() ? SeriesNumber{0} : found->second;
}

}  // namespace hourcell
