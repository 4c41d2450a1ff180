#include "engine/rollups/keeper/level_buckets.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::level_buckets_test {
namespace {

// "sum 0:3 60:1.5 ..." of the range.
std::string BucketsOf(const Span& points, const LevelRange& range) {
  std::string text;
  size_t last = SIZE_MAX;
  VisitLevelBuckets({.t = points.t, .v = points.v, .is_float = points.is_float}, range,
                    [&](size_t aggregate, int64_t time_s, Value value) {
                      if (aggregate != last) text += range.level->aggregates[aggregate] + " ";
                      last = aggregate;
                      text += value.is_integer() ? fmt::format("{}:{} ", time_s, value.integer())
                                                 : fmt::format("{}:{}f ", time_s, value.floating());
                    });
  return text;
}

TEST(LevelBucketsTest, EachAggregateHasAPointForEachIntervalWithPoints) {
  const RuleLevel level{.interval = "1m",
                        .seconds = 60,
                        .aggregates = {"sum", "count", "min", "max", "first", "last"}};
  Span points;
  points.push_back(60'000, Value::Integer(5));
  points.push_back(70'500, Value::Integer(-2));
  points.push_back(119'999, Value::Integer(4));
  points.push_back(180'000, Value::Float(0.5));

  EXPECT_EQ(BucketsOf(points, {.level = &level, .begin_s = 0, .end_s = 240}),
            "sum 60:7 180:0.5f count 60:3 180:1 min 60:-2 180:0.5f max 60:5 180:0.5f "
            "first 60:5 180:0.5f last 60:4 180:0.5f ");
}

TEST(LevelBucketsTest, PointsOutsideOfTheRangeDoNotCount) {
  const RuleLevel level{.interval = "1h", .seconds = 3600, .aggregates = {"sum"}};
  Span points;
  for (int64_t s = 0; s < 4 * 3600; s += 600)
    points.push_back(s * 1000, Value::Integer(1));

  EXPECT_EQ(BucketsOf(points, {.level = &level, .begin_s = 3600, .end_s = 10'800}),
            "sum 3600:6 7200:6 ");
  EXPECT_EQ(BucketsOf(points, {.level = &level, .begin_s = 14'400, .end_s = 18'000}), "");
}

TEST(LevelBucketsTest, ValuesKeepTheirBits) {
  const RuleLevel level{.interval = "1s", .seconds = 1, .aggregates = {"last"}};
  Span points;
  points.push_back(0, Value::Float(-0.0));
  points.push_back(1000, Value::Float(3.0));
  points.push_back(2000, Value::Integer((int64_t{1} << 53) + 2));

  EXPECT_EQ(BucketsOf(points, {.level = &level, .begin_s = 0, .end_s = 3}),
            "last 0:-0f 1:3 2:9007199254740994f ");
}

}  // namespace
}  // namespace hourcell::level_buckets_test
