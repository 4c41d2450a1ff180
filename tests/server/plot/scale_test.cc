#include "server/plot/scale.h"

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace hourcell::plot::scale_test {
namespace {

Scale OnHundredPixels(const Axis& axis, const std::vector<double>& values, bool has_zero) {
  Scale scale(axis, values, has_zero, 6);
  scale.SetPixels({.low = 100, .high = 0});
  return scale;
}

TEST(ScaleTest, LinearValuesKeepTheirDistances) {
  const Scale scale = OnHundredPixels({}, {2, 9.5}, /*has_zero=*/true);

  EXPECT_EQ(scale.Map(0), 100);
  EXPECT_EQ(scale.Map(5), 50);
  EXPECT_EQ(scale.Map(10), 0);
  EXPECT_EQ(scale.Base(), 100);
}

TEST(ScaleTest, BarsOfNegativeValuesBeginAtZero) {
  const Scale scale = OnHundredPixels({}, {-5, 5}, /*has_zero=*/true);

  EXPECT_EQ(scale.Base(), scale.Map(0));
  EXPECT_GT(*scale.Map(-5), scale.Base());
}

TEST(ScaleTest, LogarithmicValuesKeepTheirRatios) {
  const Scale scale = OnHundredPixels({.is_log = true}, {1, 100}, /*has_zero=*/true);

  EXPECT_DOUBLE_EQ(*scale.Map(1), 100);
  EXPECT_DOUBLE_EQ(*scale.Map(10), 50);
  EXPECT_DOUBLE_EQ(*scale.Map(100), 0);
  EXPECT_EQ(scale.Base(), 100);
}

TEST(ScaleTest, WhatCannotBeDrawnHasNoPlace) {
  const double nan = std::nan("");
  const Scale linear = OnHundredPixels({}, {nan, 1}, true);
  const Scale log = OnHundredPixels({.is_log = true}, {0, -1, nan, 1}, true);

  EXPECT_EQ(linear.Map(nan), std::nullopt);
  EXPECT_EQ(linear.Map(std::numeric_limits<double>::infinity()), std::nullopt);
  EXPECT_EQ(log.Map(0), std::nullopt);
  EXPECT_EQ(log.Map(-1), std::nullopt);
  EXPECT_TRUE(log.Map(1).has_value());
}

TEST(ScaleTest, EndsThatAreSetClipTheRest) {
  const Scale scale = OnHundredPixels({.min = 10, .max = 20}, {0, 100}, /*has_zero=*/false);

  EXPECT_EQ(scale.Map(0), 100);
  EXPECT_EQ(scale.Map(100), 0);
  EXPECT_EQ(scale.Map(15), 50);
}

TEST(ScaleTest, NothingToDrawIsNoFault) {
  EXPECT_GE(Scale({}, {}, false, 6).ticks().size(), 2u);
  EXPECT_GE(Scale({.is_log = true}, std::vector<double>{0}, false, 6).ticks().size(), 2u);
}

TEST(ScaleTest, ExactEndsAreNotRounded) {
  const Scale scale = OnHundredPixels({.min = 3, .max = 97, .is_exact = true}, {0}, false);

  EXPECT_EQ(scale.Map(3), 100);
  EXPECT_EQ(scale.Map(97), 0);
  EXPECT_GE(scale.ticks().front().value, 3);
  EXPECT_LE(scale.ticks().back().value, 97);
}

TEST(ScaleTest, TicksAndTheirTextsMayBeGiven) {
  const Scale given = OnHundredPixels(
      {.min = 0, .max = 10, .is_exact = true, .ticks = {{1, "one"}, {9, "nine"}, {11, "no"}}}, {},
      false);
  ASSERT_EQ(given.ticks().size(), 2u);
  EXPECT_EQ(given.ticks()[1].label, "nine");

  const Scale named = OnHundredPixels(
      {.label = [](double value) { return value == 0 ? "none" : "some"; }}, {0, 10}, false);
  EXPECT_EQ(named.ticks().front().label, "none");
  EXPECT_EQ(named.ticks().back().label, "some");
}

TEST(ScaleTest, TheGreatestNumbersHaveAPlace) {
  constexpr double kMax = std::numeric_limits<double>::max();
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  for (const bool is_log : {false, true}) {
    const Scale scale = OnHundredPixels({.is_log = is_log}, {-kMax, kLeast, kMax}, false);
    EXPECT_EQ(scale.Map(kMax), 0) << is_log;
    EXPECT_TRUE(std::isfinite(*scale.Map(kLeast))) << is_log;
  }
}

}  // namespace
}  // namespace hourcell::plot::scale_test
