// TimeSlices: divides a metric's time into slices. Seconds, half-open: [start, end).
//
//   1970 ... 2010 | 1 day | 2 days | 4 days | ... 32 days | 32 days | end
//
// The time before 2010, when OpenTSDB was published, should be empty, so it is one slice. After it,
// slices begin with a day. A slice with a small answer is followed by one twice as long, up to 32
// days; a slice with too large an answer is halved, down to a second. Finished slices are skipped.
// Thread-compatible.

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
// Answers with fewer points are small.
inline constexpr uint64_t kSlicePointsSmall = 100'000;

class TimeSlices {
 public:
  // `finished`: slices in any order; they may overlap and extend beyond `range`.
  TimeSlices(TimeSlice range, std::vector<TimeSlice> finished);

  // The next slice, the same until Done or Halve; nullopt at the end.
  std::optional<TimeSlice> Next() const;

  // The slice of Next is done, and had `points` points. REQUIRES: Next returns a slice.
  void Done(uint64_t points);

  // The slice of Next is too large. False: it is one second long and cannot be halved. REQUIRES:
  // Next returns a slice.
  bool Halve();

 private:
  void SkipFinished();

  const int64_t end_s_;
  std::vector<TimeSlice> finished_;  // ascending
  int64_t at_s_;
  int64_t size_s_ = kSliceDayS;
};

}  // namespace hourcell
