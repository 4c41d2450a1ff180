#include "server/histograms/histogram_line.h"

#include <string>

#include <gmock/gmock.h>

namespace hourcell::histogram_line_test {
namespace {

constexpr HistogramCodecs kCodecs{.simple = 42};

TEST(HistogramLineTest, TakesTextAndBase64) {
  for (const std::string value : {"o=1:0,1=42:1,5=24", "42 AAIAAAAAP4AAACo/gAAAQKAAABgAAQ=="}) {
    const auto sent =
        ParseHistogramLine(kCodecs, "m 1356998400 " + value + " host=a", PointSyntax::kTelnet, {});
    ASSERT_TRUE(sent.ok()) << sent.error().text;
    EXPECT_EQ(sent->metric, "m");
    EXPECT_EQ(sent->timestamp.ms, 1356998400000);
    EXPECT_EQ(sent->tags.size(), 1);
    EXPECT_EQ(sent->codec, 42);
    EXPECT_EQ(std::get<SimpleHistogram>(sent->histogram),
              (SimpleHistogram{.buckets = {{0, 1, 42}, {1, 5, 24}}, .overflow = 1}));
  }
}

TEST(HistogramLineTest, FaultsHaveTheWordsOfOpenTsdb) {
  const auto fault = [](std::string_view line) {
    return ParseHistogramLine(kCodecs, line, PointSyntax::kTelnet, {}).error().text;
  };
  EXPECT_EQ(fault("m 1"), "not enough arguments (need least 5, got 3)");
  EXPECT_EQ(fault("m 1 7 AAIA a=b"), "No codec found mapped to ID 7");
  EXPECT_EQ(fault("m 1 0,1 a=b"), "Improperly formatted bucket: 0,1");
  EXPECT_EQ(fault("m x 0,1=2 a=b"), "Invalid character 'x' in x");
}

TEST(HistogramLineTest, AnExportedLineReadsBack) {
  const SimpleHistogram simple{.buckets = {{0, 1, 42}}, .underflow = -1};
  const ExponentialHistogram exponential{
      .scale = 3, .count = 5, .sum = 10.5, .positive = {{-2, 5}}};
  const TagView plain[] = {{.key = "host", .value = "a"}};
  const TagView odd[] = {{.key = "k=1", .value = "x \\ \"y\""}, {.key = "a", .value = "b"}};
  const HistogramPoint sent[] = {
      {.point = {.metric = "m", .tags = plain, .timestamp = {.ms = 1356998400000}, .value = {}},
       .histogram = &simple,
       .codec = 7},
      {.point = {.metric = "disk usage",
                 .tags = odd,
                 .timestamp = {.ms = 1500, .is_ms = true},
                 .value = {}},
       .exponential = &exponential},
      // Its metric looks like a time.
      {.point = {.metric = "123", .tags = plain, .timestamp = {.ms = 1000}, .value = {}},
       .exponential = &exponential}};
  for (const HistogramPoint& one : sent) {
    std::string line;
    AppendHistogramLine(one, &line);
    SCOPED_TRACE(line);
    EXPECT_TRUE(IsHistogramLine(line));
    EXPECT_LE(line.size(), kHistogramLineBytesMax);

    const auto read = ParseHistogramLine({.has_any_id = true}, line.substr(line.find(' ') + 1),
                                         PointSyntax::kImport, {});

    ASSERT_TRUE(read.ok()) << read.error().text;
    std::string again;
    AppendHistogramLine(HistogramPoints({&*read, 1}).points()[0], &again);
    EXPECT_EQ(again, line);
  }
}

TEST(HistogramLineTest, TheLongestHistogramFitsInALine) {
  SimpleHistogram longest{.underflow = -1, .overflow = -1};
  for (size_t i = 0; i < kHistogramBucketsMax; ++i)
    longest.buckets.push_back({static_cast<float>(i), static_cast<float>(i + 1), INT64_MAX});
  ExponentialHistogram spread{.has_float_counts = true, .sum = 1.0, .min = 1.0, .max = 1.0};
  for (size_t i = 0; i < kExponentialBucketsMax; ++i) {
    spread.positive.push_back({static_cast<int32_t>(i) * 60'000 - 1'000'000'000, 0.5});
    spread.count += 0.5L;
  }
  for (const HistogramPoint& one : {HistogramPoint{.point = {}, .histogram = &longest},
                                    HistogramPoint{.point = {}, .exponential = &spread}}) {
    std::string line;
    AppendHistogramLine(one, &line);
    EXPECT_LE(line.size(), kHistogramLineBytesMax * 3 / 4);
  }
}

TEST(HistogramLineTest, APointOfTheMetricHistogramIsNoHistogram) {
  EXPECT_FALSE(IsHistogramLine("histogram 1356998400 1 host=a"));
  EXPECT_FALSE(IsHistogramLine("histogram_x m 1356998400 42 AAIA host=a"));
  EXPECT_TRUE(IsHistogramLine("histogram m 1356998400 42 AAIA host=a"));
  EXPECT_TRUE(IsHistogramLine("histogram m"));
}

}  // namespace
}  // namespace hourcell::histogram_line_test
