#include "promql/values/histogram_quantile.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/promql/values/column_text.h"

namespace hourcell::promql {
namespace {

std::string QuantileText(double quantile, std::vector<Bucket> buckets) {
  return NumberText(BucketQuantile(quantile, buckets));
}

TEST(HistogramQuantileTest, InterpolatesWithinABucket) {
  const std::vector<Bucket> buckets{{kTestInfinity, 10}, {1, 2}, {2, 6}, {4, 9}};

  EXPECT_EQ(QuantileText(0.1, buckets), "0.5");
  EXPECT_EQ(QuantileText(0.5, buckets), "1.75");
  EXPECT_EQ(QuantileText(0.75, buckets), "3");
  EXPECT_EQ(QuantileText(0, buckets), "0");
}

TEST(HistogramQuantileTest, TheLastBoundIsTheLargestResult) {
  EXPECT_EQ(QuantileText(0.99, {{1, 2}, {4, 9}, {kTestInfinity, 10}}), "4");
  EXPECT_EQ(QuantileText(1, {{1, 2}, {4, 9}, {kTestInfinity, 10}}), "4");
}

TEST(HistogramQuantileTest, AFirstBoundThatIsNotPositiveIsTheResult) {
  EXPECT_EQ(QuantileText(0.1, {{-5, 4}, {1, 8}, {kTestInfinity, 8}}), "-5");
  EXPECT_EQ(QuantileText(0.1, {{0, 4}, {1, 8}, {kTestInfinity, 8}}), "0");
}

TEST(HistogramQuantileTest, QuantilesOutsideTheUnitIntervalAreInfinite) {
  const std::vector<Bucket> buckets{{1, 2}, {kTestInfinity, 4}};

  EXPECT_EQ(QuantileText(-0.1, buckets), "-Inf");
  EXPECT_EQ(QuantileText(1.1, buckets), "+Inf");
  EXPECT_EQ(QuantileText(kTestNan, buckets), "NaN");
}

TEST(HistogramQuantileTest, ThereIsNoQuantileWithoutAnInfiniteBucketOrValues) {
  EXPECT_EQ(QuantileText(0.5, {}), "NaN");
  EXPECT_EQ(QuantileText(0.5, {{1, 2}, {2, 4}}), "NaN");
  EXPECT_EQ(QuantileText(0.5, {{kTestInfinity, 4}}), "NaN");
  EXPECT_EQ(QuantileText(0.5, {{1, 0}, {kTestInfinity, 0}}), "NaN");
  EXPECT_EQ(QuantileText(0.5, {{kTestNan, 1}, {kTestInfinity, 4}}), "NaN");
}

TEST(HistogramQuantileTest, CountsOfEqualBoundsAreAdded) {
  EXPECT_EQ(QuantileText(0.5, {{1, 1}, {2, 6}, {1, 3}, {kTestInfinity, 6}}), "0.75");
}

TEST(HistogramQuantileTest, CountsThatFallAreRaised) {
  EXPECT_EQ(QuantileText(0.5, {{1, 2}, {2, 1}, {4, 8}, {kTestInfinity, 7}}),
            QuantileText(0.5, {{1, 2}, {2, 2}, {4, 8}, {kTestInfinity, 8}}));
}

}  // namespace
}  // namespace hourcell::promql
