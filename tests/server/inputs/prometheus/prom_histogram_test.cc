#include "server/inputs/prometheus/prom_histogram.h"

#include <string>

#include <gmock/gmock.h>
#include <protozero/pbf_writer.hpp>

namespace hourcell::prom_histogram_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The span begins at bucket 1, which ends at base^1.
std::string NativeOf(int32_t offset, int64_t first_delta, int64_t second_delta, uint64_t hint) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  {
    protozero::pbf_writer span(message, 11);
    span.add_sint32(1, offset);
    span.add_uint32(2, 2);
  }
  message.add_sint64(12, first_delta);
  message.add_sint64(12, second_delta);
  message.add_uint64(14, hint);
  message.add_int64(15, 1000);
  return bytes;
}

TEST(PromHistogramTest, BucketsAreNumberedByTheirLowerBound) {
  const PromHistogram read = ReadPromHistogram(NativeOf(1, 2, 3, 0));
  EXPECT_EQ(read.fault, "");
  EXPECT_EQ(read.ms, 1000);
  EXPECT_THAT(read.histogram.positive,
              ElementsAre(ExponentialBucket{0, 2}, ExponentialBucket{1, 5}));
  EXPECT_TRUE(read.histogram.is_cumulative);
  EXPECT_FALSE(read.histogram.begins_anew);
}

TEST(PromHistogramTest, HintsSayWhatAHistogramCounts) {
  EXPECT_TRUE(ReadPromHistogram(NativeOf(0, 1, 1, 1)).histogram.begins_anew);
  EXPECT_FALSE(ReadPromHistogram(NativeOf(0, 1, 1, 2)).histogram.begins_anew);
  EXPECT_FALSE(ReadPromHistogram(NativeOf(0, 1, 1, 3)).histogram.is_cumulative);
}

TEST(PromHistogramTest, NegativeCountsAndWrongBucketsAreFaults) {
  EXPECT_THAT(ReadPromHistogram(NativeOf(0, 1, -2, 0)).fault,
              HasSubstr("bucket 0: expected a count above 0, got -1"));
  EXPECT_THAT(ReadPromHistogram(NativeOf(-2'147'483'647 - 1, 1, 1, 0)).fault,
              HasSubstr("expected a bucket of 32 bits, got -2147483649"));
  EXPECT_EQ(ReadPromHistogram(NativeOf(0, INT64_MAX, 1, 0)).fault,
            "expected counts of 64 bits, got larger ones");
}

}  // namespace
}  // namespace hourcell::prom_histogram_test
