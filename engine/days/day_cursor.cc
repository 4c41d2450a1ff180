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
// again for each hour, in cached blocks; queries and look-ups of last points, which read most, take
// whole days instead (engine/read).

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
  AppendBigEndian(kDayFieldsEnd, kTimeFieldBytes, &rows.end);
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
  FindFrom(place);
}

std::string DayCursor::PrefixOf(const Day& day) const {
  std::string prefix = day.before;
  AppendBigEndian(DayField(day.day_s), kTimeFieldBytes, &prefix);
  return prefix;
}

// To the first row from `place` on.
void DayCursor::FindFrom(const HourPlace& place) {
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
    AppendBigEndian(kDayFieldsEnd, kTimeFieldBytes, &last);
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
    AppendBigEndian(DayField(day->day_s) + 1, kTimeFieldBytes, &after);
    day = NextDay(std::move(after));
  }
}

// To the last row before `place`.
void DayCursor::FindBefore(const HourPlace& place) {
  is_valid_ = false;
  // In the first day looked at, rows of hours before `hours` count, and those of this hour before
  // `after`.
  const bool is_past_all = place.hour_s >= kHourSpan.EndOfTimeS();
  std::string_view after = is_past_all ? std::string_view() : place.after;
  const uint64_t last_s = std::min<uint64_t>(
      after.empty() && place.hour_s > 0 ? place.hour_s - 1 : place.hour_s, UINT32_MAX);
  Day first{.before = place.before, .day_s = kDaySpan.FloorS(static_cast<uint32_t>(last_s))};
  auto hours = static_cast<uint32_t>((place.hour_s - first.day_s) / kHourSpan.seconds);
  for (std::optional<Day> day = std::move(first); day.has_value() && rows_->status().ok();) {
    if (FindLastIn(*day, hours, after)) return KeepInRange();
    if (!rows_->status().ok()) return;
    day = DayBefore(PrefixOf(*day));
    hours = 24;
    after = {};
  }
}

// To the day's last row in an hour before `hours`, or in that hour before `after`.
bool DayCursor::FindLastIn(const Day& day, uint32_t hours, std::string_view after) {
  const std::string prefix = PrefixOf(day);
  uint32_t best = 0;  // the hour + 1
  std::string of_best;
  for (rows_->Seek(prefix); rows_->valid() && rows_->key().starts_with(prefix); rows_->Next()) {
    const std::string_view of_row = rows_->key().substr(prefix.size());
    const uint32_t whole = hours < 24 && of_row < after ? hours + 1 : hours;
    const uint32_t shown = HoursShown(rows_->value()) & ((uint32_t{1} << whole) - 1);
    const auto last = static_cast<uint32_t>(std::bit_width(shown));
    if (last == 0 || last < best) continue;
    best = last;
    of_best = of_row;
  }
  return best != 0 && rows_->status().ok() && FindInHour(day, best - 1, of_best);
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
    if (key.size() < at_ + kTimeFieldBytes) {
      rows_->Next();  // not a row's key; fsck reports it
      continue;
    }
    const uint32_t field = TimeFieldOf(key, at_);
    const std::string before(key.substr(0, at_));
    if (IsDayField(field)) return Day{.before = before, .day_s = DayOfField(field)};
    if (field < kDayFieldsEnd) {  // an hour of the first day
      from = before;
      AppendBigEndian(field + 1, kTimeFieldBytes, &from);
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
    if (key.size() < at_ + kTimeFieldBytes) {
      before = key;
    } else {
      const uint32_t field = TimeFieldOf(key, at_);
      const std::string of_metric(key.substr(0, at_));
      if (IsDayField(field)) return Day{.before = of_metric, .day_s = DayOfField(field)};
      before = of_metric;
      AppendBigEndian(field < kDayFieldsEnd ? field : kDayFieldsEnd, kTimeFieldBytes, &before);
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
