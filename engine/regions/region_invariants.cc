#include "engine/regions/region_invariants.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "engine/regions/region_name.h"

// Why one function has all invariants: tests call it after each operation, fsck calls it for a
// store, and a RegionMap is made only of regions that pass. Opening a store calls it before it
// drops a family without a row. Before it did, a read that failed half way through the catalogue
// dropped the families of the regions that were not read
// (RegionFaultTest.AFailedReadWhileOpeningDropsNoRegion).

namespace hourcell {
namespace {

using Findings = std::vector<RegionFinding>;

// "data.17 [a, b)"
std::string Called(const RegionInfo& region) {
  return fmt::format("{} {}", DefaultColumnFamily(region.table, region.id),
                     RangeText(region.range));
}

// Faults of one region alone.
void CheckRegion(const RegionInfo& region, size_t index, Findings* findings) {
  const RegionRange& range = region.range;
  if (!range.end.empty() && range.start >= range.end) {
    findings->push_back(
        {RegionFault::kEmptyRange, index,
         fmt::format("region {}: has no keys; expected start < end", Called(region))});
  }
  if (!OwnsItsKeys(region.state)) {
    findings->push_back({RegionFault::kBadState, index,
                         fmt::format("region {}: is {}, its keys are another region's",
                                     Called(region), RegionStateName(region.state))});
  }
  for (const RegionId parent : region.parents) {
    if (parent < region.id) continue;
    findings->push_back({RegionFault::kIdNotMonotone, index,
                         fmt::format("region {}: its parent has the id {}; expected a smaller one",
                                     Called(region), parent.value)});
  }
}

// Faults between neighbours: `before` is at `index` - 1.
void CheckBoundary(const RegionInfo& before,
                   const RegionInfo& after,
                   size_t index,
                   Findings* findings) {
  if (before.table != after.table) {
    findings->push_back(
        {RegionFault::kOtherTable, index,
         fmt::format("region {}: is not of table {}", Called(after), before.table)});
  }
  const std::string& end = before.range.end;
  const std::string& start = after.range.start;
  if (end == start && !end.empty()) return;
  const bool is_hole = !end.empty() && end < start;
  findings->push_back({is_hole ? RegionFault::kHole : RegionFault::kOverlap, index,
                       fmt::format("{} between region {} and region {}",
                                   is_hole ? "hole" : "overlap", Called(before), Called(after))});
}

// Ids and column families that an earlier region has too.
void CheckDuplicates(std::span<const RegionInfo> regions, Findings* findings) {
  std::map<RegionId, size_t> ids;
  std::map<std::string, size_t> families;
  for (size_t i = 0; i < regions.size(); ++i) {
    const auto [id, is_new_id] = ids.emplace(regions[i].id, i);
    if (!is_new_id) {
      findings->push_back({RegionFault::kDuplicateId, i,
                           fmt::format("region {}: region {} has the same id", Called(regions[i]),
                                       Called(regions[id->second]))});
    }
    const auto [family, is_new_family] = families.emplace(ColumnFamilyOf(regions[i]), i);
    if (!is_new_family) {
      findings->push_back(
          {RegionFault::kDuplicateColumnFamily, i,
           fmt::format("region {}: region {} has column family {} too", Called(regions[i]),
                       Called(regions[family->second]), family->first)});
    }
  }
}

}  // namespace

std::vector<RegionFinding> CheckInvariants(std::span<const RegionInfo> regions) {
  Findings findings;
  if (regions.empty()) {
    findings.push_back({RegionFault::kNoRegion, 0, "table without regions; expected at least one"});
    return findings;
  }
  if (!regions.front().range.start.empty()) {
    findings.push_back(
        {RegionFault::kFirstStartNotEmpty, 0,
         fmt::format("first region {}: expected an empty start", Called(regions.front()))});
  }
  for (size_t i = 0; i < regions.size(); ++i) {
    CheckRegion(regions[i], i, &findings);
    if (i > 0) CheckBoundary(regions[i - 1], regions[i], i, &findings);
  }
  if (!regions.back().range.end.empty()) {
    findings.push_back(
        {RegionFault::kLastEndNotEmpty, regions.size() - 1,
         fmt::format("last region {}: expected an empty end", Called(regions.back()))});
  }
  CheckDuplicates(regions, &findings);
  return findings;
}

}  // namespace hourcell
