// Formats stored rows as `hourcell scan` prints them. Each function appends complete lines, ends
// included. Pure.

#pragma once

#include <string>

#include <absl/status/status.h>

#include "engine/tsdb.h"

namespace hourcell {

// One import line per point: `metric timestamp value tagk=tagv ...`, ascending in time.
void AppendImportLines(const ScannedRow& row, std::string* out);

// Key, qualifiers and values in hex, separated by tabs: one line.
void AppendHexLine(const ScannedRow& row, std::string* out);

// OpenTSDB's format of a row: a line for its key, then a line with the bytes of each point; a line
// of the whole cell precedes the points of a cell with several points. kDataLoss: the qualifiers
// and values do not match; the line of the cell says so, without lines of points.
absl::Status AppendRawLines(const ScannedRow& row, std::string* out);

}  // namespace hourcell
