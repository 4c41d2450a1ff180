// Regions in short, for tests.

#pragma once

#include <string>
#include <vector>

#include "engine/regions/region_info.h"

namespace hourcell {

inline RegionInfo OpenRegion(std::string start, std::string end, uint64_t id) {
  return {.table = "data",
          .range = {.start = std::move(start), .end = std::move(end)},
          .id = {id},
          .state = RegionState::kOpen};
}

// Regions that tile a key space between the keys, with ids 1, 2, 3...
inline std::vector<RegionInfo> TiledRegions(const std::vector<std::string>& split_keys) {
  std::vector<RegionInfo> regions;
  std::string start;
  for (const std::string& key : split_keys) {
    regions.push_back(OpenRegion(start, key, regions.size() + 1));
    start = key;
  }
  regions.push_back(OpenRegion(start, "", regions.size() + 1));
  return regions;
}

}  // namespace hourcell
