#include "server/graph/graph_points.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::graph_points_test {
namespace {

using testing::ElementsAre;

SpanView ViewOf(const Span& span) {
  return {.t = span.t, .v = span.v, .is_float = span.is_float};
}

TEST(GraphPointsTest, FewPointsStayAsTheyAre) {
  Span span;
  span.push_back(5, Value::Integer(1));
  span.push_back(10, Value::Float(2.5));
  span.push_back(20, Value::Float(std::nan("")));
  span.push_back(30, Value::Integer(4));
  span.push_back(31, Value::Integer(5));

  const GraphPoints points = PointsToDraw(ViewOf(span), 10, 30, 100);

  EXPECT_THAT(points.t, ElementsAre(10, 20, 30));
  EXPECT_EQ(points.v[0], 2.5);
  EXPECT_TRUE(std::isnan(points.v[1]));
}

TEST(GraphPointsTest, ManyPointsKeepTheirExtremesInEachPixel) {
  Span span;
  for (int i = 0; i < 100'000; ++i)
    span.push_back(i, Value::Integer(i == 70'123 ? 1'000 : i == 30'321 ? -1'000 : i % 7));

  const GraphPoints points = PointsToDraw(ViewOf(span), 0, 99'999, 50);

  EXPECT_LE(points.size(), 4u * 51);
  EXPECT_GE(points.size(), 2u * 50);
  EXPECT_TRUE(std::ranges::is_sorted(points.t));
  EXPECT_EQ(points.t.front(), 0);
  EXPECT_EQ(points.t.back(), 99'999);
  const auto high = std::ranges::max_element(points.v);
  const auto low = std::ranges::min_element(points.v);
  EXPECT_EQ(points.t[static_cast<size_t>(high - points.v.begin())], 70'123);
  EXPECT_EQ(points.t[static_cast<size_t>(low - points.v.begin())], 30'321);
}

TEST(GraphPointsTest, AGapOfAPixelStaysAGap) {
  Span span;
  for (int i = 0; i < 10'000; ++i)
    span.push_back(i, Value::Float(i >= 4'000 && i < 6'000 ? std::nan("") : 1));

  const GraphPoints points = PointsToDraw(ViewOf(span), 0, 10'000, 10);

  EXPECT_EQ(std::ranges::count_if(points.v, [](double v) { return std::isnan(v); }), 2);
}

TEST(GraphPointsTest, WhatCannotBeDrawnIsAGap) {
  Span span;
  span.push_back(1, Value::Float(HUGE_VAL));
  EXPECT_TRUE(std::isnan(PointsToDraw(ViewOf(span), 0, 2, 9).v[0]));
}

}  // namespace
}  // namespace hourcell::graph_points_test
