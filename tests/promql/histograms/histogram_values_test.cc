#include "promql/histograms/histogram_values.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::promql::histogram_values_test {
namespace {

using testing::ElementsAre;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 2 values in [-4, -2), 3 in the zero bucket, 4 in (1, 2], 1 in (2, 4].
NativeHistogram Example() {
  return {.schema = 0,
          .zero_threshold = 0.5,
          .zero_count = 3,
          .count = 10,
          .sum = 7,
          .positive = {{0, 4}, {1, 1}},
          .negative = {{1, 2}}};
}

std::vector<std::string> BucketsOf(const NativeHistogram& histogram) {
  std::vector<std::string> texts;
  VisitBuckets(histogram, [&](const ValueRange& bucket) {
    texts.push_back(fmt::format("{}{},{}{}:{}", bucket.has_lower ? '[' : '(', bucket.lower,
                                bucket.upper, bucket.has_upper ? ']' : ')', bucket.count));
    return true;
  });
  return texts;
}

TEST(HistogramValuesTest, BucketsAreVisitedFromTheLowestOne) {
  EXPECT_THAT(BucketsOf(Example()), ElementsAre("[-4,-2):2", "[-0.5,0.5]:3", "(1,2]:4", "(2,4]:1"));
}

TEST(HistogramValuesTest, BucketsAreCutAtTheZeroBucket) {
  NativeHistogram histogram = Example();
  histogram.zero_threshold = 1.5;
  histogram.negative = {{0, 2}};

  EXPECT_THAT(BucketsOf(histogram),
              ElementsAre("[-2,-1.5):2", "[-1.5,1.5]:3", "(1.5,2]:4", "(2,4]:1"));
}

TEST(HistogramValuesTest, AVisitMayEnd) {
  size_t visited = 0;
  VisitBuckets(Example(), [&](const ValueRange&) { return ++visited < 2; });
  EXPECT_EQ(visited, 2);
}

TEST(HistogramValuesTest, QuantilesAreLinearWithinABucket) {
  EXPECT_EQ(NativeQuantile(0.1, Example()), -3);
  EXPECT_EQ(NativeQuantile(0.35, Example()), 0);
  EXPECT_EQ(NativeQuantile(0.7, Example()), 1.5);
  EXPECT_EQ(NativeQuantile(1, Example()), 4);
  EXPECT_EQ(NativeQuantile(0, Example()), -4);
}

TEST(HistogramValuesTest, QuantilesOutsideOfZeroToOneAreInfinite) {
  EXPECT_EQ(NativeQuantile(-0.1, Example()), -kInfinity);
  EXPECT_EQ(NativeQuantile(1.1, Example()), kInfinity);
  EXPECT_TRUE(std::isnan(NativeQuantile(NAN, Example())));
  EXPECT_TRUE(std::isnan(NativeQuantile(0.5, NativeHistogram())));
}

TEST(HistogramValuesTest, AZeroBucketHasOnlyTheSideOfTheOtherBuckets) {
  NativeHistogram positive = Example();
  positive.negative = {};
  positive.count = 8;
  NativeHistogram negative = Example();
  negative.positive = {};
  negative.count = 5;

  EXPECT_EQ(NativeQuantile(0, positive), 0);
  EXPECT_EQ(NativeQuantile(1, negative), 0);
  EXPECT_EQ(NativeFraction(-kInfinity, 0.25, positive), 1.5 / 8);
}

TEST(HistogramValuesTest, ValuesInNoBucketAreAboveTheLastOne) {
  NativeHistogram histogram = Example();
  histogram.count = 20;  // ten are NaN

  EXPECT_EQ(NativeQuantile(0.9, histogram), 4);
}

TEST(HistogramValuesTest, AFractionIsLinearWithinABucket) {
  EXPECT_EQ(NativeFraction(-kInfinity, kInfinity, Example()), 1);
  EXPECT_EQ(NativeFraction(-3, 0, Example()), (1 + 1.5) / 10);
  EXPECT_EQ(NativeFraction(1, 1.5, Example()), 0.2);
  EXPECT_EQ(NativeFraction(5, 6, Example()), 0);
  EXPECT_EQ(NativeFraction(2, 1, Example()), 0);
  EXPECT_TRUE(std::isnan(NativeFraction(NAN, 1, Example())));
  EXPECT_TRUE(std::isnan(NativeFraction(0, 1, NativeHistogram())));
}

}  // namespace
}  // namespace hourcell::promql::histogram_values_test
