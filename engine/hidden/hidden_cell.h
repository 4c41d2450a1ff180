// The points of a cell, divided into those that deletes hide and the others. Pure; thread-safe.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "codec/cells/cell.h"
#include "engine/hidden/hidden_points.h"

namespace hourcell {

// A divided cell.
struct DividedCell {
  CellColumns left;                        // points that no part hides
  std::map<uint64_t, CellColumns> hidden;  // by the id of the first part that hides them
};

// Divides a cell of an hour or a day; nullopt if it does not decode.
std::optional<DividedCell> DivideCell(std::string_view cell, std::span<const HiddenPart> parts);

// Which points of a row are visible.
enum class ShownRow : uint8_t { kAll, kInPart, kNothing };

// Changes the value of a row into that of its visible points, if it has hidden and visible ones.
// A cell that does not decode stays, unless a part is whole: readers get the fault.
ShownRow ShowParts(std::span<const HiddenPart> parts, std::string* value);

// Appends a cell of `columns` to `*out`, in the format of `model`: a day's, a packed or OpenTSDB's
// cell. REQUIRES: columns as in a decoded cell of that kind, at least one point.
void AppendCellLike(std::string_view model, const CellColumns& columns, std::string* out);

}  // namespace hourcell
