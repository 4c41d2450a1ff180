// The field of a day replaces the base time in the key of a day's row. It is twice the number of
// the day since 1970, plus 1: odd, unlike every base time, and ascending. row_key.h describes the
// order of keys. Pure.

#pragma once

#include <cstdint>

#include "codec/base/check.h"
#include "codec/rows/row_span.h"

namespace hourcell {

// REQUIRES: kDaySpan.IsBase(day_s).
constexpr uint32_t DayField(uint32_t day_s) {
  HOURCELL_DCHECK(kDaySpan.IsBase(day_s));
  return day_s / kDaySpan.seconds * 2 + 1;
}

// Above the field of each day.
inline constexpr uint32_t kDayFieldsEnd = DayField(kDaySpan.LastBaseS()) + 1;

constexpr bool IsDayField(uint32_t field) {
  return field % 2 == 1 && field < kDayFieldsEnd;
}

// The start of the day with that field. REQUIRES: IsDayField(field).
constexpr uint32_t DayOfField(uint32_t field) {
  HOURCELL_DCHECK(IsDayField(field));
  return field / 2 * kDaySpan.seconds;
}

}  // namespace hourcell
