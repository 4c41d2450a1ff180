// Which region a user means: HBase's names, our ids, or a key that it has.
//
//   1356998400000                       its id
//   f2d4a9f5d0d3b0d7c8e2a1b4c3d2e1f0    its encoded name
//   data,\x00\x00\x02,1356998400000.f2d4a9f5d0d3b0d7c8e2a1b4c3d2e1f0.
//   \x00\x00\x02P                       the region that has this key
//   key:1356998400000                   the same for a key that looks like one of the others
//
// Keys and names as the shell prints them (regions/region_name.h). Pure; thread-safe.

#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/regions/region_info.h"

namespace hourcell {

// The index of the region. A text of digits is always an id and never a key, and the other two
// forms work alike: the id of a removed region must not select another region. kNotFound: no region
// has that id or name, as it may have been split or merged. kInvalidArgument: an empty text, or not
// a printed key. REQUIRES: `regions` tile their table, ascending by start.
absl::StatusOr<size_t> FindRegion(std::span<const RegionInfo> regions, std::string_view selector);

}  // namespace hourcell
