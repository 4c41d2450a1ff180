#include "bench/lab/simulate/heat_map.h"

#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::heat_map_test {
namespace {

using testing::ElementsAre;

TEST(HeatMapTest, PutsAreWhereAndWhenTheyWere) {
  HeatMap heat(1'000, 100);
  heat.Add("b", 1'000, 5);
  heat.Add("b", 1'050, 1);
  heat.Add("x", 1'150, 7);
  heat.Add("a", 900, 2);  // late

  const HeatMatrix matrix = heat.Matrix(std::vector<std::string>{"m"});

  ASSERT_EQ(matrix.rows(), 2U);
  ASSERT_EQ(matrix.steps, 2U);
  EXPECT_EQ(matrix.at(0, 0), 8);
  EXPECT_EQ(matrix.at(0, 1), 0);
  EXPECT_EQ(matrix.at(1, 0), 0);
  EXPECT_EQ(matrix.at(1, 1), 7);
}

TEST(HeatMapTest, LongTimesWidenTheStepsAndLoseNothing) {
  HeatMap heat(0, 1);
  for (uint64_t ms = 0; ms < 10'000; ++ms)
    heat.Add("k", ms, 1);

  const HeatMatrix matrix = heat.Matrix({});

  EXPECT_LE(matrix.steps, 96U);
  EXPECT_GE(matrix.steps, 48U);
  EXPECT_EQ(std::accumulate(matrix.puts.begin(), matrix.puts.end(), 0.0), 10'000);
}

TEST(HeatMapTest, EvenBoundsShareThePutsOut) {
  HeatMap heat(0, 1'000);
  for (char c = 'a'; c <= 'h'; ++c)
    heat.Add(std::string(1, c), 0, 10);

  EXPECT_THAT(heat.EvenBounds(4), ElementsAre("c", "e", "g"));
}

TEST(HeatMapTest, BoundsAreThinnedOut) {
  const std::vector<std::string> starts = {"", "a", "b", "c", "d", "e", "f"};

  EXPECT_THAT(ThinBounds(starts, 10), ElementsAre("a", "b", "c", "d", "e", "f"));
  EXPECT_THAT(ThinBounds(starts, 3), ElementsAre("c", "f"));
}

TEST(HeatMapTest, AFineMapHasAsManyStepsAndBinsAsItIsTold) {
  HeatMap heat(0, 10, {.steps_max = 1'000, .bins = 1'000});
  std::vector<std::string> keys;
  for (int i = 0; i < 1'000; ++i)
    keys.push_back(fmt::format("{:03}", i));
  for (uint64_t i = 0; i < 1'000; ++i)
    heat.Add(keys[i], i * 10, i + 1);

  const HeatMatrix matrix = heat.Matrix(std::span(keys).subspan(1));

  ASSERT_EQ(matrix.rows(), 1'000U);
  ASSERT_EQ(matrix.steps, 1'000U);
  for (size_t row = 0; row < 1'000; ++row) {
    for (size_t step = 0; step < 1'000; ++step)
      ASSERT_EQ(matrix.at(row, step), row == step ? static_cast<double>(row + 1) : 0);
  }
}

TEST(HeatMapTest, BinsJoinNeighboursAndLoseNothing) {
  const HeatMatrix matrix{.row_starts = {"", "b", "c"},
                          .start_ms = 5,
                          .step_ms = 10,
                          .steps = 5,
                          .puts = {1, 2, 3, 4, 5, 10, 20, 30, 40, 50, 100, 200, 300, 400, 500}};

  const HeatMatrix binned = BinnedHeat(matrix, 2, 3);

  EXPECT_THAT(binned.row_starts, ElementsAre("", "c"));
  EXPECT_EQ(binned.start_ms, 5U);
  EXPECT_EQ(binned.step_ms, 20U);
  EXPECT_EQ(binned.steps, 3U);
  EXPECT_THAT(binned.puts, ElementsAre(33, 77, 55, 300, 700, 500));
  EXPECT_EQ(BinnedHeat(matrix, 3, 5).puts, matrix.puts);
  EXPECT_EQ(BinnedHeat(matrix, 1'000, 1'000).puts, matrix.puts);
}

TEST(HeatMapTest, TextTellsNothingFromLittle) {
  const HeatMatrix matrix{.row_starts = {"", std::string("\x01", 1)},
                          .step_ms = 3'600'000,
                          .steps = 3,
                          .puts = {0, 1, 1'000, 0, 0, 500}};

  EXPECT_EQ(HeatText(matrix),
            "(start)                  | .@|\n"
            "\\x01                     |  +|\n"
            "                          a character is 1.00 h, 3 characters; @ = 1000 puts\n");
}

}  // namespace
}  // namespace hourcell::heat_map_test
