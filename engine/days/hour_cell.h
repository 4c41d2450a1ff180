// HourCell: the cell of an hour, cut out of the cell of its day. Pure.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "codec/cells/cell.h"

namespace hourcell {

// Appends the packed cell of an hour that the day's cell has, by HoursOfDayCell. If the day's cell
// does not decode, appends it whole: whoever decodes that gets the fault. `scratch` is overwritten.
void AppendHourCell(std::string_view day_cell,
                    uint32_t hour,
                    CellColumns* scratch,
                    std::string* out);

// True if the cell of a day is shown whole, because its directory does not decode.
bool IsShownWhole(std::string_view day_cell);

// Bit h: the cell of a day is shown in hour h. In all if it is shown whole.
uint32_t HoursShown(std::string_view day_cell);

}  // namespace hourcell
