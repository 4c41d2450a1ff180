#include "server/plot/ticks.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::plot::ticks_test {
namespace {

using testing::ElementsAre;

std::vector<std::string> Labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> labels;
  for (const Tick& tick : ticks)
    labels.push_back(tick.label);
  return labels;
}

TEST(TicksTest, LinearOnesAreRoundAndCoverTheRange) {
  EXPECT_THAT(Labels(LinearTicks(0, 97, 6)), ElementsAre("0", "20", "40", "60", "80", "100"));
  EXPECT_THAT(Labels(LinearTicks(-0.3, 0.31, 6)), ElementsAre("-0.4", "-0.2", "0", "0.2", "0.4"));
  EXPECT_THAT(Labels(LinearTicks(0, 9, 5)), ElementsAre("0", "2.5", "5", "7.5", "10"));
}

TEST(TicksTest, ThirdOfTenthsIsNotAnEndlessFraction) {
  const std::vector<Tick> ticks = LinearTicks(0, 0.5, 6);

  EXPECT_THAT(Labels(ticks), ElementsAre("0", "0.1", "0.2", "0.3", "0.4", "0.5"));
}

TEST(TicksTest, OneValueIsSeenFromZero) {
  EXPECT_THAT(Labels(LinearTicks(4, 4, 3)), ElementsAre("0", "2", "4"));
  EXPECT_THAT(Labels(LinearTicks(0, 0, 3)), ElementsAre("0", "0.5", "1"));
}

TEST(TicksTest, ManyDecadesHaveNothingBetweenThem) {
  EXPECT_THAT(Labels(LogTicks(0.5, 40'000, 7)),
              ElementsAre("0.1", "1", "10", "100", "1000", "10k", "100k"));
}

TEST(TicksTest, FewDecadesHaveTwosAndFives) {
  EXPECT_THAT(Labels(LogTicks(2, 60, 7)), ElementsAre("1", "2", "5", "10", "20", "50", "100"));
  EXPECT_THAT(Labels(LogTicks(10, 10, 7)), ElementsAre("10", "20", "50", "100"));
}

TEST(TicksTest, TooManyDecadesAreLeftOutEvenly) {
  EXPECT_THAT(Labels(LogTicks(1, 1e8, 5)), ElementsAre("1", "100", "10k", "1M", "100M"));
}

TEST(TicksTest, NumbersAreShort) {
  EXPECT_EQ(NumberText(0), "0");
  EXPECT_EQ(NumberText(-0.0), "0");
  EXPECT_EQ(NumberText(0.05), "0.05");
  EXPECT_EQ(NumberText(9'999), "9999");
  EXPECT_EQ(NumberText(9'999.7), "10k");
  EXPECT_EQ(NumberText(12'500), "12.5k");
  EXPECT_EQ(NumberText(-3e6), "-3M");
  EXPECT_EQ(NumberText(999'960), "1M");
  EXPECT_EQ(NumberText(1e-7), "1e-07");
  EXPECT_EQ(NumberText(1e18), "1e+18");
}

}  // namespace
}  // namespace hourcell::plot::ticks_test
