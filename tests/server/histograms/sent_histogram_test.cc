#include "server/histograms/sent_histogram.h"

#include <string>

#include <gmock/gmock.h>

namespace hourcell::sent_histogram_test {
namespace {

using testing::HasSubstr;

constexpr HistogramCodecs kCodecs{.simple = 42};
const SimpleHistogram kEmpty;

TEST(SentHistogramTest, TakesTheBytesOfTheCodecWithoutItsId) {
  const auto histogram = DecodeSentValue(kCodecs, 42, "AAIAAAAAP4AAACo/gAAAQKAAABgAAQ==");
  ASSERT_TRUE(histogram.ok()) << histogram.error().text;
  EXPECT_EQ(std::get<SimpleHistogram>(*histogram),
            (SimpleHistogram{.buckets = {{0, 1, 42}, {1, 5, 24}}, .overflow = 1}));
}

TEST(SentHistogramTest, ExponentialHistogramsNeedNoCodecAndComeBackBitForBit) {
  const ExponentialHistogram histogram{.scale = 6,
                                       .has_float_counts = true,
                                       .is_cumulative = true,
                                       .zero_threshold = 1e-300,
                                       .zero_count = 0.1,
                                       .count = 2.6,
                                       .sum = -0.0,
                                       .positive = {{-7, 0.5}, {9, 2}}};
  const HistogramPoint one{.point = {}, .exponential = &histogram};

  const auto again = DecodeSentValue({}, kExponentialHistogramId, EncodeSentValue(one));

  ASSERT_TRUE(again.ok()) << again.error().text;
  std::string bytes;
  AppendExponentialHistogram(histogram, &bytes);
  std::string bytes_again;
  AppendExponentialHistogram(std::get<ExponentialHistogram>(*again), &bytes_again);
  EXPECT_EQ(bytes_again, bytes);
}

TEST(SentHistogramTest, AnyIdIsAskedForByACopy) {
  const std::string base64 = EncodeSentValue({.point = {}, .histogram = &kEmpty});

  EXPECT_TRUE(DecodeSentValue({.has_any_id = true}, 7, base64).ok());
  EXPECT_EQ(DecodeSentValue({}, 7, base64).error().text, kHistogramsAreOff);
}

TEST(SentHistogramTest, NamesTheFault) {
  const auto fault = [](int64_t id, std::string_view base64) {
    return DecodeSentValue(kCodecs, id, base64).error().text;
  };
  EXPECT_EQ(fault(256, ""), "Invalid type. Must be from 0 to 255.");
  EXPECT_EQ(fault(-1, ""), "Invalid type. Must be from 0 to 255.");
  EXPECT_EQ(fault(0, ""), "No codec found mapped to ID 0");
  EXPECT_EQ(fault(42, "A"), "Value is not base64: A");
  EXPECT_THAT(fault(42, "AAIA"), HasSubstr("cut short at 3 bytes"));
}

}  // namespace
}  // namespace hourcell::sent_histogram_test
