// Results of queries as the lines that the tool prints. Pure.

#pragma once

#include <string>

#include "engine/query.h"

namespace hourcell {

// Appends a line a point: `metric timestamp_ms value {tagk=tagv, ...}`.
void AppendSeriesLines(const ResultSeries& series, std::string* out);

}  // namespace hourcell
