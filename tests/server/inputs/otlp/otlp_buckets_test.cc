#include "server/inputs/otlp/otlp_buckets.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell {

void PrintTo(const OtlpBucket& bucket, std::ostream* out) {
  *out << bucket.le << ":" << bucket.count;
}

namespace otlp_buckets_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<OtlpBucket> Powers(const OtlpPoint& point) {
  std::vector<OtlpBucket> buckets = {{1, 1}};  // of the point before
  BucketsOfPowers(point, &buckets);
  return buckets;
}

TEST(OtlpBucketsTest, BoundsCumulate) {
  OtlpPoint point;
  point.counts = {1, 2, 3};
  point.bounds = {0.5, 10};
  std::vector<OtlpBucket> buckets;
  EXPECT_EQ(BucketsOfBounds(point, &buckets), "");
  EXPECT_THAT(buckets, ElementsAre(OtlpBucket{0.5, 1}, OtlpBucket{10, 3}));

  EXPECT_EQ(BucketsOfBounds({}, &buckets), "") << "a histogram may have a sum and a count alone";
  EXPECT_THAT(buckets, IsEmpty());
}

TEST(OtlpBucketsTest, WhatIsWrongWithBoundsIsSaid) {
  std::vector<OtlpBucket> buckets;
  OtlpPoint point;
  point.counts = {1, 2};
  EXPECT_THAT(BucketsOfBounds(point, &buckets), HasSubstr("got 2 counts of buckets with 0 bounds"));
  point.counts = {1, 2, 3};
  point.bounds = {2, 2};
  EXPECT_THAT(BucketsOfBounds(point, &buckets), HasSubstr("expected bounds that rise"));
  point.bounds = {2, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THAT(BucketsOfBounds(point, &buckets), HasSubstr("expected bounds that rise"));
}

TEST(OtlpBucketsTest, FinerBucketsAreAddedUp) {
  OtlpPoint point;
  point.scale = 1;  // bounds are 2^(n/2): (0.7,1] (1,1.4] (1.4,2] (2,2.8]
  point.positive = {.offset = -1, .counts = {1, 0, 2, 3}};
  EXPECT_THAT(Powers(point), ElementsAre(OtlpBucket{1, 1}, OtlpBucket{2, 3}, OtlpBucket{4, 6}));
}

TEST(OtlpBucketsTest, CoarserBucketsKeepTheirBounds) {
  OtlpPoint point;
  point.scale = -1;  // (0.25,1] (1,4] (4,16]
  point.positive = {.offset = -1, .counts = {0, 5, 0, 2, 0}};
  EXPECT_THAT(Powers(point), ElementsAre(OtlpBucket{4, 5}, OtlpBucket{16, 5}, OtlpBucket{64, 7}));
}

TEST(OtlpBucketsTest, NegativeValuesAndZeroComeFirst) {
  OtlpPoint point;
  point.zero_count = 4;
  point.zero_threshold = 0.125;
  point.negative = {.offset = 0, .counts = {1, 2}};  // [-2,-1) [-4,-2)
  point.positive = {.offset = 1, .counts = {8}};
  EXPECT_THAT(Powers(point), ElementsAre(OtlpBucket{-2, 2}, OtlpBucket{-1, 3}, OtlpBucket{0.125, 7},
                                         OtlpBucket{4, 15}));
}

TEST(OtlpBucketsTest, IndicesBeyondDoublesDoNoHarm) {
  constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
  for (const int32_t scale : {-kMost, -20, -1, 0, 1, 31, kMost}) {
    for (const int32_t offset : {-kMost, -1, 0, kMost}) {
      OtlpPoint point;
      point.scale = scale;
      point.positive = point.negative = {.offset = offset, .counts = {1, 1}};
      for (const OtlpBucket& bucket : Powers(point))
        EXPECT_TRUE(std::isfinite(bucket.le) && bucket.count <= 4) << scale << " " << offset;
    }
  }
}

TEST(OtlpBucketsTest, PowersOfEveryScaleHoldTheirValues) {
  for (int32_t scale = -4; scale <= 8; ++scale) {
    for (const double value : {0.003, 0.5, 0.9, 1.5, 3.9, 100.0, 12345.0}) {
      const double position = std::log2(value) * std::ldexp(1.0, scale);
      OtlpPoint point;
      point.scale = scale;
      point.positive = {.offset = static_cast<int32_t>(std::ceil(position)) - 1, .counts = {1}};
      const std::vector<OtlpBucket> buckets = Powers(point);
      ASSERT_EQ(buckets.size(), 1U);
      EXPECT_LE(value, buckets[0].le) << scale;
      EXPECT_TRUE(scale < 0 || value > buckets[0].le / 2) << scale << " " << value;
    }
  }
}

}  // namespace
}  // namespace otlp_buckets_test
}  // namespace hourcell
