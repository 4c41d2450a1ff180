#include "server/cli/data/time_slices.h"

#include <algorithm>
#include <utility>

#include "codec/base/check.h"

namespace hourcell {

TimeSlices::TimeSlices(TimeSlice range, std::vector<TimeSlice> finished)
    : end_s_(range.end_s), finished_(std::move(finished)), at_s_(range.start_s) {
  std::ranges::sort(finished_);
  if (at_s_ < kSliceOldEndS) size_s_ = kSliceOldEndS - at_s_;
  SkipFinished();
}

std::optional<TimeSlice> TimeSlices::Next() const {
  if (at_s_ >= end_s_) return std::nullopt;
  TimeSlice slice{.start_s = at_s_, .end_s = std::min(end_s_, at_s_ + size_s_)};
  if (at_s_ < kSliceOldEndS) slice.end_s = std::min(slice.end_s, kSliceOldEndS);
  // After SkipFinished, at_s_ is not within a finished slice.
  for (const TimeSlice& done : finished_) {
    if (done.start_s > at_s_) slice.end_s = std::min(slice.end_s, done.start_s);
  }
  return slice;
}

void TimeSlices::Done(uint64_t points) {
  const std::optional<TimeSlice> slice = Next();
  HOURCELL_CHECK(slice.has_value());
  const bool was_old = at_s_ < kSliceOldEndS;
  at_s_ = slice->end_s;
  if (points < kSlicePointsSmall) size_s_ *= 2;
  const int64_t most_s = at_s_ < kSliceOldEndS ? kSliceOldEndS : kSliceMaxS;
  size_s_ = std::min(size_s_, was_old && at_s_ >= kSliceOldEndS ? kSliceDayS : most_s);
  SkipFinished();
}

bool TimeSlices::Halve() {
  const std::optional<TimeSlice> slice = Next();
  HOURCELL_CHECK(slice.has_value());
  size_s_ = (slice->end_s - slice->start_s) / 2;
  if (size_s_ > 0) return true;
  size_s_ = 1;
  return false;
}

void TimeSlices::SkipFinished() {
  for (const TimeSlice& done : finished_) {
    if (done.start_s <= at_s_ && at_s_ < done.end_s) at_s_ = done.end_s;
  }
}

}  // namespace hourcell
