#include "engine/query/stages/scan_bounds.h"

#include <gtest/gtest.h>

#include "engine/query/query_time.h"
#include "tests/support/vectors.h"

namespace hourcell::scan_bounds_test {
namespace {

constexpr int64_t kHourMs = 3'600'000;

ScanBounds Bounds(int64_t start_ms, int64_t end_ms, int64_t interval_ms) {
  return ComputeScanBounds(kHourSpan, start_ms, end_ms, DownsampleSpec{.interval_ms = interval_ms});
}

TEST(ScanBoundsTest, OpenTsdbVectors) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "scan-bounds")) {
    SCOPED_TRACE(vector.from);

    const ScanBounds bounds =
        Bounds(IntOf(vector.given, "start_s") * 1000, IntOf(vector.given, "end_s") * 1000,
               IntOf(vector.given, "downsample_ms"));

    EXPECT_EQ(int64_t{bounds.begin_s}, IntOf(vector.expect, "scan_start_s"));
    EXPECT_EQ(bounds.end_s, static_cast<uint64_t>(IntOf(vector.expect, "scan_end_s_exclusive")));
    ++run;
  }
  EXPECT_EQ(run, 2);
}

TEST(ScanBoundsTest, WithoutIntervalTheEndMovesToTheNextHour) {
  const ScanBounds want{.begin_s = 3600, .end_s = 10'800};

  EXPECT_EQ(ComputeScanBounds(kHourSpan, kHourMs, 2 * kHourMs, std::nullopt), want);
  EXPECT_EQ(ComputeScanBounds(kHourSpan, 2 * kHourMs - 1, 2 * kHourMs, std::nullopt), want);
  EXPECT_EQ(ComputeScanBounds(kHourSpan, kHourMs, 2 * kHourMs, DownsampleSpec{.all = true}), want);
  // The last second of an hour is bumped into the next hour.
  EXPECT_EQ(ComputeScanBounds(kHourSpan, kHourMs, 2 * kHourMs - 1, std::nullopt), want);
}

TEST(ScanBoundsTest, IntervalWidensBothEnds) {
  // 90 minutes lie in the bucket of 0 to 2 h.
  EXPECT_EQ(Bounds(90 * 60'000, 90 * 60'000, 2 * kHourMs),
            (ScanBounds{.begin_s = 0, .end_s = 7200}));
}

// Berlin's 1 January 2013 is from 23:00 to 23:00 UTC.
TEST(ScanBoundsTest, CalendarBoundsAreWholeBuckets) {
  DownsampleSpec spec = ParseDownsampleSpec("1dc-sum").value();
  spec.timezone = ParseTimezone("Europe/Berlin").value();
  constexpr int64_t kNoonS = 1'357'038'000;
  const ScanBounds want{.begin_s = 1'356'994'800, .end_s = 1'356'994'800 + 86'400};

  EXPECT_EQ(ComputeScanBounds(kHourSpan, kNoonS * 1000, kNoonS * 1000 + 1, spec), want);
  EXPECT_EQ(ComputeScanBounds(kHourSpan, int64_t{want.begin_s} * 1000,
                              static_cast<int64_t>(want.end_s) * 1000 - 1, spec),
            want);

  const ScanBounds far = ComputeScanBounds(kHourSpan, INT64_MAX, INT64_MAX, spec);
  EXPECT_EQ(far.end_s % 3600, 0U);
  EXPECT_LE(far.begin_s, far.end_s);
}

// Kabul's hours begin at half past; rows do not.
TEST(ScanBoundsTest, CalendarBoundsAreRoundedToRows) {
  DownsampleSpec spec = ParseDownsampleSpec("1hc-sum").value();
  spec.timezone = ParseTimezone("Asia/Kabul").value();

  EXPECT_EQ(ComputeScanBounds(kHourSpan, 2 * kHourMs, 2 * kHourMs + 1, spec),
            (ScanBounds{.begin_s = 3600, .end_s = 10'800}));
}

TEST(ScanBoundsTest, ExtremesDoNotOverflow) {
  EXPECT_EQ(ComputeScanBounds(kHourSpan, 0, 0, std::nullopt),
            (ScanBounds{.begin_s = 0, .end_s = 3600}));
  const ScanBounds far = Bounds(INT64_MAX, INT64_MAX, 1000);
  EXPECT_EQ(far.begin_s, 4'294'965'600U);
  EXPECT_EQ(far.end_s % 3600, 0U);
  EXPECT_GT(far.end_s, static_cast<uint64_t>(INT64_MAX / 1000));
}

}  // namespace
}  // namespace hourcell::scan_bounds_test
