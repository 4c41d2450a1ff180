#include "engine/regions/region_info.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"

// Why RegionRange is a separate type: engine/regions is below the engine and the simulator links it
// alone, so it cannot use the tables' ScanRange. The engine and the simulator apply the same rules,
// which are defined here once.

namespace hourcell {
namespace {

using enum RegionState;

constexpr auto kArrows = std::to_array<std::pair<RegionState, RegionState>>({
    {kOffline, kOpening},
    {kOpening, kOpen},
    {kOpening, kFailedOpen},
    {kFailedOpen, kOpening},
    {kFailedOpen, kOffline},
    {kOpen, kClosing},
    {kClosing, kClosed},
    {kClosed, kOffline},
    {kClosed, kOpening},
    {kOpen, kSplitting},
    {kSplitting, kSplit},
    {kSplitting, kOpen},
    {kSplittingNew, kOpen},
    {kOpen, kMerging},
    {kMerging, kMerged},
    {kMerging, kOpen},
    {kMergingNew, kOpen},
});

// True if the end `a` is above or at the end `b`; an empty end is above all.
bool EndsAtOrAfter(std::string_view a, std::string_view b) {
  return a.empty() || (!b.empty() && a >= b);
}

}  // namespace

RegionId DaughterId(uint64_t now_ms, RegionId parent) {
  return {.value = std::max(now_ms, parent.value + 1)};
}

RegionId MergedId(std::span<const RegionId> parents) {
  HOURCELL_CHECK(!parents.empty());
  return {.value = std::max_element(parents.begin(), parents.end())->value + 1};
}

bool RegionRange::Contains(std::string_view key) const {
  return key >= start && (end.empty() || key < end);
}

bool RegionRange::Covers(const RegionRange& other) const {
  return other.start >= start && EndsAtOrAfter(end, other.end);
}

bool RegionRange::Overlaps(std::string_view other_start, std::string_view other_end) const {
  const bool other_is_empty = !other_end.empty() && other_start >= other_end;
  return !other_is_empty && (other_end.empty() || start < other_end) &&
         (end.empty() || other_start < end);
}

RegionRange MergedRange(std::span<const RegionRange> ranges) {
  HOURCELL_CHECK(!ranges.empty());
  RegionRange merged = ranges.front();
  for (const RegionRange& range : ranges) {
    merged.start = std::min(merged.start, range.start);
    if (EndsAtOrAfter(range.end, merged.end)) merged.end = range.end;
  }
  return merged;
}

std::string_view RegionStateName(RegionState state) {
  constexpr std::array<std::string_view, kRegionStateCount> kNames = {
      "OFFLINE",   "OPENING", "OPEN",          "CLOSING", "CLOSED", "FAILED_OPEN",
      "SPLITTING", "SPLIT",   "SPLITTING_NEW", "MERGING", "MERGED", "MERGING_NEW"};
  const auto index = static_cast<size_t>(state);
  HOURCELL_CHECK(index < kNames.size());
  return kNames[index];
}

bool CanGo(RegionState from, RegionState to) {
  return std::find(kArrows.begin(), kArrows.end(), std::pair(from, to)) != kArrows.end();
}

bool OwnsItsKeys(RegionState state) {
  return state != kSplit && state != kMerged && state != kSplittingNew && state != kMergingNew;
}

std::string DefaultColumnFamily(std::string_view table, RegionId id) {
  return fmt::format("{}.{}", table, id.value);
}

std::string ColumnFamilyOf(const RegionInfo& region) {
  return region.column_family.empty() ? DefaultColumnFamily(region.table, region.id)
                                      : region.column_family;
}

}  // namespace hourcell
