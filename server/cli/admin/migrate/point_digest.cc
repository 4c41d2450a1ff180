#include "server/cli/admin/migrate/point_digest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <utility>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace hourcell {
namespace {

// Prefixes the length, so that different lists of names give different texts.
void AppendName(std::string_view name, std::string* out) {
  const uint64_t size = name.size();
  out->append(reinterpret_cast<const char*>(&size), sizeof size);
  out->append(name);
}

}  // namespace

void PointDigest::Add(const ScannedRow& row) {
  // The tags are in the order of their UIDs, which differ between stores.
  std::vector<TagView> tags(row.tags.begin(), row.tags.end());
  std::ranges::sort(tags, {}, [](const TagView& tag) { return std::pair(tag.key, tag.value); });
  series_.clear();
  AppendName(row.metric, &series_);
  for (const TagView& tag : tags) {
    AppendName(tag.key, &series_);
    AppendName(tag.value, &series_);
  }
  const uint64_t of_series = XXH3_64bits(series_.data(), series_.size());
  for (size_t i = 0; i < row.times.size(); ++i) {
    const Value& value = row.point_values[i];
    const uint64_t bits = value.is_integer() ? std::bit_cast<uint64_t>(value.integer())
                                             : std::bit_cast<uint64_t>(value.floating());
    const uint64_t kind = (row.times[i].is_ms ? 2U : 0U) + (value.is_integer() ? 1U : 0U);
    const std::array<uint64_t, 4> words = {of_series, std::bit_cast<uint64_t>(row.times[i].ms),
                                           kind, bits};
    sum_ += XXH3_64bits(words.data(), sizeof words);
  }
  points_ += row.times.size();
}

}  // namespace hourcell
