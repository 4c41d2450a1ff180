#include "server/histograms/sent_histogram.h"

#include <string>

#include <gmock/gmock.h>

namespace hourcell::sent_histogram_test {
namespace {

using testing::HasSubstr;

constexpr HistogramCodecs kCodecs{.simple = 42};

TEST(SentHistogramTest, TakesTheBytesOfTheCodecWithoutItsId) {
  const auto histogram = DecodeSentValue(kCodecs, 42, "AAIAAAAAP4AAACo/gAAAQKAAABgAAQ==");
  ASSERT_TRUE(histogram.ok()) << histogram.error().text;
  EXPECT_EQ(*histogram, (SimpleHistogram{.buckets = {{0, 1, 42}, {1, 5, 24}}, .overflow = 1}));
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
