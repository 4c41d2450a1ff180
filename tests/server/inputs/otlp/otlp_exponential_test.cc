#include "server/inputs/otlp/otlp_exponential.h"

#include <limits>
#include <string>

#include <gmock/gmock.h>

namespace hourcell::otlp_exponential_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr OtlpMetric kDelta = {.name = "m", .temporality = 1};

TEST(OtlpExponentialTest, LeavesBucketsWithoutValuesOut) {
  OtlpPoint point;
  point.scale = 2;
  point.positive = {.offset = -3, .counts = {1, 0, 0, 4}};
  ExponentialHistogram histogram;
  EXPECT_EQ(ExponentialOf(kDelta, point, &histogram), "");
  EXPECT_EQ(histogram.scale, 2);
  EXPECT_FALSE(histogram.is_cumulative);
  EXPECT_THAT(histogram.positive, ElementsAre(ExponentialBucket{-3, 1}, ExponentialBucket{0, 4}));
}

TEST(OtlpExponentialTest, AScaleThatIsTooHighBecomesTheHighest) {
  OtlpPoint point;
  point.scale = 22;
  point.positive = {.offset = 3, .counts = {1, 2, 4}};
  ExponentialHistogram histogram;
  EXPECT_EQ(ExponentialOf(kDelta, point, &histogram), "");
  EXPECT_EQ(histogram.scale, kExponentialScaleMax);
  EXPECT_THAT(histogram.positive, ElementsAre(ExponentialBucket{0, 1}, ExponentialBucket{1, 6}));
}

TEST(OtlpExponentialTest, FaultsAreNamed) {
  OtlpPoint point;
  point.positive = {.offset = std::numeric_limits<int32_t>::max(), .counts = {1, 1}};
  ExponentialHistogram histogram;
  EXPECT_EQ(ExponentialOf(kDelta, point, &histogram),
            "expected an index of 32 bits, got 2147483648");
  point.positive = {};
  point.zero_threshold = -1;
  EXPECT_THAT(ExponentialOf(kDelta, point, &histogram), HasSubstr("zero threshold of 0 or more"));
}

}  // namespace
}  // namespace hourcell::otlp_exponential_test
