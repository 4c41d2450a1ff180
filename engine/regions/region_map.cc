#include "engine/regions/region_map.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "codec/base/bytes.h"
#include "engine/regions/region_invariants.h"

namespace hourcell {
namespace {

constexpr size_t kHeadBytes = 8;

// The first 8 bytes as an integer of the same order, zeros in place of what a short key lacks. Two
// keys of which one is greater have heads of which it is not smaller.
uint64_t HeadOf(std::string_view key) {
  if (key.size() < kHeadBytes) {
    return key.empty() ? 0 : LoadBigEndian(key.data(), key.size()) << (8 * (8 - key.size()));
  }
  static_assert(std::endian::native == std::endian::little);
  uint64_t head = 0;
  std::memcpy(&head, key.data(), kHeadBytes);
  return __builtin_bswap64(head);
}

// How many of the ascending `heads` are below `head` (kOrEqual: or equal to it). The halving has no
// branch to predict wrongly: which way it goes is anybody's guess.
template <bool kOrEqual>
size_t CountBelow(const uint64_t* heads, size_t size, uint64_t head) {
  const uint64_t* base = heads;
  while (size > 0) {
    const size_t half = size - size / 2;
    const bool goes_up = kOrEqual ? base[half - 1] <= head : base[half - 1] < head;
    base += goes_up ? half : 0;
    size -= half;
  }
  return static_cast<size_t>(base - heads);
}

}  // namespace

RegionMap::RegionMap(std::vector<RegionInfo> regions) : regions_(std::move(regions)) {
  offsets_.push_back(0);
  for (const RegionInfo& region : regions_) {
    heads_.push_back(HeadOf(region.range.start));
    starts_ += region.range.start;
    offsets_.push_back(static_cast<uint32_t>(starts_.size()));
  }
}

absl::StatusOr<RegionMap> RegionMap::Make(std::vector<RegionInfo> regions) {
  std::sort(regions.begin(), regions.end(), [](const RegionInfo& a, const RegionInfo& b) {
    return std::pair(std::string_view(a.range.start), a.id) <
           std::pair(std::string_view(b.range.start), b.id);
  });
  const std::vector<RegionFinding> findings = CheckInvariants(regions);
  if (!findings.empty()) return absl::InvalidArgumentError(findings.front().text);
  return RegionMap(std::move(regions));
}

std::string_view RegionMap::start(size_t index) const {
  return std::string_view(starts_).substr(offsets_[index], offsets_[index + 1] - offsets_[index]);
}

size_t RegionMap::Find(std::string_view key) const {
  const uint64_t head = HeadOf(key);
  size_t begin = CountBelow<false>(heads_.data(), heads_.size(), head);
  // Starts in [begin, end) agree with the key in their heads.
  size_t end = begin;
  if (begin < heads_.size() && heads_[begin] == head) {
    end = begin + CountBelow<true>(heads_.data() + begin, heads_.size() - begin, head);
  }
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    start(middle) <= key ? begin = middle + 1 : end = middle;
  }
  // The first region starts at the empty key, so at least one start is at or below any key.
  return begin - 1;
}

RegionMap::Indexes RegionMap::Overlapping(std::string_view start_key,
                                          std::string_view end_key) const {
  if (!end_key.empty() && start_key >= end_key) return {};
  const size_t begin = Find(start_key);
  if (end_key.empty()) return {.begin = begin, .end = size()};
  const size_t last = Find(end_key);
  return {.begin = begin, .end = start(last) == end_key ? last : last + 1};
}

}  // namespace hourcell
