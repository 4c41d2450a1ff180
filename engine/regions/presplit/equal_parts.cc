#include "engine/regions/presplit/equal_parts.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "engine/regions/region_name.h"

// Why each cut is a point of FindSplitPoint: one place then decides which points are useful, with
// restrictions and indivisible rows, and a plain split would refuse no cut of a region into n
// parts.

namespace hourcell {
namespace {

// The probe of a region whose bytes are almost all in its first two parts: its median is where the
// first one ends. The bytes after them keep a small weight, so that no point seems to leave nothing
// on that side.
class FirstPartProbe {
 public:
  FirstPartProbe(const SplitProbe& probe, std::string start, std::string_view end, uint32_t parts)
      : probe_(probe),
        start_(std::move(start)),
        two_parts_bytes_(2 * (probe.bytes_between(start_, end) / parts)),
        weight_(uint64_t{1000} * parts) {}

  uint64_t Between(std::string_view start, std::string_view end) const {
    const uint64_t from = start <= start_ ? 0 : Weigh(probe_.bytes_between(start_, start));
    const uint64_t to = Weigh(probe_.bytes_between(start_, end));
    return to - std::min(from, to);
  }

 private:
  // The weight of the first `bytes` bytes of the region.
  uint64_t Weigh(uint64_t bytes) const {
    return weight_ * std::min(bytes, two_parts_bytes_) + bytes;
  }

  const SplitProbe& probe_;
  const std::string start_;
  const uint64_t two_parts_bytes_;
  const uint64_t weight_;  // of each of their bytes; the share of the others moves the median by
                           // half a thousandth of a part
};

// The first of the keys that cut the target into `parts`.
SplitPoint FirstPoint(const SplitTarget& target, const SplitProbe& probe, uint32_t parts) {
  if (parts == 2) return FindSplitPoint(target, probe);
  const FirstPartProbe weighted(probe, target.range.start, target.range.end, parts);
  const auto bytes_between = [&](std::string_view start, std::string_view end) {
    return weighted.Between(start, end);
  };
  return FindSplitPoint(target,
                        {.bytes_between = bytes_between, .first_row_from = probe.first_row_from});
}

}  // namespace

EqualParts FindEqualParts(const SplitTarget& target, const SplitProbe& probe, uint32_t parts) {
  HOURCELL_CHECK(parts >= 2 && parts <= kEqualPartsMax);
  EqualParts found;
  SplitTarget rest = target;
  if (parts > 2) rest.place = SplitPlace::kBytes;
  for (uint32_t left = parts; left >= 2; --left) {
    SplitPoint point = FirstPoint(rest, probe, left);
    if (!point.found()) {
      const uint64_t bytes = probe.bytes_between(rest.range.start, rest.range.end);
      const std::string reason =
          parts == 2
              ? point.reason
              : fmt::format(
                    "{} of {} keys found; the {} bytes from \"{}\" on are too few, "
                    "or of too few rows, for {} parts",
                    found.keys.size(), parts - 1, bytes, ToStringBinary(rest.range.start), left);
      return {.keys = {}, .reason = reason};
    }
    rest.range.start = point.key;
    found.keys.push_back(std::move(point.key));
  }
  return found;
}

}  // namespace hourcell
