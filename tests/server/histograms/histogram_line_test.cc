#include "server/histograms/histogram_line.h"

#include <string>

#include <gmock/gmock.h>

namespace hourcell::histogram_line_test {
namespace {

constexpr HistogramCodecs kCodecs{.simple = 42};

TEST(HistogramLineTest, TakesTextAndBase64) {
  for (const std::string value : {"o=1:0,1=42:1,5=24", "42 AAIAAAAAP4AAACo/gAAAQKAAABgAAQ=="}) {
    const auto sent = ParseHistogramLine(kCodecs, "m 1356998400 " + value + " host=a", {});
    ASSERT_TRUE(sent.ok()) << sent.error().text;
    EXPECT_EQ(sent->metric, "m");
    EXPECT_EQ(sent->timestamp.ms, 1356998400000);
    EXPECT_EQ(sent->tags.size(), 1);
    EXPECT_EQ(sent->histogram,
              (SimpleHistogram{.buckets = {{0, 1, 42}, {1, 5, 24}}, .overflow = 1}));
  }
}

TEST(HistogramLineTest, FaultsHaveTheWordsOfOpenTsdb) {
  const auto fault = [](std::string_view line) {
    return ParseHistogramLine(kCodecs, line, {}).error().text;
  };
  EXPECT_EQ(fault("m 1"), "not enough arguments (need least 5, got 3)");
  EXPECT_EQ(fault("m 1 7 AAIA a=b"), "No codec found mapped to ID 7");
  EXPECT_EQ(fault("m 1 0,1 a=b"), "Improperly formatted bucket: 0,1");
  EXPECT_EQ(fault("m x 0,1=2 a=b"), "Invalid character 'x' in x");
}

}  // namespace
}  // namespace hourcell::histogram_line_test
