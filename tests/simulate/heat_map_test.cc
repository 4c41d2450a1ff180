#include "engine/simulate/heat_map.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell {
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
  ASSERT_EQ(matrix.columns, 2U);
  EXPECT_EQ(matrix.at(0, 0), 8);
  EXPECT_EQ(matrix.at(0, 1), 0);
  EXPECT_EQ(matrix.at(1, 0), 0);
  EXPECT_EQ(matrix.at(1, 1), 7);
}

TEST(HeatMapTest, LongTimesWidenTheColumnsAndLoseNothing) {
  HeatMap heat(0, 1);
  for (uint64_t ms = 0; ms < 10'000; ++ms)
    heat.Add("k", ms, 1);

  const HeatMatrix matrix = heat.Matrix({});

  EXPECT_LE(matrix.columns, 96U);
  EXPECT_GE(matrix.columns, 48U);
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

TEST(HeatMapTest, TextTellsNothingFromLittle) {
  const HeatMatrix matrix{.row_starts = {"", std::string("\x01", 1)},
                          .column_ms = 3'600'000,
                          .columns = 3,
                          .puts = {0, 1, 1'000, 0, 0, 500}};

  EXPECT_EQ(HeatText(matrix),
            "(start)                  | .@|\n"
            "\\x01                     |  +|\n"
            "                          a column is 1.00 h, 3 columns; @ = 1000 puts\n");
}

}  // namespace
}  // namespace hourcell
