#include "promql/histograms/native_histogram.h"

#include <limits>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace hourcell::promql::native_histogram_test {
namespace {

NativeHistogram Of(int schema, std::vector<NativeBucket> positive) {
  NativeHistogram histogram{.schema = schema, .positive = std::move(positive)};
  for (const NativeBucket& bucket : histogram.positive)
    histogram.count += bucket.count;
  histogram.sum = 2 * histogram.count;
  return histogram;
}

// The digits are those that Prometheus 2.42 prints.
TEST(NativeHistogramTest, BoundsHaveTheDigitsOfPrometheus) {
  EXPECT_EQ(NativeBound(0, 3), 8);
  EXPECT_EQ(NativeBound(0, -1), 0.5);
  EXPECT_EQ(NativeBound(-4, 1), 65536);
  EXPECT_EQ(NativeBound(-4, -1), 0x1p-16);
  EXPECT_EQ(fmt::format("{}", NativeBound(1, -1)), "0.7071067811865475");
  EXPECT_EQ(fmt::format("{}", NativeBound(2, 3)), "1.6817928305074288");
  EXPECT_EQ(fmt::format("{}", NativeBound(8, 1)), "1.0027112750502025");
  EXPECT_EQ(fmt::format("{}", NativeBound(8, 255)), "1.9945921121709396");
  EXPECT_EQ(NativeBound(10, 4 * 255), NativeBound(8, 255));
}

TEST(NativeHistogramTest, TheLastBucketBeforeInfinityEndsAtTheLargestDouble) {
  EXPECT_EQ(NativeBound(0, 1024), std::numeric_limits<double>::max());
  EXPECT_EQ(NativeBound(3, 8 * 1024), std::numeric_limits<double>::max());
  EXPECT_EQ(NativeBound(-4, 64), std::numeric_limits<double>::max());
  EXPECT_EQ(NativeBound(0, 1025), std::numeric_limits<double>::infinity());
  EXPECT_EQ(NativeBound(-11, 1), std::numeric_limits<double>::infinity());
  EXPECT_EQ(NativeBound(-11, -1), 0);
  EXPECT_EQ(NativeBound(0, std::numeric_limits<int32_t>::max()),
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(NativeBound(0, std::numeric_limits<int32_t>::min()), 0);
}

TEST(NativeHistogramTest, ALowerSchemaMergesNeighbors) {
  const NativeHistogram fine = Of(1, {{-1, 1}, {0, 2}, {1, 4}, {2, 8}});

  const NativeHistogram coarse = WithSchema(fine, 0);

  EXPECT_EQ(coarse,
            (NativeHistogram{
                .schema = 0, .count = 15, .sum = 30, .positive = {{-1, 1}, {0, 6}, {1, 8}}}));
  EXPECT_EQ(WithSchema(fine, 1), fine);
}

TEST(NativeHistogramTest, ASumHasTheLowerSchemaAndTheWiderZeroBucket) {
  NativeHistogram fine = Of(1, {{0, 1}, {2, 2}, {4, 3}});
  fine.zero_threshold = 0.25;
  fine.zero_count = 5;
  NativeHistogram wide = Of(0, {{1, 10}, {3, 20}});
  wide.zero_threshold = 2;
  wide.zero_count = 7;

  const NativeHistogram sum = SumOf(fine, wide);

  EXPECT_EQ(sum, SumOf(wide, fine));
  EXPECT_EQ(sum, (NativeHistogram{.schema = 0,
                                  .zero_threshold = 2,
                                  .zero_count = 5 + 7 + 1,
                                  .count = 36,
                                  .sum = 72,
                                  .positive = {{1, 12}, {2, 3}, {3, 20}}}));
}

TEST(NativeHistogramTest, AZeroBucketEndsAtTheEndOfABucketWithValues) {
  NativeHistogram histogram = Of(0, {{0, 1}, {2, 2}});
  const NativeHistogram wide{.zero_threshold = 1.25, .zero_count = 7, .count = 7};

  AddHistogram(wide, &histogram);

  EXPECT_EQ(histogram.zero_threshold, 2);
  EXPECT_EQ(histogram.zero_count, 8);
  EXPECT_EQ(histogram.positive, (std::vector<NativeBucket>{{2, 2}}));
}

TEST(NativeHistogramTest, AZeroBucketGrowsByNegativeBucketsToo) {
  NativeHistogram histogram = Of(0, {{0, 1}, {1, 2}});
  histogram.negative = {{0, 4}, {2, 8}};
  NativeHistogram wide{.zero_threshold = 5, .zero_count = 1, .count = 1};

  AddHistogram(wide, &histogram);

  EXPECT_EQ(histogram.zero_threshold, 8);
  EXPECT_EQ(histogram.zero_count, 1 + 1 + 2 + 4 + 8);
  EXPECT_TRUE(histogram.positive.empty());
  EXPECT_TRUE(histogram.negative.empty());
}

TEST(NativeHistogramTest, ADifferenceKeepsBucketsUntilTheyAreRemoved) {
  NativeHistogram histogram = Of(0, {{0, 5}, {1, 2}});

  SubtractHistogram(Of(0, {{1, 2}, {2, 1}}), &histogram);

  EXPECT_EQ(histogram.positive, (std::vector<NativeBucket>{{0, 5}, {1, 0}, {2, -1}}));
  EXPECT_EQ(histogram.count, 4);
  EXPECT_EQ(histogram.sum, 8);
  RemoveEmptyBuckets(&histogram);
  ScaleHistogram(0.5, &histogram);
  EXPECT_EQ(histogram.positive, (std::vector<NativeBucket>{{0, 2.5}, {2, -0.5}}));
  EXPECT_EQ(histogram.count, 2);
}

TEST(NativeHistogramTest, ALowerCountOfAnyBucketIsAReset) {
  const NativeHistogram before = Of(1, {{0, 3}, {1, 2}});

  EXPECT_FALSE(IsHistogramReset(before, before));
  EXPECT_FALSE(IsHistogramReset(before, Of(1, {{0, 3}, {1, 2}, {5, 1}})));
  EXPECT_FALSE(IsHistogramReset(before, Of(0, {{0, 5}}))) << "a lower resolution";
  EXPECT_TRUE(IsHistogramReset(before, Of(1, {{0, 2}, {1, 9}})));
  EXPECT_TRUE(IsHistogramReset(before, Of(1, {{0, 9}})));
  EXPECT_TRUE(IsHistogramReset(before, Of(2, {{0, 9}, {1, 9}, {2, 9}}))) << "a higher resolution";
  EXPECT_TRUE(IsHistogramReset(before, Of(1, {})));
}

TEST(NativeHistogramTest, AZeroBucketThatCoversNoWholeBucketsIsAReset) {
  NativeHistogram before = Of(0, {{0, 3}, {2, 2}});
  before.zero_threshold = 0.5;
  before.zero_count = 1;
  const auto after = [](double threshold, double zero_count) {
    NativeHistogram histogram = Of(0, {{2, 20}});
    histogram.zero_threshold = threshold;
    histogram.zero_count = zero_count;
    return histogram;
  };

  EXPECT_FALSE(IsHistogramReset(before, after(2, 4)));
  EXPECT_FALSE(IsHistogramReset(before, after(3, 4))) << "within an empty bucket";
  EXPECT_TRUE(IsHistogramReset(before, after(2, 3)));
  EXPECT_TRUE(IsHistogramReset(before, after(1.5, 9)));
  EXPECT_TRUE(IsHistogramReset(before, after(0.25, 9)));
}

}  // namespace
}  // namespace hourcell::promql::native_histogram_test
