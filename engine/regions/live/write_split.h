// Where to cut a region so that each daughter gets its share of the writes that come. A write goes
// to the row of its series and hour, so writes move up in the key space as time passes: a key that
// halves the rows of the current hour may leave all writes of the next hours to one daughter.
// Therefore a key is judged by the rows that the sampled series have a day later. Pure.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/regions/live/write_sample.h"
#include "engine/regions/region_info.h"
#include "engine/regions/split/split_restriction.h"

namespace hourcell {

class RowKeyCodec;

// The least share of the writes that each daughter gets if a key divides them.
inline constexpr double kDividedShareMin = 0.1;

// The sampled writes, moved to the rows that the same series have a day later, ascending. Writes
// that leave the range are left out, and keys that are not of an hour of a series.
std::vector<SampledWrite> ADayLater(const RowKeyCodec& row_keys,
                                    const RegionRange& range,
                                    std::span<const SampledWrite> writes);

// The share of the writes with keys in the range, 0 to 1. 0 without any writes.
double ShareIn(const RegionRange& range, std::span<const SampledWrite> writes);

struct WriteSplit {
  std::string key = {};     // begins the second daughter; empty: no key divides the writes
  std::string reason = {};  // why `key` is empty
};

// The key that divides `later` best. Candidates lie between two keys of `writes`: the shortest
// prefix of the upper one that ends with a field, and that the restriction leaves above the lower
// one. REQUIRES: `later` is ADayLater of `writes`, which ascend and have no key twice.
WriteSplit FindWriteSplit(const RegionRange& range,
                          const SplitRestriction& restriction,
                          const RowKeyCodec& row_keys,
                          std::span<const SampledWrite> writes,
                          std::span<const SampledWrite> later);

}  // namespace hourcell
