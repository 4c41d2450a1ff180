#include "engine/hidden/hidden_cell.h"

#include <algorithm>
#include <utility>

#include "codec/base/check.h"
#include "codec/cells/day_cell.h"
#include "codec/cells/packed_cell.h"

namespace hourcell {

std::optional<DividedCell> DivideCell(std::string_view cell, std::span<const HiddenPart> parts) {
  CellColumns columns;
  if (!DecodeCell(cell, &columns).ok()) return std::nullopt;
  DividedCell divided;
  for (size_t i = 0; i < columns.size(); ++i) {
    const auto part = std::ranges::find_if(
        parts, [at = columns.offset_ms[i]](const HiddenPart& one) { return one.Has(at); });
    CellColumns& to = part == parts.end() ? divided.left : divided.hidden[part->id];
    to.push_back(columns.qualifier(i), columns.value(i));
  }
  return divided;
}

ShownRow ShowParts(std::span<const HiddenPart> parts, std::string* value) {
  if (std::ranges::any_of(parts, &HiddenPart::is_whole)) return ShownRow::kNothing;
  const std::optional<DividedCell> divided = DivideCell(*value, parts);
  if (!divided.has_value() || divided->hidden.empty()) return ShownRow::kAll;
  if (divided->left.size() == 0) return ShownRow::kNothing;
  std::string left;
  AppendCellLike(*value, divided->left, &left);
  *value = std::move(left);
  return ShownRow::kInPart;
}

void AppendCellLike(std::string_view model, const CellColumns& columns, std::string* out) {
  HOURCELL_DCHECK(columns.size() > 0);
  if (IsDayCell(model)) {
    AppendDayCell(columns, out);
  } else if (IsPacked(model)) {
    AppendPackedCell(columns, out);
  } else {
    AppendCell(columns, out);
  }
}

}  // namespace hourcell
