#include "codec/rows/row_span.h"

#include <gtest/gtest.h>

namespace hourcell::row_span_test {
namespace {

constexpr RowSpan kDay{.seconds = 86'400};

TEST(RowSpanTest, BaseIsTheMultipleAtOrBeforeAnInstant) {
  static_assert(kHourSpan.BaseS(0) == 0);
  static_assert(kHourSpan.BaseS(3'599'999) == 0);
  static_assert(kHourSpan.BaseS(3'600'000) == 3600);
  EXPECT_EQ(kHourSpan.BaseS(1'356'998'400'000 + 10), 1'356'998'400u);
  EXPECT_EQ(kDay.BaseS(1'356'998'400'000 + 7'200'000), 1'356'998'400u);
  EXPECT_EQ(kHourSpan.BaseS(kTimestampMsMax), kHourSpan.LastBaseS());
}

TEST(RowSpanTest, RoundsTimesUpAndDown) {
  EXPECT_EQ(kHourSpan.FloorS(7199), 3600u);
  EXPECT_EQ(kHourSpan.CeilS(3601), 7200u);
  EXPECT_EQ(kHourSpan.CeilS(3600), 3600u);
  EXPECT_EQ(kHourSpan.CeilS(uint64_t{UINT32_MAX}), kHourSpan.EndOfTimeS());
  EXPECT_TRUE(kDay.IsBase(86'400));
  EXPECT_FALSE(kDay.IsBase(3600));
}

TEST(RowSpanTest, TheLastRowEndsAfter32Bits) {
  EXPECT_EQ(kHourSpan.LastBaseS() % 3600, 0u);
  EXPECT_GT(kHourSpan.EndOfTimeS(), uint64_t{UINT32_MAX});
  EXPECT_EQ(kHourSpan.EndS(3600), 7200u);
  EXPECT_EQ(kHourSpan.ms(), 3'600'000u);
  EXPECT_FALSE(RowSpan().is_by_time());
}

}  // namespace
}  // namespace hourcell::row_span_test
