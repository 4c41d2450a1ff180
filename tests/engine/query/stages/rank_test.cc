#include "engine/query/stages/rank.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "codec/base/random.h"

namespace hourcell::rank_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

int64_t Select(Aggregator aggregator, std::vector<int64_t> values) {
  return SelectRank(RankOf(aggregator).value(), std::span(values));
}
double Select(Aggregator aggregator, std::vector<double> values) {
  return SelectRank(RankOf(aggregator).value(), std::span(values));
}

TEST(RankTest, OnlyMediansAndPercentilesHaveOne) {
  int ranks = 0;
  for (size_t i = 0; i < AggregatorNames().size(); ++i)
    ranks += RankOf(static_cast<Aggregator>(i)).has_value() ? 1 : 0;

  EXPECT_EQ(ranks, 1 + 3 * 6);
  EXPECT_FALSE(RankOf(Aggregator::kSum).has_value());
  EXPECT_FALSE(RankOf(Aggregator::kSquareSum).has_value());
  EXPECT_EQ(RankOf(Aggregator::kP999)->percent, 99.9);
  EXPECT_EQ(RankOf(Aggregator::kEp75r3)->rule, Rank::Rule::kR3);
  EXPECT_EQ(RankOf(Aggregator::kEp999r7)->rule, Rank::Rule::kR7);
}

TEST(RankTest, MedianIsTheUpperMiddle) {
  EXPECT_EQ(Select(Aggregator::kMedian, std::vector<int64_t>{4, 1, 3, 2}), 3);
  EXPECT_EQ(Select(Aggregator::kMedian, std::vector<double>{4.5, 1.5}), 4.5);
  // Not by way of floating point.
  EXPECT_EQ(Select(Aggregator::kMedian, std::vector<int64_t>{INT64_MAX - 1}), INT64_MAX - 1);
}

// Of 1, 2, 3, 4: positions of 50 % are 2.5 (legacy), 2, 2.5; of 75 %: 3.75, 3, 3.25.
TEST(RankTest, RulesDifferInThePosition) {
  const std::vector<double> doubles = {40, 10, 30, 20};
  const std::vector<int64_t> integers = {40, 10, 30, 20};

  EXPECT_EQ(Select(Aggregator::kP50, integers), 25);
  EXPECT_EQ(Select(Aggregator::kEp50r3, integers), 20);
  EXPECT_EQ(Select(Aggregator::kEp50r7, integers), 25);
  EXPECT_EQ(Select(Aggregator::kP75, integers), 37);  // 37.5
  EXPECT_EQ(Select(Aggregator::kEp75r3, integers), 30);
  EXPECT_EQ(Select(Aggregator::kEp75r7, integers), 32);  // 32.5
  // Of floating point all are the first.
  for (const Aggregator aggregator : {Aggregator::kP75, Aggregator::kEp75r3, Aggregator::kEp75r7}) {
    EXPECT_EQ(Select(aggregator, doubles), 37.5);
  }
}

// rint(2.5) is 2, not 3.
TEST(RankTest, PositionsOfR3RoundHalfToEven) {
  EXPECT_EQ(Select(Aggregator::kEp50r3, std::vector<int64_t>{1, 2, 3, 4, 5}), 2);
  EXPECT_EQ(Select(Aggregator::kEp50r3, std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7}), 4);
}

TEST(RankTest, PositionsOutsideAreTheEnds) {
  EXPECT_EQ(Select(Aggregator::kP99, std::vector<int64_t>{7, 9}), 9);
  EXPECT_EQ(Select(Aggregator::kEp50r3, std::vector<int64_t>{7}), 7);
  for (const Aggregator aggregator : {Aggregator::kP50, Aggregator::kP999, Aggregator::kEp999r7}) {
    EXPECT_EQ(Select(aggregator, std::vector<double>{-3.5}), -3.5);
  }
}

TEST(RankTest, PercentilesOfIntegersAreCutTowardsZero) {
  EXPECT_EQ(Select(Aggregator::kP50, std::vector<int64_t>{-1, -2}), -1);
  EXPECT_EQ(Select(Aggregator::kP50, std::vector<int64_t>{INT64_MAX, INT64_MAX}), INT64_MAX);
  EXPECT_EQ(Select(Aggregator::kP50, std::vector<int64_t>{INT64_MIN, INT64_MIN}), INT64_MIN);
}

// The definition, on values that are sorted as a whole.
double SlowPercentile(std::vector<double> values, double position) {
  std::sort(values.begin(), values.end());
  if (position < 1) return values.front();
  if (position >= static_cast<double>(values.size())) return values.back();
  const double lower = values[static_cast<size_t>(position) - 1];
  const double upper = values[static_cast<size_t>(position)];
  return lower + (position - std::floor(position)) * (upper - lower);
}

TEST(RankTest, SelectsWhatSortingFinds) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    std::vector<double> values(1 + random.Below(300));
    for (double& value : values)
      value = static_cast<double>(random.Below(100)) / 8 - 5;
    const auto n = static_cast<double>(values.size());

    EXPECT_EQ(Select(Aggregator::kP90, values), SlowPercentile(values, 90.0 / 100 * (n + 1)));
    EXPECT_EQ(Select(Aggregator::kP999, values), SlowPercentile(values, 99.9 / 100 * (n + 1)));

    std::vector<int64_t> integers;
    std::vector<double> whole;
    for (const double value : values) {
      integers.push_back(static_cast<int64_t>(value * 8));
      whole.push_back(value * 8);
    }
    EXPECT_EQ(Select(Aggregator::kEp95r7, integers),
              static_cast<int64_t>(SlowPercentile(whole, 1 + (n - 1) * (95.0 / 100))));
    EXPECT_EQ(Select(Aggregator::kEp90r3, integers),
              static_cast<int64_t>(SlowPercentile(whole, std::rint(n * (90.0 / 100)))));
  }
}

TEST(RankColumnTest, KeepsTheTimesApartAndSkipsNan) {
  RankColumn<double> column(RankOf(Aggregator::kMedian).value());
  column.Reset(/*times=*/3, /*members=*/2);
  column.Add(0, 1.0);
  column.Add(1, kNan);
  column.Add(0, 5.0);
  column.Add(1, 7.0);
  column.Add(2, kNan);

  EXPECT_EQ(column.Result(0), 5.0);
  EXPECT_EQ(column.Result(1), 7.0);
  EXPECT_TRUE(std::isnan(column.Result(2)));

  column.Reset(/*times=*/1, /*members=*/3);
  column.Add(0, 2.0);
  EXPECT_EQ(column.Result(0), 2.0);
}

}  // namespace
}  // namespace hourcell::rank_test
