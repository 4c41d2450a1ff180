#include "codec/histograms/histogram_text.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/codec/histograms/histogram_vectors.h"

namespace hourcell::histogram_text_test {
namespace {

TEST(HistogramTextTest, VectorsOfTelnet) {
  int run = 0;
  for (const TestVector& vector : VectorsOfKind("histogram-codec", "telnet")) {
    SCOPED_TRACE(TextOf(vector.given, "text"));
    const Parsed<SimpleHistogram> histogram = ParseHistogramText(TextOf(vector.given, "text"));
    ++run;
    ASSERT_EQ(histogram.ok(), !vector.wants_error());
    if (!histogram.ok()) continue;
    EXPECT_EQ(*histogram, HistogramOf(vector.expect["histogram"]));
  }
  EXPECT_EQ(run, 9);
}

TEST(HistogramTextTest, VectorsOfNames) {
  int run = 0;
  for (const TestVector& vector : VectorsOfKind("histogram-percentile", "names")) {
    SCOPED_TRACE(vector.from);
    std::vector<double> percentiles = NumbersOf(vector.given["percentiles"]);
    std::ranges::sort(percentiles);
    std::vector<std::string> names;
    for (const double percentile : percentiles)
      names.push_back(PercentileSeriesName(TextOf(vector.given, "metric"), percentile));
    std::vector<std::string> expected;
    for (const simdjson::dom::element name : ElementsOf(vector.expect["names"]))
      expected.emplace_back(name.get_string().value());
    EXPECT_EQ(names, expected);
    ++run;
  }
  EXPECT_EQ(run, 2);
}

TEST(HistogramTextTest, BucketsAreNamedByTheirBounds) {
  EXPECT_EQ(BucketSeriesName("m", {.lower = -1.5, .upper = 0.1F}), "m_-1.5_0.1");
  EXPECT_EQ(BucketSeriesName("m", {.lower = 1e7F, .upper = HUGE_VALF}), "m_1.0E7_Infinity");
  EXPECT_EQ(UnderflowSeriesName("m"), "m_UNDERFLOW");
  EXPECT_EQ(OverflowSeriesName("m"), "m_OVERFLOW");
}

TEST(HistogramTextTest, FaultsHaveTheWordsOfOpenTsdb) {
  const auto fault = [](std::string_view text) { return ParseHistogramText(text).error().text; };
  EXPECT_EQ(fault(""), "empty histogram value");
  EXPECT_EQ(fault("0,1=42;1,5=24"), "Improperly formatted bucket: 0,1=42;1,5=24");
  EXPECT_EQ(fault("u=1:0,1"), "Improperly formatted bucket: 0,1");
  EXPECT_EQ(fault("u=1::o=2"), "Improperly formatted bucket: ");
  EXPECT_EQ(fault("0,1=-1"), "Negative count -1 of bucket: 0,1");
  EXPECT_EQ(fault("NaN,1=1"), "Bound is not a number: NaN");
}

}  // namespace
}  // namespace hourcell::histogram_text_test
