// Balance by count: HBase's simple balancer, for regions over write shards, databases or disks.
// Pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hourcell {

// How many regions a server may have before the balancer moves any.
struct SlopBand {
  uint64_t floor = 0;
  uint64_t ceiling = 0;

  friend bool operator==(const SlopBand&, const SlopBand&) = default;
};

// floor(average * (1 - slop)) to ceil(average * (1 + slop)). HBase's slop is 0.2.
SlopBand SlopBandOf(double average, double slop);

// True if a server is outside of the band around the average.
bool NeedsBalancing(std::span<const uint64_t> regions_of_server, double slop);

struct RegionMove {
  size_t from = 0;  // server
  size_t to = 0;

  friend bool operator==(const RegionMove&, const RegionMove&) = default;
};

// The fewest moves of one region each after which no two servers differ by more than one; none if
// no server is outside of the band.
std::vector<RegionMove> PlanMoves(std::span<const uint64_t> regions_of_server, double slop);

}  // namespace hourcell
