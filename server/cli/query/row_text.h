// Stored rows as `hourcell scan` prints them. Each function appends whole lines, ends included.
// Pure.

#pragma once

#include <string>

#include <absl/status/status.h>

#include "engine/tsdb.h"

namespace hourcell {

// An import line a point: `metric timestamp value tagk=tagv ...`, ascending in time.
void AppendImportLines(const ScannedRow& row, std::string* out);

// Key, qualifiers and values in hex, separated by tabs: one line.
void AppendHexLine(const ScannedRow& row, std::string* out);

// OpenTSDB's picture of a row: a line of its key, then each point with its bytes; a cell of several
// points begins with a line of the whole cell.
// kDataLoss: the qualifiers and values do not add up; a line saying so stands in their place.
absl::Status AppendRawLines(const ScannedRow& row, std::string* out);

}  // namespace hourcell
