// CheckCell: checks whether a stored cell decodes; returns its fault and its good points. Pure;
// bounded on any bytes; thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/fsck_report.h"

namespace hourcell {

struct CellCheck {
  uint64_t points = 0;                  // that decode
  std::optional<FsckFault> fault = {};  // kCell, kDamagedRow or kFloat
  std::string text = {};                // the fault in words
  std::string good = {};                // if there is a fault: a cell of all that decodes, or empty
};

// A float with one of OpenTSDB's two historical defects (flagged as 4 bytes, stored in 8, the first
// four of them zero or ff) is repaired in `good`. Integers are never narrowed or dropped.
CellCheck CheckCell(std::string_view cell);

}  // namespace hourcell
