#include "engine/days/day_cursor.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <absl/status/statusor.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/cells/day_cell.h"
#include "engine/days/hour_cell.h"
#include "engine/rows/key_range.h"

// Why hours are not held in memory: a day's rows of a metric may be any number. They are passed
// again for each hour, in cached blocks; queries, which read most, take whole days instead
// (engine/read/row_reader.h).

namespace hourcell {
namespace {

// The stored rows in which days with the hours of a range may be. Without an end for an endless
// range.
ScanRange RowsOfDays(size_t at, const ScanRange& hours) {
  ScanRange rows{.begin = hours.begin.substr(0, at), .end = {}, .is_large = hours.is_large};
  if (hours.end.size() <= at) {
    rows.end = hours.end;
    return rows;
  }
  rows.end = hours.end.substr(0, at);
  AppendBigEndian(kDayFieldsEnd, kBaseTimeBytes, &rows.end);
  return rows;
}

}  // namespace

DayCursor::DayCursor(size_t at, TableView* view, const ScanRange& range)
    : at_(at), range_(range), rows_(view->NewCursor(TableId::kData, RowsOfDays(at, range))) {}

void DayCursor::Seek(std::string_view key) {
  FindFrom(HourPlace::Of(key < range_.begin ? std::string_view(range_.begin) : key, at_));
}

void DayCursor::SeekBefore(std::string_view key) {
  const bool is_above = !range_.end.empty() && key > range_.end;
  FindBefore(HourPlace::Of(is_above ? std::string_view(range_.end) : key, at_));
}

void DayCursor::SeekToLast() {
  if (!range_.end.empty()) return FindBefore(HourPlace::Of(range_.end, at_));
  FindBefore({.before = std::string(at_, '\xFF'), .hour_s = kHourSpan.EndOfTimeS(), .after = {}});
}

void DayCursor::Next() {
  HOURCELL_DCHECK(is_valid_);
  is_valid_ = false;
  rows_->Next();
  if (FindFurther()) return KeepInRange();
  if (!rows_->status().ok()) return;
  HourPlace place = HourPlace::Of(key_, at_);
  place.hour_s += kHourSpan.seconds;
  place.after.clear();
  FindFrom(std::move(place));
}

std::string DayCursor::PrefixOf(const Day& day) const {
  std::string prefix = day.before;
  AppendBigEndian(DayField(day.day_s), kBaseTimeBytes, &prefix);
  return prefix;
}

// To the first row from `place` on.
void DayCursor::FindFrom(HourPlace place) {
  is_valid_ = false;
  std::optional<Day> day;
  uint32_t hour = 0;
  if (place.hour_s < kHourSpan.EndOfTimeS()) {
    const auto hour_s = static_cast<uint32_t>(place.hour_s);
    day = Day{.before = place.before, .day_s = kDaySpan.FloorS(hour_s)};
    hour = HourOfDay(hour_s);
    if (FindInHour(*day, hour, place.after)) return KeepInRange();
    ++hour;
  } else {
    std::string last = place.before;
    AppendBigEndian(kDayFieldsEnd, kBaseTimeBytes, &last);
    day = NextDay(std::move(last));
  }
  while (day.has_value() && rows_->status().ok()) {
    const uint32_t left = hour >= 24 ? 0 : HoursOf(*day) >> hour << hour;
    if (left != 0) {
      if (FindInHour(*day, static_cast<uint32_t>(std::countr_zero(left)), {})) KeepInRange();
      return;
    }
    hour = 0;
    std::string after = day->before;
    AppendBigEndian(DayField(day->day_s) + 1, kBaseTimeBytes, &after);
    day = NextDay(std::move(after));
  }
}

// To the last row before `place`.
void DayCursor::FindBefore(HourPlace place) {
  is_valid_ = false;
  if (place.hour_s >= kHourSpan.EndOfTimeS()) place.after.clear();
  uint64_t end_s = place.hour_s;  // before it every row counts, and in it those before `after`
  std::optional<Day> day;
  if (place.after.empty() && end_s % kDaySpan.seconds == 0) {
    std::string before = place.before;
    AppendBigEndian(end_s == 0 ? 0 : DayField(static_cast<uint32_t>(end_s - kDaySpan.seconds)) + 1,
                    kBaseTimeBytes, &before);
    day = DayBefore(std::move(before));
    if (day.has_value()) end_s = kDaySpan.EndS(day->day_s);
  } else {
    const uint64_t in_day_s =
        std::min<uint64_t>(place.after.empty() ? end_s - 1 : end_s, UINT32_MAX);
    day = Day{.before = place.before, .day_s = kDaySpan.FloorS(static_cast<uint32_t>(in_day_s))};
  }
  while (day.has_value() && rows_->status().ok()) {
    const std::string prefix = PrefixOf(*day);
    const auto hours = static_cast<uint32_t>((end_s - day->day_s) / kHourSpan.seconds);
    uint32_t best = 0;  // the hour + 1
    std::string of_best;
    for (rows_->Seek(prefix); rows_->valid() && rows_->key().starts_with(prefix); rows_->Next()) {
      const std::string_view after = rows_->key().substr(prefix.size());
      const uint32_t whole = hours < 24 && after < place.after ? hours + 1 : hours;
      const uint32_t shown = HoursShown(rows_->value()) & ((uint32_t{1} << whole) - 1);
      const auto last = static_cast<uint32_t>(std::bit_width(shown));
      if (last == 0 || last < best) continue;
      best = last;
      of_best = after;
    }
    if (!rows_->status().ok()) return;
    if (best != 0) {
      if (FindInHour(*day, best - 1, of_best)) KeepInRange();
      return;
    }
    day = DayBefore(prefix);
    place.after.clear();
    if (day.has_value()) end_s = kDaySpan.EndS(day->day_s);
  }
}

// To the day's first row from `after` on that has the hour.
bool DayCursor::FindInHour(const Day& day, uint32_t hour, std::string_view after) {
  prefix_ = PrefixOf(day);
  hour_s_ = day.day_s + hour * kHourSpan.seconds;
  rows_->Seek(prefix_ + std::string(after));
  return FindFurther();
}

// To the first row from rows_ on of the same day and hour.
bool DayCursor::FindFurther() {
  const uint32_t hour = HourOfDay(hour_s_);
  for (; rows_->valid() && rows_->key().starts_with(prefix_); rows_->Next()) {
    if ((HoursShown(rows_->value()) >> hour & 1) == 0) continue;
    is_valid_ = true;
    has_value_ = false;
    key_ = rows_->key();
    SetTimeField(hour_s_, at_, &key_);
    return true;
  }
  return false;
}

// The hours of any row of the day.
uint32_t DayCursor::HoursOf(const Day& day) {
  const std::string prefix = PrefixOf(day);
  uint32_t hours = 0;
  for (rows_->Seek(prefix); rows_->valid() && rows_->key().starts_with(prefix); rows_->Next())
    hours |= HoursShown(rows_->value());
  return hours;
}

// The first day with rows at or after a key.
std::optional<DayCursor::Day> DayCursor::NextDay(std::string from) {
  rows_->Seek(from);
  while (rows_->valid()) {
    const std::string_view key = rows_->key();
    if (key.size() < at_ + kBaseTimeBytes) {
      rows_->Next();  // not a row's key; fsck reports it
      continue;
    }
    const uint32_t field = TimeFieldOf(key, at_);
    const std::string before(key.substr(0, at_));
    if (IsDayField(field)) return Day{.before = before, .day_s = DayOfField(field)};
    if (field < kDayFieldsEnd) {  // an hour of the first day
      from = before;
      AppendBigEndian(field + 1, kBaseTimeBytes, &from);
    } else {
      from = PrefixRange(before).end;
      if (from.empty()) break;
    }
    rows_->Seek(from);
  }
  return std::nullopt;
}

// The last day with rows before a key.
std::optional<DayCursor::Day> DayCursor::DayBefore(std::string before) {
  rows_->SeekBefore(before);
  while (rows_->valid()) {
    const std::string_view key = rows_->key();
    if (key.size() < at_ + kBaseTimeBytes) {
      before = key;
    } else {
      const uint32_t field = TimeFieldOf(key, at_);
      const std::string of_metric(key.substr(0, at_));
      if (IsDayField(field)) return Day{.before = of_metric, .day_s = DayOfField(field)};
      before = of_metric;
      AppendBigEndian(field < kDayFieldsEnd ? field : kDayFieldsEnd, kBaseTimeBytes, &before);
    }
    rows_->SeekBefore(before);
  }
  return std::nullopt;
}

void DayCursor::KeepInRange() {
  is_valid_ = is_valid_ && key_ >= range_.begin && (range_.end.empty() || key_ < range_.end);
}

std::string_view DayCursor::value() const {
  HOURCELL_DCHECK(is_valid_);
  if (has_value_) return value_;
  has_value_ = true;
  value_.clear();
  AppendHourCell(rows_->value(), HourOfDay(hour_s_), &columns_, &value_);
  return value_;
}

}  // namespace hourcell
