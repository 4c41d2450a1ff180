// Points for tests, and columns as text, so that Prometheus' answers are the expected values:
// "- 0.15 NaN" is a step without a value, then two values.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "promql/columns.h"
#include "promql/values/number_text.h"

namespace hourcell::promql {

inline constexpr double kTestNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kTestInfinity = std::numeric_limits<double>::infinity();

inline std::string ColumnText(std::span<const double> column) {
  std::string text;
  for (const double value : column) {
    if (!text.empty()) text += ' ';
    if (IsNoValue(value)) {
      text += '-';
    } else {
      AppendPointValue(value, &text);
    }
  }
  return text;
}

// Points at each `distance_ms` from 0 on.
inline SeriesPoints EvenPoints(int64_t distance_ms, std::vector<double> values) {
  SeriesPoints points;
  points.values = std::move(values);
  for (size_t i = 0; i < points.values.size(); ++i) {
    points.times.push_back(static_cast<int64_t>(i) * distance_ms);
  }
  return points;
}

// A counter with one reset, and a gauge with values that are not finite.
inline SeriesPoints TestCounter() {
  return EvenPoints(15'000, {1, 4, 9, 2, 5.5, 7.25});
}
inline SeriesPoints TestGauge() {
  return EvenPoints(10'000, {1.5, -0.25, kTestNan, 3, kTestInfinity, 2, -kTestInfinity});
}
// A plain sum of these values loses digits.
inline SeriesPoints TestFractions() {
  return EvenPoints(10'000, {0.1, 0.2, 0.7, 1e16, 0.3, -1e16, 0.1});
}

}  // namespace hourcell::promql
