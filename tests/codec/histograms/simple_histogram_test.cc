#include "codec/histograms/simple_histogram.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "codec/base/random.h"
#include "codec/object_qualifier.h"
#include "codec/text/point_text.h"
#include "tests/codec/histograms/histogram_vectors.h"
#include "tests/support/status_matchers.h"

namespace hourcell::simple_histogram_test {
namespace {

using testing::HasSubstr;

std::string BytesOfHistogram(const SimpleHistogram& histogram) {
  std::string bytes;
  AppendSimpleHistogram(histogram, &bytes);
  return bytes;
}

// The histogram in stored bytes, which may begin with the ID of the codec.
absl::StatusOr<SimpleHistogram> Decoded(const TestVector& vector) {
  std::string bytes = BytesOf(vector.given, "bytes");
  if (Has(vector.given, "codec_id")) {
    EXPECT_EQ(static_cast<uint8_t>(bytes.front()), IntOf(vector.given, "codec_id"));
    bytes.erase(0, 1);
  }
  return ParseSimpleHistogram(bytes);
}

TEST(SimpleHistogramTest, VectorsOfEncoding) {
  int run = 0;
  for (const TestVector& vector : VectorsOfKind("histogram-codec", "encode")) {
    SCOPED_TRACE(vector.from);
    const SimpleHistogram histogram = HistogramOf(vector.given["histogram"]);
    EXPECT_EQ(ToHex(BytesOfHistogram(histogram)), TextOf(vector.expect, "bytes"));
    EXPECT_EQ(ParseSimpleHistogram(BytesOfHistogram(histogram)).value(), histogram);
    ++run;
  }
  EXPECT_EQ(run, 2);
}

TEST(SimpleHistogramTest, VectorsOfDecoding) {
  int run = 0;
  for (const TestVector& vector : VectorsOfKind("histogram-codec", "decode")) {
    SCOPED_TRACE(vector.from);
    const absl::StatusOr<SimpleHistogram> histogram = Decoded(vector);
    ++run;
    EXPECT_EQ(histogram.ok(), !vector.wants_error());
    if (!histogram.ok()) continue;
    EXPECT_EQ(*histogram, HistogramOf(vector.expect["histogram"]));
  }
  EXPECT_EQ(run, 4);
}

TEST(SimpleHistogramTest, VectorsOfCounts) {
  constexpr size_t kBytesBeforeUnderflow = 2;
  int run = 0;
  for (const TestVector& vector : VectorsOfKind("histogram-codec", "varint")) {
    SCOPED_TRACE(vector.from);
    const SimpleHistogram histogram{.underflow = IntOf(vector.given, "value")};
    std::string bytes = BytesOfHistogram(histogram);
    EXPECT_EQ(ParseSimpleHistogram(bytes).value(), histogram);
    bytes.pop_back();  // the overflow
    EXPECT_EQ(ToHex(bytes.substr(kBytesBeforeUnderflow)), TextOf(vector.expect, "bytes"));
    ++run;
  }
  EXPECT_EQ(run, 7);
}

TEST(SimpleHistogramTest, VectorsOfStoredBytes) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("storage.json", "histogram.simple.encode")) {
    SCOPED_TRACE(vector.from);
    std::string bytes = BytesOf(vector.expect, "bytes");
    if (Has(vector.given, "codec_id")) bytes.erase(0, 1);
    EXPECT_EQ(ToHex(BytesOfHistogram(HistogramOf(vector.given))), ToHex(bytes));
    ++run;
  }
  for (const TestVector& vector : LoadVectors("storage.json", "histogram.simple.decode")) {
    EXPECT_FALSE(Decoded(vector).ok());
    ++run;
  }
  EXPECT_EQ(run, 3);
}

TEST(SimpleHistogramTest, VectorsOfColumns) {
  int run = 0;
  for (const TestVector& vector : VectorsOfKind("histogram-codec", "qualifier")) {
    SCOPED_TRACE(vector.from);
    const auto time = TimestampFromInteger(IntOf(vector.given, "timestamp"));
    std::string bytes;
    AppendObjectQualifier(ObjectQualifierAt(kHistogramType, *time), &bytes);
    EXPECT_EQ(ToHex(bytes), TextOf(vector.expect, "qualifier"));
    ++run;
  }
  EXPECT_EQ(run, 3);
}

TEST(SimpleHistogramTest, VectorsOfPercentiles) {
  int run = 0;
  const auto check = [&run](const SimpleHistogram& histogram, const TestVector& vector) {
    SCOPED_TRACE(vector.from);
    const std::vector<double> expected = NumbersOf(vector.expect["values"]);
    std::vector<double> values;
    for (const double percentile : NumbersOf(vector.given["percentiles"]))
      values.push_back(PercentileOf(histogram, percentile));
    EXPECT_EQ(values, expected);
    ++run;
  };
  for (const TestVector& vector : VectorsOfKind("histogram-percentile", "percentile"))
    check(HistogramOf(vector.given["histogram"]), vector);
  for (const TestVector& vector : LoadVectors("storage.json", "histogram.simple.percentile"))
    check(HistogramOf(vector.given), vector);
  EXPECT_EQ(run, 5);
}

TEST(SimpleHistogramTest, VectorsOfSums) {
  int run = 0;
  const auto check = [&run](const TestVector& vector, const SimpleHistogram& expected) {
    SCOPED_TRACE(vector.from);
    SimpleHistogram sum;
    for (const simdjson::dom::element part : ElementsOf(vector.given["histograms"]))
      AddHistogram(HistogramOf(part), &sum);
    EXPECT_EQ(sum, expected);
    ++run;
  };
  for (const TestVector& vector : VectorsOfKind("histogram-percentile", "merge"))
    check(vector, HistogramOf(vector.expect["histogram"]));
  for (const TestVector& vector : LoadVectors("storage.json", "histogram.simple.sum"))
    check(vector, HistogramOf(vector.expect));
  EXPECT_EQ(run, 3);
}

TEST(SimpleHistogramTest, EveryTruncationAndEveryAddedByteIsRefused) {
  const SimpleHistogram histogram{
      .buckets = {{-5, -1.5, 3}, {-1.5, 1.75, 300}}, .underflow = 128, .overflow = 1};
  const std::string bytes = BytesOfHistogram(histogram);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(ParseSimpleHistogram(bytes.substr(0, size)).ok()) << size;
  EXPECT_FALSE(ParseSimpleHistogram(bytes + '\0').ok());
  EXPECT_EQ(ParseSimpleHistogram(bytes).value(), histogram);
}

TEST(SimpleHistogramTest, NegativeCountsAndBoundsThatAreNotNumbersAreRefused) {
  const std::string count = "00010000000040000000ffffffffffffffffff0000";
  const std::string bound = "00017fc0000040000000010000";
  const std::string many = "80000000";
  for (const auto& [hex, fault] : {std::pair{count, "expected a count of 0 or more, got -1"},
                                   std::pair{bound, "expected a bound, got NaN"},
                                   std::pair{many, "expected at most 32767 buckets, got 32768"}}) {
    const absl::Status status = ParseSimpleHistogram(FromHex(hex).value()).status();
    EXPECT_THAT(std::string(status.message()), HasSubstr(fault));
  }
}

TEST(SimpleHistogramTest, OfEqualBoundsTheLastCountStays) {
  // 1 to 2 with 5, then 0 to 1 with 6, then 1 to 2 with 7.
  const std::string bytes = FromHex(
                                "00033f8000004000000005000000003f800000063f8000004000000007"
                                "0000")
                                .value();
  const std::vector<HistogramBucket> expected = {{0, 1, 6}, {1, 2, 7}};
  EXPECT_EQ(ParseSimpleHistogram(bytes).value().buckets, expected);
}

TEST(SimpleHistogramTest, NegativeZeroIsABoundOfItsOwnAndInfinitiesAreBounds) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<HistogramBucket> buckets = {
      {0, 1, 1}, {-0.0F, 1, 2}, {-kInfinity, -0.0F, 3}, {1, kInfinity, 4}};
  SortBuckets(&buckets);
  std::vector<int64_t> counts;
  for (const HistogramBucket& bucket : buckets)
    counts.push_back(bucket.count);
  EXPECT_EQ(counts, (std::vector<int64_t>{3, 2, 1, 4}));
}

TEST(SimpleHistogramTest, ASumStaysAtTheLargestCount) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  SimpleHistogram sum{.buckets = {{0, 1, kMax}}, .overflow = 1};
  AddHistogram({.buckets = {{0, 1, 1}}, .overflow = kMax}, &sum);
  EXPECT_EQ(sum, (SimpleHistogram{.buckets = {{0, 1, kMax}}, .overflow = kMax}));
}

TEST(SimpleHistogramTest, ASumDoesNotDependOnTheOrder) {
  Random random(20240607);
  std::vector<SimpleHistogram> parts(20);
  for (SimpleHistogram& part : parts) {
    for (int i = 0; i < 8; ++i) {
      const auto lower = static_cast<float>(random.Below(10));
      part.buckets.push_back({lower, lower + 1, static_cast<int64_t>(random.Below(100))});
    }
    SortBuckets(&part.buckets);
    part.underflow = static_cast<int64_t>(random.Below(5));
  }
  SimpleHistogram first;
  for (const SimpleHistogram& part : parts)
    AddHistogram(part, &first);
  for (int round = 0; round < 10; ++round) {
    for (size_t i = parts.size(); i > 1; --i)
      std::swap(parts[i - 1], parts[random.Below(i)]);
    SimpleHistogram sum;
    for (const SimpleHistogram& part : parts)
      AddHistogram(part, &sum);
    EXPECT_EQ(sum, first);
  }
}

TEST(SimpleHistogramTest, PercentilesCountMoreThan32Bits) {
  const SimpleHistogram histogram{.buckets = {{0, 2, 6'000'000'000}, {2, 4, 4'000'000'000}}};
  EXPECT_EQ(PercentileOf(histogram, 60), 1);
  EXPECT_EQ(PercentileOf(histogram, 61), 3);
  EXPECT_EQ(PercentileOf({.overflow = 5}, 50), 0);
}

}  // namespace
}  // namespace hourcell::simple_histogram_test
