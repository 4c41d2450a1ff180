// Cutting a region into many parts at once: the keys at which parts of equal bytes meet. Each is a
// point of FindSplitPoint, so split_point.h's rules for points hold for each key. Pure.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/regions/split/split_point.h"

namespace hourcell {

// The most parts a region is cut into at once.
inline constexpr uint32_t kEqualPartsMax = 1024;

struct EqualParts {
  std::vector<std::string> keys = {};  // ascending, one fewer than parts; empty = cannot be cut
  std::string reason = {};             // why the region cannot be cut

  bool found() const { return !keys.empty(); }
};

// The keys that cut the target into `parts` parts with as near the same bytes as its rows allow.
// All or none. Of two parts it is FindSplitPoint by target.place, of more always by bytes.
// REQUIRES: 2 <= parts <= kEqualPartsMax.
EqualParts FindEqualParts(const SplitTarget& target, const SplitProbe& probe, uint32_t parts);

}  // namespace hourcell
