#include "server/inputs/otlp/otlp_metrics.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::otlp_metrics_test {
namespace {

TEST(OtlpMetricsTest, NumbersAreAsPrometheusWritesThem) {
  EXPECT_EQ(OtlpNumberText(0), "0");
  EXPECT_EQ(OtlpNumberText(0.005), "0.005");
  EXPECT_EQ(OtlpNumberText(1e21), "1000000000000000000000");
  EXPECT_EQ(OtlpNumberText(-2.5), "-2.5");
  EXPECT_EQ(OtlpNumberText(std::numeric_limits<double>::infinity()), "+Inf");
  EXPECT_EQ(OtlpNumberText(-std::numeric_limits<double>::infinity()), "-Inf");
  EXPECT_EQ(OtlpNumberText(std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_GE(OtlpNumberText(-std::numeric_limits<double>::denorm_min()).size(), 300U);
  EXPECT_GE(OtlpNumberText(std::numeric_limits<double>::max()).size(), 300U);
}

TEST(OtlpMetricsTest, AttributesHaveABound) {
  OtlpAttributes attributes;
  for (size_t i = 0; i < kOtlpAttributesMax; ++i)
    attributes.AddOwned("key", "value");
  EXPECT_FALSE(attributes.too_many());

  attributes.Add("empty", "");
  EXPECT_FALSE(attributes.too_many());
  attributes.AddOwned("key", "value");
  EXPECT_TRUE(attributes.too_many());
  EXPECT_EQ(attributes.tags().size(), kOtlpAttributesMax);
  EXPECT_EQ(attributes.tags().back(), (TagView{.key = "key", .value = "value"}));

  attributes.Clear();
  EXPECT_FALSE(attributes.too_many());
  EXPECT_THAT(attributes.tags(), testing::IsEmpty());
}

}  // namespace
}  // namespace hourcell::otlp_metrics_test
