#include "engine/query/stages/rank.h"

#include <algorithm>

#include "codec/base/check.h"

namespace hourcell {
namespace {

using Rule = Rank::Rule;

// Like a cast in Java: truncates towards zero, and saturates at the ends of the range.
int64_t ToInteger(double value) {
  if (value >= 0x1p63) return INT64_MAX;
  return value < -0x1p63 ? INT64_MIN : static_cast<int64_t>(value);
}

// The position, counted from 1, of the percentile among `n` sorted values.
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
  // Values after the position of the lower one are not less.
  const auto upper = static_cast<double>(
      *std::min_element(values.begin() + static_cast<ptrdiff_t>(above), values.end()));
  return lower + (position - floor) * (upper - lower);
}

}  // namespace

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
