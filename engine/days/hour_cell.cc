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

bool IsShownWhole(std::string_view day_cell) {
  return !HoursOfDayCell(day_cell).ok();
}

}  // namespace hourcell
