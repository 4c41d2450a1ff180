#include "server/graph/time_axis.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::time_axis_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kStartMs = 1'356'998'400'000;  // 2013-01-01 00:00 UTC, a Tuesday
constexpr int64_t kHourMs = 3'600'000;
constexpr int64_t kDayMs = 24 * kHourMs;

std::vector<std::string> LabelsOf(const std::vector<plot::Tick>& ticks) {
  std::vector<std::string> labels;
  for (const plot::Tick& tick : ticks)
    labels.push_back(tick.label);
  return labels;
}

std::vector<std::string> Labels(int64_t start_ms, int64_t span_ms, size_t ticks = 6) {
  return LabelsOf(TimeTicks(start_ms, start_ms + span_ms, ticks, absl::UTCTimeZone()));
}

TEST(TimeAxisTest, TextsFollowTheLengthOfTheRange) {
  EXPECT_THAT(Labels(kStartMs + 250, 1'000), ElementsAre("00:00:00.500", "00:00:01.000"));
  EXPECT_THAT(Labels(kStartMs + 1, 60'000, 4), ElementsAre("00:00:30", "00:01:00"));
  EXPECT_THAT(Labels(kStartMs, 4 * kHourMs),
              ElementsAre("00:00", "01:00", "02:00", "03:00", "04:00"));
  EXPECT_THAT(Labels(kStartMs, 2 * kDayMs, 5),
              ElementsAre("Tue 00:00", "Tue 12:00", "Wed 00:00", "Wed 12:00", "Thu 00:00"));
  EXPECT_THAT(
      Labels(kStartMs, 10 * kDayMs),
      ElementsAre("Wed 02 00:00", "Fri 04 00:00", "Sun 06 00:00", "Tue 08 00:00", "Thu 10 00:00"));
  EXPECT_THAT(Labels(kStartMs, 30 * kDayMs), ElementsAre("Jan 07", "Jan 14", "Jan 21", "Jan 28"));
  EXPECT_THAT(Labels(kStartMs, 365 * kDayMs),
              ElementsAre("2013/01/01", "2013/04/01", "2013/07/01", "2013/10/01", "2014/01/01"));
  EXPECT_THAT(Labels(0, 50 * 365 * kDayMs),
              ElementsAre("1970/01/01", "1980/01/01", "1990/01/01", "2000/01/01", "2010/01/01"));
}

TEST(TimeAxisTest, TicksAreRoundByTheClockOfTheZone) {
  absl::TimeZone india;
  ASSERT_TRUE(absl::LoadTimeZone("Asia/Kolkata", &india));  // 5:30 ahead

  const std::vector<plot::Tick> ticks = TimeTicks(kStartMs, kStartMs + 4 * kHourMs, 6, india);

  EXPECT_THAT(LabelsOf(ticks), ElementsAre("06:00", "07:00", "08:00", "09:00"));
  EXPECT_EQ(ticks[0].value, kStartMs + 30 * 60'000);
}

TEST(TimeAxisTest, AscendsWhereAClockIsPutBack) {
  absl::TimeZone berlin;
  ASSERT_TRUE(absl::LoadTimeZone("Europe/Berlin", &berlin));
  constexpr int64_t kBefore = 1'382'824'800'000;  // 2013-10-27 00:00 there; 3:00 becomes 2:00

  const std::vector<plot::Tick> ticks = TimeTicks(kBefore, kBefore + 5 * kHourMs, 9, berlin);

  for (size_t i = 1; i < ticks.size(); ++i)
    EXPECT_GT(ticks[i].value, ticks[i - 1].value);
  EXPECT_EQ(ticks.back().label, "04:00");
}

TEST(TimeAxisTest, FormatMayBeGiven) {
  EXPECT_THAT(LabelsOf(TimeTicks(kStartMs, kStartMs + kHourMs, 2, absl::UTCTimeZone(), "%d.%m.")),
              ElementsAre("01.01.", "01.01."));
}

TEST(TimeAxisTest, ARangeOfAnyLengthHasFewTicks) {
  for (const int64_t span : {int64_t{1}, int64_t{7}, kDayMs * 36'500, int64_t{1} << 55}) {
    const std::vector<plot::Tick> ticks = TimeTicks(0, span, 5, absl::UTCTimeZone());
    EXPECT_LE(ticks.size(), 7u) << span;
    EXPECT_THAT(ticks, testing::Not(IsEmpty())) << span;
  }
}

}  // namespace
}  // namespace hourcell::time_axis_test
