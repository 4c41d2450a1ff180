// Orders of elements by value: topk, bottomk, sort and sort_desc. NaN is always last.
//
// Errors: kInvalidArgument for a count that is not an integer of 64 bits; the check's.

#pragma once

#include <cstdint>
#include <span>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "promql/evaluation/held_vector.h"
#include "promql/evaluation/series_groups.h"

namespace hourcell::promql {

enum class RankOrder : uint8_t { kAscending, kDescending };

// sort, sort_desc. Only a vector of one step has an order; others stay as they are.
void SortByValue(RankOrder order, HeldVector* vector);

// topk (descending), bottomk (ascending): keeps at each step the first `counts[step]` elements of
// each group. Of one step, orders the elements by group and value.
absl::Status KeepRanked(RankOrder order,
                        std::span<const double> counts,
                        const GroupingRule& grouping,
                        HeldVector* vector);

}  // namespace hourcell::promql
