#include "server/text/nearest_name.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

namespace hourcell {
namespace {

// Levenshtein's distance, or `limit` if it is not below that. O(a * b).
size_t EditDistance(std::string_view a, std::string_view b, size_t limit) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
    // The smallest of a row is never below that of the row before.
    if (*std::ranges::min_element(row) >= limit) return limit;
  }
  return std::min(row.back(), limit);
}

using LetterCounts = std::array<int, 256>;

LetterCounts CountLetters(std::string_view text) {
  LetterCounts counts = {};
  for (const char c : text)
    ++counts[static_cast<unsigned char>(c)];
  return counts;
}

// A lower bound of the distance: a letter that one text has more often than the other is replaced,
// added or missing ("bag distance").
size_t DistanceMin(LetterCounts counts, std::string_view a, std::string_view b) {
  size_t common = 0;
  for (const char c : b) {
    if (counts[static_cast<unsigned char>(c)]-- > 0) ++common;
  }
  return std::max(a.size(), b.size()) - common;
}

}  // namespace

std::string_view NearestName(std::string_view name, std::span<const std::string_view> names) {
  std::string_view nearest;
  const LetterCounts counts = CountLetters(name);
  size_t limit = name.size() / 3 + 1;
  for (const std::string_view candidate : names) {
    if (DistanceMin(counts, name, candidate) >= limit) continue;
    const size_t distance = EditDistance(name, candidate, limit);
    if (distance >= limit) continue;
    limit = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace hourcell
