#include "tests/model/queries/naive_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "codec/base/check.h"

namespace hourcell {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The percent in the name of p75, ep75r3 or ep75r7; 0 of other aggregators.
double PercentOf(Aggregator aggregator) {
  std::string_view name = AggregatorName(aggregator);
  if (name.starts_with("ep")) name.remove_prefix(1);
  if (!name.starts_with("p") || name == "pfsum") return 0;
  name.remove_prefix(1);
  if (name.starts_with("999")) return 99.9;
  return 10.0 * (name[0] - '0') + (name[1] - '0');
}

// The value at `position` among sorted `values`, counted from 1.
double AtPosition(double position, const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  if (position < 1) return values.front();
  if (position >= n) return values.back();
  const double floor = std::floor(position);
  const auto above = static_cast<size_t>(floor);
  const double lower = values[above - 1];
  return lower + (position - floor) * (values[above] - lower);
}

double PercentileOf(Aggregator aggregator, std::vector<double> values, bool are_integers) {
  std::ranges::sort(values);
  const std::string_view name = AggregatorName(aggregator);
  const double q = PercentOf(aggregator) / 100;
  const auto n = static_cast<double>(values.size());
  double position = q * (n + 1);
  if (are_integers && name.ends_with("r3")) position = q <= 0.5 / n ? 0 : std::rint(n * q);
  if (are_integers && name.ends_with("r7")) position = 1 + (n - 1) * q;
  return AtPosition(position, values);
}

// A cast of Java's: towards zero, and no further than the range goes.
int64_t Cut(double value) {
  if (value >= 0x1p63) return INT64_MAX;
  if (value < -0x1p63) return INT64_MIN;
  return static_cast<int64_t>(value);
}

// Welford's method, as OpenTSDB has it.
double DeviationOf(const std::vector<double>& values) {
  if (values.size() == 1) return 0;
  double mean = values[0];
  double squares = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    const double next = mean + (values[i] - mean) / static_cast<double>(i + 1);
    squares += (values[i] - mean) * (values[i] - next);
    mean = next;
  }
  return std::sqrt(squares / static_cast<double>(values.size()));
}

std::vector<double> ToDoubles(const std::vector<int64_t>& values) {
  std::vector<double> doubles;
  for (const int64_t value : values)
    doubles.push_back(static_cast<double>(value));
  return doubles;
}

double DifferenceOf(const std::vector<double>& values) {
  size_t first = 0;
  while (first < values.size() && std::isnan(values[first]))
    ++first;
  if (first == values.size()) return kNan;
  return first + 1 == values.size() ? 0.0 : values.back() - values[first];
}

}  // namespace

bool IsPercentile(Aggregator aggregator) {
  return PercentOf(aggregator) > 0;
}

int64_t NaiveAggregate(Aggregator aggregator, const std::vector<int64_t>& values) {
  HOURCELL_CHECK(!values.empty() && aggregator != Aggregator::kNone);
  uint64_t sum = 0;
  uint64_t squares = 0;
  uint64_t product = 1;
  for (const int64_t value : values) {
    const auto bits = static_cast<uint64_t>(value);
    sum += bits;
    squares += bits * bits;
    product *= bits;
  }
  switch (aggregator) {
    case Aggregator::kSum:
    case Aggregator::kZimsum:
    case Aggregator::kPfsum:
      return static_cast<int64_t>(sum);
    case Aggregator::kAvg:
      return static_cast<int64_t>(sum) / static_cast<int64_t>(values.size());
    case Aggregator::kMin:
    case Aggregator::kMimmin:
      return *std::ranges::min_element(values);
    case Aggregator::kMax:
    case Aggregator::kMimmax:
      return *std::ranges::max_element(values);
    case Aggregator::kCount:
      return static_cast<int64_t>(values.size());
    case Aggregator::kMult:
      return static_cast<int64_t>(product);
    case Aggregator::kSquareSum:
      return static_cast<int64_t>(squares);
    case Aggregator::kFirst:
      return values.front();
    case Aggregator::kLast:
      return values.back();
    case Aggregator::kDiff:
      return static_cast<int64_t>(static_cast<uint64_t>(values.back()) -
                                  static_cast<uint64_t>(values.front()));
    case Aggregator::kDev:
      return Cut(DeviationOf(ToDoubles(values)));
    case Aggregator::kMedian: {
      std::vector<int64_t> sorted = values;
      std::ranges::sort(sorted);
      return sorted[sorted.size() / 2];
    }
    default:
      return Cut(PercentileOf(aggregator, ToDoubles(values), /*are_integers=*/true));
  }
}

double NaiveAggregate(Aggregator aggregator, const std::vector<double>& values) {
  HOURCELL_CHECK(!values.empty() && aggregator != Aggregator::kNone);
  if (aggregator == Aggregator::kFirst) return values.front();
  if (aggregator == Aggregator::kLast) return values.back();
  if (aggregator == Aggregator::kDiff) return DifferenceOf(values);

  std::vector<double> numbers;
  for (const double value : values) {
    if (!std::isnan(value)) numbers.push_back(value);
  }
  if (numbers.empty()) return aggregator == Aggregator::kCount ? 0 : kNan;
  double sum = 0;
  double squares = 0;
  double product = 1;
  for (const double value : numbers) {
    sum += value;
    squares += value * value;
    product *= value;
  }
  switch (aggregator) {
    case Aggregator::kSum:
    case Aggregator::kZimsum:
    case Aggregator::kPfsum:
      return sum;
    case Aggregator::kAvg:
      return sum / static_cast<double>(numbers.size());
    case Aggregator::kMin:
    case Aggregator::kMimmin:
      return *std::ranges::min_element(numbers);
    case Aggregator::kMax:
    case Aggregator::kMimmax:
      return *std::ranges::max_element(numbers);
    case Aggregator::kCount:
      return static_cast<double>(numbers.size());
    case Aggregator::kMult:
      return product;
    case Aggregator::kSquareSum:
      return squares;
    case Aggregator::kDev:
      return DeviationOf(numbers);
    case Aggregator::kMedian:
      std::ranges::sort(numbers);
      return numbers[numbers.size() / 2];
    default:
      return PercentileOf(aggregator, numbers, /*are_integers=*/false);
  }
}

}  // namespace hourcell
