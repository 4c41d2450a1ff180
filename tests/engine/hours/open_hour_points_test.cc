#include "engine/hours/open_hour_points.h"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>

#include "codec/base/random.h"
#include "codec/value.h"

namespace hourcell::open_hour_points_test {
namespace {

struct Point {
  uint32_t offset_ms;
  bool is_ms;
  Value value;
};

// A stream returns its points in the order in which they were added.
void ExpectRoundTrip(const std::vector<Point>& points) {
  OpenHourPoints stream;
  CellColumns want;
  bool ascends = true;
  for (size_t i = 0; i < points.size(); ++i) {
    const Point& point = points[i];
    stream.Append(point.offset_ms, point.is_ms, point.value);
    want.push_back(
        {.offset_ms = point.offset_ms, .is_ms = point.is_ms, .flags = ValueFlags(point.value)},
        point.value);
    if (i > 0) ascends = ascends && point.offset_ms > points[i - 1].offset_ms;
  }
  CellColumns got;
  stream.DecodeTo(&got);
  ASSERT_EQ(got, want);
  EXPECT_EQ(stream.points(), points.size());
  EXPECT_EQ(stream.ascends(), ascends);
  EXPECT_LE(stream.bytes(), stream.allocated_bytes());
}

std::vector<Point> EverySecond(const std::vector<Value>& values) {
  std::vector<Point> points;
  for (const Value& value : values)
    points.push_back({static_cast<uint32_t>(points.size()) * 1000, false, value});
  return points;
}

TEST(OpenHourPointsTest, KeepsIntegersOfEverySize) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  std::vector<Value> values;
  for (const int64_t number : {int64_t{0}, int64_t{1}, int64_t{-1}, kMax, kMin, kMin, kMax,
                               int64_t{28}, int64_t{-29}, int64_t{0}, int64_t{29}, int64_t{-30}}) {
    values.push_back(Value::Integer(number));
  }
  ExpectRoundTrip(EverySecond(values));
}

TEST(OpenHourPointsTest, KeepsFloatsToTheBit) {
  std::vector<Value> values;
  for (const double number :
       {0.0, -0.0, 0.1, 0.25, 42.0, 42.5, 42.51, -42.51, 1e300, 5e-324, 0.1 + 0.2, 1.0 / 3,
        static_cast<double>(1.1F), 9007199254740993.0, -1e-7, 123456.654321, 1e22, 0.3}) {
    values.push_back(Value::Float(number));
  }
  ExpectRoundTrip(EverySecond(values));
}

TEST(OpenHourPointsTest, KeepsKindsThatAlternate) {
  ExpectRoundTrip(EverySecond({Value::Integer(0), Value::Float(0.0), Value::Integer(0),
                               Value::Float(1.5), Value::Integer(1), Value::Float(1.5),
                               Value::Float(1.6), Value::Integer(-5), Value::Float(1.0 / 3),
                               Value::Float(1.0 / 3), Value::Integer(7), Value::Float(0.07)}));
}

TEST(OpenHourPointsTest, KeepsPrecisionsThatAlternate) {
  ExpectRoundTrip({{1000, false, Value::Integer(1)},
                   {1500, true, Value::Integer(2)},
                   {3000, false, Value::Integer(3)},
                   {3000, true, Value::Integer(4)},
                   {3001, true, Value::Integer(5)},
                   {2000, false, Value::Integer(6)},
                   {2000, false, Value::Integer(7)},
                   {3'599'999, true, Value::Integer(8)},
                   {0, false, Value::Integer(9)}});
}

TEST(OpenHourPointsTest, RandomPointsComeOutAsTheyWentIn) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    std::vector<Point> points;
    const uint64_t size = 1 + random.Below(400);
    const uint64_t kinds = 1 + random.Below(5);
    for (uint64_t i = 0; i < size; ++i) {
      const bool is_ms = random.Below(4) == 0;
      auto offset_ms = static_cast<uint32_t>(random.Below(3'600'000));
      if (!is_ms) offset_ms -= offset_ms % 1000;
      Value value;
      switch (random.Below(kinds)) {
        case 0:
          value = Value::Integer(static_cast<int64_t>(random.Below(100)));
          break;
        case 1:
          value = Value::Float(static_cast<double>(random.Below(10'000)) / 100);
          break;
        case 2:
          value = Value::Integer(static_cast<int64_t>(random.Next()));
          break;
        case 3:
          value = Value::Float(random.Fraction());
          break;
        default:
          value = Value::Float(static_cast<double>(static_cast<float>(random.Fraction())));
          break;
      }
      points.push_back({offset_ms, is_ms, value});
    }
    ExpectRoundTrip(points);
  }
}

TEST(OpenHourPointsTest, AGaugeAtAFixedStepTakesAByteAPoint) {
  for (const bool is_float : {false, true}) {
    OpenHourPoints stream;
    for (uint32_t i = 0; i < 360; ++i) {
      const int64_t level = 5000 + (i * 7) % 11;
      stream.Append(
          i * 10'000, false,
          is_float ? Value::Float(static_cast<double>(level) / 100) : Value::Integer(level));
    }
    EXPECT_LE(stream.bytes(), 370u) << is_float;
  }
}

}  // namespace
}  // namespace hourcell::open_hour_points_test
