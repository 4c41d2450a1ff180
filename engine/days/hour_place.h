// HourPlace: a row key cut at its base time, to go from the row of an hour to that of its day and
// back. Both keys differ only there (codec/rows/row_key.h).
//
//   before: salt and metric in the default order | base time: 4 | after: the tags
//
// Pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/rows/day_field.h"
#include "codec/rows/row_span.h"

namespace hourcell {

inline constexpr size_t kTimeFieldBytes = 4;

// The base time, or the day's field, of a key that is long enough. `at` is
// RowKeyCodec::base_time_offset().
inline uint32_t TimeFieldOf(std::string_view key, size_t at) {
  HOURCELL_DCHECK(key.size() >= at + kTimeFieldBytes);
  return static_cast<uint32_t>(LoadBigEndian(key.data() + at, kTimeFieldBytes));
}

inline bool IsDayKey(std::string_view key, size_t at) {
  return key.size() >= at + kTimeFieldBytes && IsDayField(TimeFieldOf(key, at));
}

// Sets the base time, or the day's field, of a key.
inline void SetTimeField(uint32_t field, size_t at, std::string* key) {
  HOURCELL_DCHECK(key->size() >= at + kTimeFieldBytes);
  StoreBigEndian(field, kTimeFieldBytes, key->data() + at);
}

// The key of the row of the day that has an hour.
inline std::string DayKeyOf(std::string_view hour_key, size_t at) {
  std::string key(hour_key);
  SetTimeField(DayField(kDaySpan.FloorS(TimeFieldOf(hour_key, at))), at, &key);
  return key;
}

// The hour's number in its day, 0 to 23.
inline uint32_t HourOfDay(uint32_t base_time_s) {
  return base_time_s % kDaySpan.seconds / kHourSpan.seconds;
}

// A place among the rows of hours: before all rows that are not before the place. The hour may be
// the one after the last.
struct HourPlace {
  std::string before;
  uint64_t hour_s = 0;  // a multiple of an hour
  std::string after;    // empty: the hour's first row

  // The place of any bytes as a key.
  static HourPlace Of(std::string_view key, size_t at) {
    std::string bytes(key);
    // No key is shorter, so zeros change nothing.
    if (bytes.size() < at + kTimeFieldBytes) bytes.resize(at + kTimeFieldBytes);
    const uint32_t time_s = TimeFieldOf(bytes, at);
    HourPlace place{.before = bytes.substr(0, at), .hour_s = kHourSpan.CeilS(time_s), .after = {}};
    if (place.hour_s == time_s) place.after = bytes.substr(at + kTimeFieldBytes);
    return place;
  }
};

}  // namespace hourcell
