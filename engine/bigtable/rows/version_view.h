// VersionView: which writes a reader sees. A value.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hourcell {

// Versions from first to last, both included.
struct VersionRange {
  uint64_t first = 0;
  uint64_t last = 0;
  friend bool operator==(const VersionRange&, const VersionRange&) = default;
};

// Sees the versions up to `max` that are not hidden: those of writes that were under way when the
// view was made, and of writes whose end nobody knows.
struct VersionView {
  uint64_t max = 0;
  std::vector<VersionRange> hidden = {};  // ascending, apart
  // The lowest version that the view does not see and a later view may.
  uint64_t floor = 0;

  bool Sees(uint64_t version) const { return version <= max && !Hides(version, version); }

  // True if a version from first to last is hidden.
  bool Hides(uint64_t first, uint64_t last) const {
    const auto after = std::ranges::lower_bound(hidden, first, {}, &VersionRange::last);
    return after != hidden.end() && after->first <= last;
  }
};

}  // namespace hourcell
