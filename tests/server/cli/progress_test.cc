#include "server/cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"

namespace hourcell::progress_test {
namespace {

TEST(ProgressTest, RateOfNoTimeCountsAsOneMillisecond) {
  EXPECT_EQ(PointsPerSecond(5, 0), 5000u);
  EXPECT_EQ(PointsPerSecond(1'000'000, 2'000), 500'000u);
}

TEST(ProgressTest, LineHasPercentAndTimeLeftByBytes) {
  EXPECT_EQ(FormatProgress(
                {.points = 300'000, .bytes_done = 25, .bytes_total = 100, .elapsed_ms = 2'000}),
            "300000 points, 150000 points/s, 25 %, 6 s left");
}

TEST(ProgressTest, UnknownTotalHasNoPercent) {
  EXPECT_EQ(FormatProgress({.points = 10, .elapsed_ms = 1'000}), "10 points, 10 points/s");
}

TEST(ProgressTest, NothingReadYetHasNoTimeLeft) {
  EXPECT_EQ(FormatProgress({.bytes_total = 100, .elapsed_ms = 1'000}), "0 points, 0 points/s, 0 %");
}

TEST(ProgressTest, MilestoneIsOpenTsdbsLine) {
  EXPECT_EQ(FormatMilestone(1'000'000, 2'500),
            "... 1000000 data points in 2500ms (400000 points/s)");
}

TEST(ProgressMeterTest, WithoutTerminalALineEachMillion) {
  CapturedTerminal terminal;
  ProgressMeter meter(terminal.get().err, /*is_tty=*/false, &terminal.clock(), 100);

  terminal.clock().Advance(1'000);
  meter.Update(999'999, 10);
  meter.Update(1'000'000, 20);
  meter.Update(1'999'999, 30);
  terminal.clock().Advance(1'000);
  meter.Update(2'000'001, 40);

  EXPECT_EQ(terminal.err(),
            "... 1000000 data points in 1000ms (1000000 points/s)\n"
            "... 2000001 data points in 2000ms (1000000 points/s)\n");
}

TEST(ProgressMeterTest, OnATerminalOverwritesItselfAtMostFiveTimesASecond) {
  CapturedTerminal terminal;
  ProgressMeter meter(terminal.get().err, /*is_tty=*/true, &terminal.clock(), 0);

  terminal.clock().Advance(1'000);
  meter.Update(1, 0);
  terminal.clock().Advance(100);
  meter.Update(2, 0);
  terminal.clock().Advance(900);
  meter.Update(4, 0);
  meter.Clear();

  EXPECT_EQ(terminal.err(), "\r\x1b[K1 points, 1 points/s\r\x1b[K4 points, 2 points/s\r\x1b[K");
}

}  // namespace
}  // namespace hourcell::progress_test
