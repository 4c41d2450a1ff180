#include "engine/regions/balance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hourcell {
namespace {

uint64_t SumOf(std::span<const uint64_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
}

// Away from products such as 10 * (1 - 0.2), which are no whole numbers in binary.
constexpr double kRounding = 1e-9;

}  // namespace

SlopBand SlopBandOf(double average, double slop) {
  return {.floor = static_cast<uint64_t>(std::floor(average * (1 - slop) + kRounding)),
          .ceiling = static_cast<uint64_t>(std::ceil(average * (1 + slop) - kRounding))};
}

bool NeedsBalancing(std::span<const uint64_t> regions_of_server, double slop) {
  if (regions_of_server.empty()) return false;
  const double average =
      static_cast<double>(SumOf(regions_of_server)) / static_cast<double>(regions_of_server.size());
  const SlopBand band = SlopBandOf(average, slop);
  return std::any_of(regions_of_server.begin(), regions_of_server.end(),
                     [&](uint64_t count) { return count < band.floor || count > band.ceiling; });
}

std::vector<RegionMove> PlanMoves(std::span<const uint64_t> regions_of_server, double slop) {
  std::vector<RegionMove> moves;
  if (!NeedsBalancing(regions_of_server, slop)) return moves;
  std::vector<uint64_t> counts(regions_of_server.begin(), regions_of_server.end());
  while (true) {
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    if (*most - *least <= 1) return moves;
    moves.push_back({.from = static_cast<size_t>(most - counts.begin()),
                     .to = static_cast<size_t>(least - counts.begin())});
    --*most;
    ++*least;
  }
}

}  // namespace hourcell
