#include "codec/rollups/rollup_duration.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell {
namespace {

using testing::HasSubstr;

int64_t SecondsOf(std::string_view text) {
  const auto seconds = RollupDurationSeconds("interval", text);
  return seconds.ok() ? *seconds : -1;
}

std::string FaultOfDuration(std::string_view text) {
  return std::string(RollupDurationSeconds("interval", text).status().message());
}

TEST(RollupDurationTest, EachUnitHasItsSeconds) {
  EXPECT_EQ(SecondsOf("1500ms"), 1);
  EXPECT_EQ(SecondsOf("10s"), 10);
  EXPECT_EQ(SecondsOf("10m"), 600);
  EXPECT_EQ(SecondsOf("2h"), 7200);
  EXPECT_EQ(SecondsOf("1d"), 86'400);
  EXPECT_EQ(SecondsOf("1w"), 7 * 86'400);
  EXPECT_EQ(SecondsOf("1n"), 30 * 86'400);
  EXPECT_EQ(SecondsOf("1000000y"), int64_t{1'000'000} * 365 * 86'400);
}

TEST(RollupDurationTest, FaultsNameTheFieldAndTheText) {
  EXPECT_THAT(FaultOfDuration("m"), HasSubstr("interval: expected a duration such as 10m"));
  EXPECT_THAT(FaultOfDuration("0m"), HasSubstr("got \"0m\""));
  EXPECT_THAT(FaultOfDuration("10"), HasSubstr("got \"10\""));
  EXPECT_THAT(FaultOfDuration("1000001s"), HasSubstr("got \"1000001s\""));
  EXPECT_THAT(FaultOfDuration("10M"), HasSubstr("expected a unit of ms s m h d w n y"));
}

}  // namespace
}  // namespace hourcell
