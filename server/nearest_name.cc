#include "server/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace hourcell {
namespace {

// Levenshtein's distance, O(a * b).
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

// What every distance is at least: that of the lengths.
size_t DistanceMin(std::string_view a, std::string_view b) {
  return std::max(a.size(), b.size()) - std::min(a.size(), b.size());
}

}  // namespace

std::string_view NearestName(std::string_view name, std::span<const std::string_view> names) {
  name = name.substr(0, kComparedBytesMax);
  std::string_view nearest;
  size_t distance_min = std::numeric_limits<size_t>::max();
  for (const std::string_view candidate : names) {
    if (DistanceMin(name, candidate) >= distance_min) continue;
    const size_t distance = EditDistance(name, candidate);
    if (distance >= distance_min) continue;
    distance_min = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace hourcell
