// RegionInfo: a region's entry in the catalogue of a table. Plain values with their rules; nothing
// here is thread-safe or needs to be.
//
// RegionRange is not engine/table/table.h's ScanRange, because engine/regions is below the engine
// and the simulator links it alone.

#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hourcell {

// The creation time of a region in milliseconds since 1970, made unique: ids of one table only ever
// grow, so a region is younger than its parents even if the clock went back.
struct RegionId {
  uint64_t value = 0;

  friend auto operator<=>(RegionId, RegionId) = default;
};

// max(now, parent + 1). A second daughter takes DaughterId(now, id of the first). Column families
// are named by id and names are never used twice, so the engine gives its greatest id as `parent`.
RegionId DaughterId(uint64_t now_ms, RegionId parent);

// The greatest id of `parents` + 1. REQUIRES: parents is not empty.
RegionId MergedId(std::span<const RegionId> parents);

// Keys in [start, end), compared as bytes. An empty start is the least key, an empty end is above
// all keys.
struct RegionRange {
  std::string start = {};
  std::string end = {};

  bool Contains(std::string_view key) const;
  // True if every key of `other` is in this range.
  bool Covers(const RegionRange& other) const;
  bool Overlaps(std::string_view other_start, std::string_view other_end) const;

  friend bool operator==(const RegionRange&, const RegionRange&) = default;
};

// The range from the lowest start to the highest end. REQUIRES: ranges is not empty.
RegionRange MergedRange(std::span<const RegionRange> ranges);

// HBase's states. An embedded engine uses these transitions:
//
//   OFFLINE --> OPENING --> OPEN --> CLOSING --> CLOSED --> OFFLINE or OPENING
//                 |  ^       |
//                 v  |       +--> SPLITTING --> SPLIT     the parent; its daughters are
//             FAILED_OPEN    |        |                   SPLITTING_NEW --> OPEN
//              | or OFFLINE  |        +--> OPEN           rolled back, daughters are forgotten
//                            |
//                            +--> MERGING ----> MERGED    a parent; the merged region is
//                                     |                   MERGING_NEW ----> OPEN
//                                     +--> OPEN           rolled back, the new one is forgotten
//
// ON DISK: do not renumber.
enum class RegionState : uint8_t {
  kOffline = 0,
  kOpening = 1,
  kOpen = 2,
  kClosing = 3,
  kClosed = 4,
  kFailedOpen = 5,
  kSplitting = 6,
  kSplit = 7,
  kSplittingNew = 8,
  kMerging = 9,
  kMerged = 10,
  kMergingNew = 11,
};

// How long the normalizer leaves a region alone that a pre-split or an operator's split made.
inline constexpr uint64_t kPinnedMs = uint64_t{30} * 24 * 3600 * 1000;

inline constexpr uint8_t kRegionStateCount = 12;

// "OPEN", "SPLITTING_NEW": as HBase writes them.
std::string_view RegionStateName(RegionState state);

// True if the diagram above has an arrow between the two.
bool CanGo(RegionState from, RegionState to);

// True if the keys of the range are this region's: neither its children's already (SPLIT, MERGED)
// nor its parents' still (SPLITTING_NEW, MERGING_NEW). These regions tile a table.
bool OwnsItsKeys(RegionState state);

struct RegionInfo {
  std::string table = {};
  RegionRange range = {};
  RegionId id = {};
  RegionState state = RegionState::kOffline;
  std::vector<RegionId> parents = {};  // one after a split, several after a merge, none at creation
  uint64_t pinned_until_ms = 0;    // the normalizer does not merge it before, as after a pre-split
  bool has_references = false;     // files hold keys of its parent that are not its own yet
  std::string column_family = {};  // empty = DefaultColumnFamily(table, id)

  friend bool operator==(const RegionInfo&, const RegionInfo&) = default;
};

// "<table>.<region id>".
std::string DefaultColumnFamily(std::string_view table, RegionId id);
std::string ColumnFamilyOf(const RegionInfo& region);

}  // namespace hourcell
