#include "engine/regions/region_map.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "engine/regions/region_invariants.h"

// Why 8-byte integers and one buffer of rests: a lookup happens for each row that is written. The
// common prefix of the start keys is cut off once, so that the 8 bytes compared are those that
// differ. The map is immutable: readers need no lock, and a split publishes another one.

namespace hourcell {
namespace {

constexpr size_t kHeadBytes = 8;

// The first 8 bytes as an integer of the same order; a shorter key is padded with zeros. A greater
// key never has a smaller head.
uint64_t HeadOf(std::string_view key) {
  if (key.size() < kHeadBytes) {
    return key.empty() ? 0 : LoadBigEndian(key.data(), key.size()) << (8 * (8 - key.size()));
  }
  static_assert(std::endian::native == std::endian::little);
  uint64_t head = 0;
  std::memcpy(&head, key.data(), kHeadBytes);
  return __builtin_bswap64(head);
}

// How many of the ascending `heads` are below `head` (kOrEqual: or equal to it). The halving is
// branch-free, because its direction is unpredictable.
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

std::string_view SharedPrefix(std::string_view a, std::string_view b) {
  const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return a.substr(0, static_cast<size_t>(end - a.begin()));
}

}  // namespace

RegionMap::RegionMap(std::vector<RegionInfo> regions) : regions_(std::move(regions)) {
  if (size() > 1) common_ = SharedPrefix(regions_[1].range.start, regions_.back().range.start);
  offsets_.push_back(0);
  for (const RegionInfo& region : regions_) {
    const std::string_view start = region.range.start;
    const std::string_view rest = start.substr(std::min(start.size(), common_.size()));
    heads_.push_back(HeadOf(rest));
    rests_ += rest;
    offsets_.push_back(static_cast<uint32_t>(rests_.size()));
  }
  HOURCELL_DCHECK(rests_.size() <= UINT32_MAX);
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

std::string_view RegionMap::rest(size_t index) const {
  return std::string_view(rests_).substr(offsets_[index], offsets_[index + 1] - offsets_[index]);
}

size_t RegionMap::Find(std::string_view key) const {
  if (!key.starts_with(common_)) return key < common_ ? 0 : size() - 1;
  key.remove_prefix(common_.size());
  const uint64_t head = HeadOf(key);
  size_t begin = CountBelow<false>(heads_.data(), heads_.size(), head);
  // Starts in [begin, end) agree with the key in their heads.
  size_t end = begin;
  if (begin < heads_.size() && heads_[begin] == head) {
    end = begin + CountBelow<true>(heads_.data() + begin, heads_.size() - begin, head);
  }
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    rest(middle) <= key ? begin = middle + 1 : end = middle;
  }
  // The first region starts at the empty key, so at least one start is at or below any key.
  return begin - 1;
}

RegionMap::Indexes RegionMap::Overlapping(std::string_view start, std::string_view end) const {
  if (!end.empty() && start >= end) return {};
  const size_t first = Find(start);
  if (end.empty()) return {.begin = first, .end = size()};
  const size_t last = Find(end);
  return {.begin = first, .end = regions_[last].range.start == end ? last : last + 1};
}

}  // namespace hourcell
