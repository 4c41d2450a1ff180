// RegionMap: finds the region of a key. Immutable, so that any number of threads can read it
// through an atomic pointer; a split or merge makes a new one.
//
// All start keys except the first, empty one share a prefix, which is compared once and then cut
// off. A lookup is a binary search in an array of 8-byte integers, the first bytes of each rest.
// Only where they are equal does it compare the whole rests, which are in one buffer.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/regions/region_info.h"

namespace hourcell {

class RegionMap {
 public:
  // Regions in any order. kInvalidArgument with the first finding of CheckInvariants if they do not
  // tile the key space of one table.
  static absl::StatusOr<RegionMap> Make(std::vector<RegionInfo> regions);

  // Ascending by start key; never empty.
  std::span<const RegionInfo> regions() const { return regions_; }
  size_t size() const { return regions_.size(); }

  // The index of the region that has `key`: there is always one.
  size_t Find(std::string_view key) const;

  // Indexes [begin, end) of the regions with keys in [start, end); an empty `end` is above all
  // keys. Nothing for a range without keys.
  struct Indexes {
    size_t begin = 0;
    size_t end = 0;
    friend bool operator==(const Indexes&, const Indexes&) = default;
  };
  Indexes Overlapping(std::string_view start, std::string_view end) const;

 private:
  explicit RegionMap(std::vector<RegionInfo> regions);

  // The start key of a region after common_.
  std::string_view rest(size_t index) const;

  std::vector<RegionInfo> regions_;
  std::string common_;             // common prefix of the starts from the second on
  std::vector<uint64_t> heads_;    // first 8 bytes of each rest, big-endian, zeros after it
  std::vector<uint32_t> offsets_;  // of rest i in rests_: [i], its end: [i + 1]
  std::string rests_;
};

}  // namespace hourcell
