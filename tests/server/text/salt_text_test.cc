#include "server/text/salt_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::salt_text_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

TEST(SaltTextTest, AnEpochBeginsAtAWholeHour) {
  EXPECT_THAT(ParseEpochStart("2027/01/01-00:00", 0), IsOkAndHolds(1798761600u));
  EXPECT_THAT(ParseEpochStart("2027/01/01-05:00:00", 0), IsOkAndHolds(1798779600u));
  EXPECT_THAT(ParseEpochStart("1798761600", 0), IsOkAndHolds(1798761600u));
  EXPECT_THAT(ParseEpochStart("1798761600000", 0), IsOkAndHolds(1798761600u));
  for (const char* text : {"2027/01/01-00:30", "1798761601", "1798761600001", "", "soon"})
    EXPECT_THAT(ParseEpochStart(text, 5), StatusIs(StatusCode::kInvalidArgument)) << text;
  EXPECT_THAT(ParseEpochStart("2027/01/01-00:30", 5),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("expected a whole hour")));
}

TEST(SaltTextTest, BucketsAreANumberAboveZero) {
  EXPECT_THAT(ParseBuckets("1"), IsOkAndHolds(1u));
  EXPECT_THAT(ParseBuckets("4294967295"), IsOkAndHolds(4294967295u));
  for (const char* text : {"0", "-1", "", "4294967296", "20x", " 20", "1.5"})
    EXPECT_THAT(ParseBuckets(text), StatusIs(StatusCode::kInvalidArgument)) << text;
}

TEST(SaltTextTest, AStartIsReadBack) {
  EXPECT_EQ(EpochStartText(0), "1970/01/01-00:00:00");
  EXPECT_EQ(EpochStartText(1798779600), "2027/01/01-05:00:00");
  EXPECT_THAT(ParseEpochStart(EpochStartText(1798779600), 0), IsOkAndHolds(1798779600u));
}

TEST(SaltTextTest, EpochsAsJson) {
  EXPECT_EQ(SaltEpochsJson({}), R"({"epochs":[]})");
  const SaltEpoch epochs[] = {{.from_s = 0, .buckets = 1}, {.from_s = 1798761600, .buckets = 20}};
  EXPECT_EQ(SaltEpochsJson(epochs),
            R"({"epochs":[{"from":0,"buckets":1},{"from":1798761600,"buckets":20}]})");
}

}  // namespace
}  // namespace hourcell::salt_text_test
