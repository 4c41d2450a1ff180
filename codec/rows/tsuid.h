// Tsuid: metric UID and sorted tag UID pairs, the identity of a series.
//
//   offset   size            field
//   0        M               metric UID         widths M, K, V from the layout
//   M        (K + V) * n     tagk UID, tagv UID  ascending by their bytes, n >= 1
//
// It is a row key without salt and base time. Text form: upper-case hex. Pure; thread-safe.

#pragma once

#include <compare>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "codec/rows/uid.h"

namespace hourcell {

struct TagUids {
  Uid tagk = kNoUid;
  Uid tagv = kNoUid;
  friend auto operator<=>(const TagUids&, const TagUids&) = default;
};

// A tsuid taken apart.
struct SeriesUids {
  Uid metric = kNoUid;
  std::vector<TagUids> tags;  // ascending
  friend bool operator==(const SeriesUids&, const SeriesUids&) = default;
};

// The bytes of a tsuid; sorts `tags` itself.
// REQUIRES: every UID fits its width, 1 <= tags <= kTagsMax.
std::string EncodeTsuid(const Layout& layout, Uid metric, std::span<const TagUids> tags);

// Takes a tsuid apart. kInvalidArgument: no whole metric, no tag, not a whole number of pairs, over
// kTagsMax pairs.
absl::StatusOr<SeriesUids> ParseTsuid(const Layout& layout, std::string_view tsuid);

}  // namespace hourcell
