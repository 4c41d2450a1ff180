// AnswerDifference: the difference between a store's answer to a query and that of a naive one, bit
// for bit. Where the result is unspecified, these are equal:
//   NaN and NaN, whatever their bits
//   0.0 and -0.0 of a percentile or a median, which sorting treats as equal, and without an
//   aggregator, as a single member may be given out as it is or as the sum of one
//   percentiles of integers beyond 2^53 that are the same double: OpenTSDB makes them of doubles,
//   but gives out a single member as it is
// Pure.

#pragma once

#include <string>

#include <absl/status/statusor.h>

#include "engine/query.h"
#include "tests/model/queries/naive_query.h"

namespace hourcell {

// Empty if nothing is wrong. The order of a series' tags does not matter.
std::string AnswerDifference(const QuerySpec& spec,
                             const NaiveAnswer& want,
                             absl::StatusOr<QueryResult> got);

}  // namespace hourcell
