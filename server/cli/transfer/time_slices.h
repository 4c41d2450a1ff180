// TimeSlices: which part of a metric's time is asked next. Seconds, half-open: [start, end).
//
//   1970 ... 2010 | 1 day | 2 days | 4 days | ... 32 days | 32 days | end
//
// Nothing is expected before 2010, when OpenTSDB was published, so that is one slice. After it,
// slices begin with a day. One whose answer was small is followed by one twice as long, up to 32
// days; one whose answer was too large is halved, down to a second. What is finished already is
// left out. Thread-compatible.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace hourcell {

struct TimeSlice {
  int64_t start_s = 0;
  int64_t end_s = 0;
  friend auto operator<=>(const TimeSlice&, const TimeSlice&) = default;
};

inline constexpr int64_t kSliceDayS = 86'400;
inline constexpr int64_t kSliceMaxS = 32 * kSliceDayS;
inline constexpr int64_t kSliceOldEndS = 1'262'304'000;  // 2010/01/01
// An answer of fewer points is small.
inline constexpr uint64_t kSlicePointsSmall = 100'000;

class TimeSlices {
 public:
  // `finished`: slices in any order, which may overlap and reach out of `range`.
  TimeSlices(TimeSlice range, std::vector<TimeSlice> finished);

  // The next slice, until it is done or halved; nothing at the end.
  std::optional<TimeSlice> Next() const;

  // The slice of Next is done, and had so many points. REQUIRES: Next has one.
  void Done(uint64_t points);

  // The slice of Next is too large. False: it is a second long, and cannot be halved.
  // REQUIRES: Next has one.
  bool Halve();

 private:
  void SkipFinished();

  const int64_t end_s_;
  std::vector<TimeSlice> finished_;  // ascending
  int64_t at_s_;
  int64_t size_s_ = kSliceDayS;
};

}  // namespace hourcell
