#include "engine/days/hour_cursor.h"

#include "codec/base/bytes.h"
#include "engine/days/hour_place.h"

namespace hourcell {

void HourCursor::Seek(std::string_view key) {
  rows_->Seek(key);
  SkipDays();
}

void HourCursor::SeekBefore(std::string_view key) {
  rows_->SeekBefore(key);
  SkipDaysBack();
}

void HourCursor::SeekToLast() {
  rows_->SeekToLast();
  SkipDaysBack();
}

void HourCursor::Next() {
  rows_->Next();
  SkipDays();
}

// Days and the hours of 1970-01-01 are mixed in the order of keys; few stores have the latter.
void HourCursor::SkipDays() {
  while (rows_->valid() && IsDayKey(rows_->key(), at_)) {
    const uint32_t field = TimeFieldOf(rows_->key(), at_);
    target_ = rows_->key().substr(0, at_);
    AppendBigEndian(kHourSpan.CeilS(field), kTimeFieldBytes, &target_);
    rows_->Seek(target_);
  }
}

void HourCursor::SkipDaysBack() {
  while (rows_->valid() && IsDayKey(rows_->key(), at_)) {
    const uint32_t field = TimeFieldOf(rows_->key(), at_);
    target_ = rows_->key().substr(0, at_);
    // Before all days since the hour with a smaller field.
    AppendBigEndian(kHourSpan.FloorS(field) + 1, kTimeFieldBytes, &target_);
    rows_->SeekBefore(target_);
  }
}

}  // namespace hourcell
