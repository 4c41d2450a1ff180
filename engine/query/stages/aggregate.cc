#include "engine/query/stages/aggregate.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "codec/base/check.h"
#include "engine/query/accumulator.h"
#include "engine/query/stages/rank.h"

namespace hourcell {

int64_t AggregateIntegers(Aggregator aggregator, std::span<const int64_t> values) {
  HOURCELL_DCHECK(!values.empty());
  if (const auto rank = RankOf(aggregator)) {
    std::vector<int64_t> sorted(values.begin(), values.end());
    return SelectRank(*rank, std::span(sorted));
  }
  return WithAccumulators(aggregator, [&](auto integers, auto /*doubles*/) -> int64_t {
    for (const int64_t value : values)
      integers.Add(value);
    return integers.Result();
  });
}

double AggregateDoubles(Aggregator aggregator, std::span<const double> values) {
  HOURCELL_DCHECK(!values.empty());
  if (const auto rank = RankOf(aggregator)) {
    std::vector<double> sorted;
    sorted.reserve(values.size());
    std::ranges::remove_copy_if(values, std::back_inserter(sorted),
                                [](double value) { return std::isnan(value); });
    return sorted.empty() ? kNoValue : SelectRank(*rank, std::span(sorted));
  }
  return WithAccumulators(aggregator, [&](auto /*integers*/, auto doubles) -> double {
    for (const double value : values)
      doubles.Add(value);
    return doubles.Result();
  });
}

}  // namespace hourcell
