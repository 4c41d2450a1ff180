#include "engine/query/stages/rank.h"

#include <algorithm>

#include "codec/base/check.h"

namespace hourcell {
namespace {

using Rule = Rank::Rule;

// As a cast of Java: cut towards zero, at the ends of the range held there.
int64_t ToInteger(double value) {
  if (value >= 0x1p63) return INT64_MAX;
  return value < -0x1p63 ? INT64_MIN : static_cast<int64_t>(value);
}

// Where among `n` sorted values, counted from 1, the percentile is.
double PositionOf(const Rank& rank, size_t n) {
  const double quantile = rank.percent / 100;
  const auto count = static_cast<double>(n);
  switch (rank.rule) {
    case Rule::kR3:
      // The default rounding of nearbyint is rint's: half to even.
      return quantile <= 0.5 / count ? 0 : std::nearbyint(count * quantile);
    case Rule::kR7:
      return 1 + (count - 1) * quantile;
    case Rule::kLegacy:
    case Rule::kUpperMiddle:
      break;
  }
  return quantile * (count + 1);
}

template <typename T>
T ValueAt(std::span<T> values, size_t index) {
  const auto place = values.begin() + static_cast<ptrdiff_t>(index);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

template <typename T>
double Percentile(double position, std::span<T> values) {
  const size_t n = values.size();
  if (position < 1) return static_cast<double>(ValueAt(values, 0));
  if (position >= static_cast<double>(n)) return static_cast<double>(ValueAt(values, n - 1));
  const double floor = std::floor(position);
  const auto above = static_cast<size_t>(floor);
  const auto lower = static_cast<double>(ValueAt(values, above - 1));
  // What follows the place of the lower is not less than it.
  const auto upper = static_cast<double>(
      *std::min_element(values.begin() + static_cast<ptrdiff_t>(above), values.end()));
  return lower + (position - floor) * (upper - lower);
}

}  // namespace

std::optional<Rank> RankOf(Aggregator aggregator) {
  switch (aggregator) {
    case Aggregator::kMedian:
      return Rank{Rule::kUpperMiddle, 50};
    case Aggregator::kP50:
      return Rank{Rule::kLegacy, 50};
    case Aggregator::kP75:
      return Rank{Rule::kLegacy, 75};
    case Aggregator::kP90:
      return Rank{Rule::kLegacy, 90};
    case Aggregator::kP95:
      return Rank{Rule::kLegacy, 95};
    case Aggregator::kP99:
      return Rank{Rule::kLegacy, 99};
    case Aggregator::kP999:
      return Rank{Rule::kLegacy, 99.9};
    case Aggregator::kEp50r3:
      return Rank{Rule::kR3, 50};
    case Aggregator::kEp75r3:
      return Rank{Rule::kR3, 75};
    case Aggregator::kEp90r3:
      return Rank{Rule::kR3, 90};
    case Aggregator::kEp95r3:
      return Rank{Rule::kR3, 95};
    case Aggregator::kEp99r3:
      return Rank{Rule::kR3, 99};
    case Aggregator::kEp999r3:
      return Rank{Rule::kR3, 99.9};
    case Aggregator::kEp50r7:
      return Rank{Rule::kR7, 50};
    case Aggregator::kEp75r7:
      return Rank{Rule::kR7, 75};
    case Aggregator::kEp90r7:
      return Rank{Rule::kR7, 90};
    case Aggregator::kEp95r7:
      return Rank{Rule::kR7, 95};
    case Aggregator::kEp99r7:
      return Rank{Rule::kR7, 99};
    case Aggregator::kEp999r7:
      return Rank{Rule::kR7, 99.9};
    default:
      return std::nullopt;
  }
}

int64_t SelectRank(const Rank& rank, std::span<int64_t> values) {
  HOURCELL_DCHECK(!values.empty());
  if (rank.rule == Rule::kUpperMiddle) return ValueAt(values, values.size() / 2);
  return ToInteger(Percentile(PositionOf(rank, values.size()), values));
}

double SelectRank(const Rank& rank, std::span<double> values) {
  HOURCELL_DCHECK(!values.empty());
  if (rank.rule == Rule::kUpperMiddle) return ValueAt(values, values.size() / 2);
  const Rank legacy{Rule::kLegacy, rank.percent};
  return Percentile(PositionOf(legacy, values.size()), values);
}

}  // namespace hourcell
