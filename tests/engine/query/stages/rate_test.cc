#include "engine/query/stages/rate.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace hourcell::rate_test {
namespace {

Span Integers(std::initializer_list<std::pair<int64_t, int64_t>> points) {
  Span span;
  for (const auto& [ms, value] : points)
    span.push_back(ms, Value::Integer(value));
  return span;
}

Span Doubles(std::initializer_list<std::pair<int64_t, double>> points) {
  Span span;
  for (const auto& [ms, value] : points)
    span.push_back(ms, Value::Float(value));
  return span;
}

TEST(RateTest, IsChangePerSecondAtTheLaterPoint) {
  const Span rates = Rate(Integers({{0, 40}, {2'000, 50}, {2'500, 45}}), RateSpec{});

  EXPECT_EQ(rates, Doubles({{2'000, 5.0}, {2'500, -10.0}}));
}

TEST(RateTest, FewerThanTwoPointsHaveNone) {
  EXPECT_TRUE(Rate(Integers({{1'000, 42}}), RateSpec{}).empty());
  EXPECT_TRUE(Rate(Span{}, RateSpec{}).empty());
}

TEST(RateTest, LargeIntegersKeepTheirDigits) {
  const Span rates = Rate(Integers({{0, INT64_MAX - 100}, {100'000, INT64_MAX - 20}}), RateSpec{});

  EXPECT_EQ(rates, Doubles({{100'000, 0.8}}));
}

TEST(RateTest, CounterRollsOverAtItsMaximum) {
  const RateSpec spec{.counter = true, .counter_max = 100};

  EXPECT_EQ(Rate(Integers({{0, 75}, {30'000, 5}}), spec), Doubles({{30'000, 1.0}}));
  EXPECT_EQ(Rate(Doubles({{0, 75.5}, {30'000, 5.5}}), spec), Doubles({{30'000, 1.0}}));
}

TEST(RateTest, ResetValueIsTestedOnRollOversOnly) {
  const RateSpec spec{.counter = true, .counter_max = 70, .reset_value = 1};

  const Span rates = Rate(Integers({{0, 40}, {1'000, 50}, {2'000, 40}}), spec);

  EXPECT_EQ(rates, Doubles({{1'000, 10.0}, {2'000, 0.0}}));
}

TEST(RateTest, ADroppedResetIsTheStartOfTheNextRate) {
  const RateSpec spec{.counter = true, .drop_resets = true};

  const Span rates = Rate(Integers({{0, 45}, {1'000, 25}, {2'000, 55}}), spec);

  EXPECT_EQ(rates, Doubles({{2'000, 30.0}}));
}

TEST(RateTest, NanOfAFillPropagates) {
  const double nan = std::numeric_limits<double>::quiet_NaN();

  const Span rates = Rate(Doubles({{0, 1}, {1'000, nan}, {2'000, 3}, {3'000, 5}}), RateSpec{});

  ASSERT_EQ(rates.size(), 3U);
  EXPECT_TRUE(std::isnan(rates.ToDouble(0)));
  EXPECT_TRUE(std::isnan(rates.ToDouble(1)));
  EXPECT_EQ(rates.ToDouble(2), 2.0);
}

}  // namespace
}  // namespace hourcell::rate_test
