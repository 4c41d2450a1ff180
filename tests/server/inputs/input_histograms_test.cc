#include "server/inputs/input_histograms.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

namespace hourcell::input_histograms_test {
namespace {

TEST(InputHistogramsTest, HasTheNamesOfEachAndDropsEqualTags) {
  InputHistograms histograms;
  histograms.Add(
      {.metric = "m", .tags = "\1a\1x\1b\1y z\1a\1x", .timestamp = {.ms = 5000}, .value = {}},
      {.count = 7}, 3);
  const std::vector<HistogramPoint> points = histograms.points();
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].point.metric, "m");
  ASSERT_EQ(points[0].point.tags.size(), 2U);
  EXPECT_EQ(points[0].point.tags[1].key, "b");
  EXPECT_EQ(points[0].point.tags[1].value, "y z");
  EXPECT_EQ(points[0].exponential->count, 7);
  EXPECT_EQ(histograms.ItemOf(0), 3U);
}

TEST(InputHistogramsTest, IsFullByHistogramsOrByBuckets) {
  InputHistograms histograms;
  const LinePoint point{.metric = "m", .tags = "\1a\1x", .timestamp = {}, .value = {}};
  for (size_t i = 1; i < kInputHistogramsMax; ++i)
    histograms.Add(point, {}, i);
  EXPECT_FALSE(histograms.is_full());
  histograms.Add(point, {}, 0);
  EXPECT_TRUE(histograms.is_full());
  histograms.Clear();
  EXPECT_TRUE(histograms.empty());
  ExponentialHistogram wide;
  wide.positive.resize(kInputBucketsMax);
  histograms.Add(point, std::move(wide), 0);
  EXPECT_TRUE(histograms.is_full());
}

}  // namespace
}  // namespace hourcell::input_histograms_test
