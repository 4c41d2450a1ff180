#include "engine/query/aggregate.h"

#include "codec/base/check.h"
#include "engine/query/accumulator.h"

namespace hourcell {

Interpolation InterpolationOf(Aggregator aggregator) {
  switch (aggregator) {
    case Aggregator::kCount:
    case Aggregator::kZimsum:
      return Interpolation::kZeroIfMissing;
    case Aggregator::kMimmin:
      return Interpolation::kMaxIfMissing;
    case Aggregator::kMimmax:
      return Interpolation::kMinIfMissing;
    case Aggregator::kSum:
    case Aggregator::kMin:
    case Aggregator::kMax:
    case Aggregator::kAvg:
    case Aggregator::kDev:
    case Aggregator::kNone:
      break;
  }
  return Interpolation::kLerp;
}

int64_t AggregateIntegers(Aggregator aggregator, std::span<const int64_t> values) {
  HOURCELL_DCHECK(!values.empty());
  return WithAccumulators(aggregator, [&](auto integers, auto /*doubles*/) -> int64_t {
    for (const int64_t value : values)
      integers.Add(value);
    return integers.Result();
  });
}

double AggregateDoubles(Aggregator aggregator, std::span<const double> values) {
  HOURCELL_DCHECK(!values.empty());
  return WithAccumulators(aggregator, [&](auto /*integers*/, auto doubles) -> double {
    for (const double value : values)
      doubles.Add(value);
    return doubles.Result();
  });
}

}  // namespace hourcell
