// CheckCell: whether a stored cell decodes, what is wrong with it, and what can be kept of it.
// Pure; bounded on any bytes; thread-safe.

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
  std::string text = {};                // what is wrong
  std::string good = {};                // if there is a fault: a cell of all that decodes, or empty
};

// A float of OpenTSDB's two historical defects (flagged as 4 bytes, stored in 8, of which the first
// four are zero or ff) is repaired in `good`. No integer is ever made narrower or left out.
CellCheck CheckCell(std::string_view cell);

}  // namespace hourcell
