// ChangeScore: how much a series moved in a range against the range before. Pure; thread-safe.
//
//           |mean now - mean before|         n
//   score = ------------------------ * -------,  at most kChangeScoreMax
//                    spread             n + 2
//
// The means and the spread leave out the highest and the lowest 5 % of the values of each range.
// spread: the mean distance from the median, of both ranges, scaled as a standard deviation, and at
// least 1 % of the larger mean. So a constant series that moves from 0 to 1 has a finite score. n
// is the smaller number of values of the two ranges: the spread of few values is uncertain.
//
// A series that rises as a counter is compared by its rate; its resets are left out. A series with
// values in one of the ranges only started or ended. It also ended if its values stop at least a
// quarter of the range before the end, and each hole before was shorter than a third of that time.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hourcell {

inline constexpr double kChangeScoreMax = 100;
// Of a series that starts or ends, and has many values.
inline constexpr double kPresenceScore = 10;

// The range [start_ms, end_ms), and the range of the same length before it. Both have whole steps.
struct ChangeTimes {
  int64_t start_ms = 0;
  int64_t end_ms = 0;
  int64_t step_ms = 0;

  int64_t before_ms() const { return start_ms - (end_ms - start_ms); }
};

// The average of one step that has values; `ms` is the start of the step.
struct StepValue {
  int64_t ms = 0;
  double value = 0;
  friend bool operator==(const StepValue&, const StepValue&) = default;
};

// The values of a range. All are 0 without values.
struct RangeValues {
  size_t values = 0;
  double mean = 0;
  double min = 0;
  double max = 0;
  // Without the highest and the lowest 5 % of the values.
  double inner_mean = 0;
  double spread = 0;
};

enum class ChangeType : uint8_t { kMoved, kStarted, kEnded };

struct ChangeScore {
  ChangeType type = ChangeType::kMoved;
  double score = 0;      // 0: no change
  bool is_rate = false;  // the fields below are rates a second
  RangeValues before;
  RangeValues now;
  std::vector<StepValue> line;  // of both ranges
};

// Values that are not finite are ignored. REQUIRES: `values` ascend by ms, and are of both ranges.
ChangeScore ScoreChange(std::vector<StepValue> values, const ChangeTimes& times);

}  // namespace hourcell
