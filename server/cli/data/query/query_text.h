// Formats results of queries as the lines of the tool. Pure.

#pragma once

#include <string>

#include "engine/query.h"

namespace hourcell {

// Appends one line per point: `metric timestamp_ms value {tagk=tagv, ...}`.
void AppendSeriesLines(const ResultSeries& series, std::string* out);

}  // namespace hourcell
