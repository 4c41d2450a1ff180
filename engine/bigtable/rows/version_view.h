// VersionView: the writes that a reader sees. A value type.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hourcell {

// Versions from first to last, inclusive.
struct VersionRange {
  uint64_t first = 0;
  uint64_t last = 0;
  friend bool operator==(const VersionRange&, const VersionRange&) = default;
};

// Sees versions up to `max` except the hidden ones: those of writes in progress when the view was
// made, and of writes with an unknown outcome.
struct VersionView {
  uint64_t max = 0;
  std::vector<VersionRange> hidden = {};  // ascending, disjoint
  // The lowest version that only later views may see.
  uint64_t floor = 0;

  bool Sees(uint64_t version) const { return version <= max && !Hides(version, version); }

  // True if any version from first to last is hidden.
  bool Hides(uint64_t first, uint64_t last) const {
    const auto after = std::ranges::lower_bound(hidden, first, {}, &VersionRange::last);
    return after != hidden.end() && after->first <= last;
  }
};

}  // namespace hourcell
