#include "engine/days/hour_cell.h"

#include "codec/cells/day_cell.h"
#include "codec/cells/packed_cell.h"

namespace hourcell {

void AppendHourCell(std::string_view day_cell,
                    uint32_t hour,
                    CellColumns* scratch,
                    std::string* out) {
  scratch->clear();
  if (!DecodeHourOfDay(day_cell, hour, scratch).ok() || scratch->size() == 0) {
    out->append(day_cell);
    return;
  }
  AppendPackedCell(*scratch, out);
}

uint32_t HoursShown(std::string_view day_cell) {
  constexpr uint32_t kAllHours = (uint32_t{1} << 24) - 1;
  return HoursOfDayCell(day_cell).value_or(kAllHours);
}

bool IsShownWhole(std::string_view day_cell) {
  return !HoursOfDayCell(day_cell).ok();
}

}  // namespace hourcell
