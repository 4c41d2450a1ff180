// Grouping: which spans of a sub query are aggregated together, and what tags the output has. Pure.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "codec/tsuid.h"

namespace hourcell {

// A group: indices into the series given, in series-key order.
struct SeriesGroup {
  std::vector<size_t> members;
};

// Groups by the values of `group_by_tagks` (UIDs; order and repeats do not matter): one group for
// each combination, ascending by the concatenated tag value UIDs in tagk-UID order. Without keys:
// one group of all. `each_alone` (aggregator none): one group a series. Series without one of the
// keys are left out. REQUIRES: `series` ascends by tags.
std::vector<SeriesGroup> GroupSeries(std::span<const SeriesUids> series,
                                     std::span<const Uid> group_by_tagks,
                                     bool each_alone);

// The tags of a group's output: a key is common, with its value, unless a later member has another
// value of it; then it is aggregated. A key some members lack stays common (OpenTSDB's way).
struct GroupTags {
  std::vector<TagUids> common;  // ascending by tagk
  std::vector<Uid> aggregated;  // ascending
};
GroupTags TagsOfGroup(std::span<const SeriesUids> series, const SeriesGroup& group);

}  // namespace hourcell
