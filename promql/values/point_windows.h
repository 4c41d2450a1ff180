// PointRange: the points of one window of a range function, found with two indices that only move
// forward.
//
// All functions are pure. The events and the extreme of a moving window cost O(points + windows)
// for all windows together.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codec/base/check.h"
#include "promql/columns.h"
#include "promql/values/range_functions.h"

namespace hourcell::promql {

// Points [begin, end) of a series.
struct PointRange {
  size_t begin = 0;
  size_t end = 0;
  size_t size() const { return end - begin; }
  bool empty() const { return begin == end; }
  friend bool operator==(const PointRange&, const PointRange&) = default;
};

// Sets out[i] to calculate(i, range) for each step i whose window has points, else to kNoValue.
template <typename Calculate>
void FillWindows(PointsView points,
                 const Windows& windows,
                 std::span<double> out,
                 Calculate calculate) {
  PointRange range;
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t end_ms = windows.end_of(i);
    const int64_t begin_ms = end_ms - windows.range_ms;
    while (range.end < points.size() && points.times[range.end] <= end_ms)
      ++range.end;
    while (range.begin < range.end && points.times[range.begin] < begin_ms)
      ++range.begin;
    out[i] = range.empty() ? kNoValue : calculate(i, range);
  }
}

// The same for a function of the points alone: calculate(range) is called once for equal ranges in
// a row, of which there are many if the step is shorter than the distance of points.
template <typename Calculate>
void FillDistinctWindows(PointsView points,
                         const Windows& windows,
                         std::span<double> out,
                         Calculate calculate) {
  std::optional<PointRange> last;
  double value = kNoValue;
  FillWindows(points, windows, out, [&](size_t, PointRange range) {
    if (last != range) {
      value = calculate(range);
      last = range;
    }
    return value;
  });
}

// The positions in a moving window at which is_event(previous value, value) holds, such as the
// resets of a counter. `values` is borrowed.
template <typename IsEvent>
class MovingEvents final {
 public:
  MovingEvents(std::span<const double> values, IsEvent is_event)
      : values_(values), is_event_(is_event) {}

  // Ascending; the point before each position is in the range too. Valid until the next call.
  // REQUIRES: neither end of `range` is before that of the last call.
  std::span<const size_t> MoveTo(PointRange range) {
    HOURCELL_DCHECK(last_.begin <= range.begin && last_.end <= range.end);
    last_ = range;
    for (next_ = std::max(next_, range.begin + 1); next_ < range.end; ++next_) {
      if (is_event_(values_[next_ - 1], values_[next_])) positions_.push_back(next_);
    }
    while (first_ < positions_.size() && positions_[first_] <= range.begin)
      ++first_;
    return std::span<const size_t>(positions_).subspan(first_);
  }

 private:
  const std::span<const double> values_;
  const IsEvent is_event_;
  std::vector<size_t> positions_;
  PointRange last_;
  size_t first_ = 0;  // in positions_
  size_t next_ = 1;   // the first position that was not examined
};

// The value of a moving window that no other is better than; of equal ones, the first. NaN only if
// all values are NaN. `values` is borrowed.
template <typename IsBetter>
class MovingExtreme final {
 public:
  MovingExtreme(std::span<const double> values, IsBetter is_better)
      : values_(values), is_better_(is_better) {}

  // REQUIRES: `range` is not empty; neither end is before that of the last call.
  double MoveTo(PointRange range) {
    HOURCELL_DCHECK(!range.empty() && last_.begin <= range.begin && last_.end <= range.end);
    last_ = range;
    for (next_ = std::max(next_, range.begin); next_ < range.end; ++next_)
      Add(next_);
    while (first_ < candidates_.size() && candidates_[first_] < range.begin)
      ++first_;
    return values_[first_ < candidates_.size() ? candidates_[first_] : range.end - 1];
  }

 private:
  // A candidate is better than all values after it. So the first candidate is the best value.
  void Add(size_t i) {
    if (values_[i] != values_[i]) return;
    while (candidates_.size() > first_ && is_better_(values_[i], values_[candidates_.back()])) {
      candidates_.pop_back();
    }
    candidates_.push_back(i);
  }

  const std::span<const double> values_;
  const IsBetter is_better_;
  std::vector<size_t> candidates_;
  PointRange last_;
  size_t first_ = 0;  // in candidates_
  size_t next_ = 0;   // the first position that was not added
};

}  // namespace hourcell::promql
