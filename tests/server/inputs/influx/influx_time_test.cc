#include "server/inputs/influx/influx_time.h"

#include <limits>

#include <gtest/gtest.h>

#include "codec/limits.h"

namespace hourcell::influx_time_test {
namespace {

TEST(InfluxTimeTest, EachUnitBecomesMilliseconds) {
  EXPECT_EQ(InfluxTimeMs(1356998400123999999, *FindInfluxUnit("ns")), 1356998400123);
  EXPECT_EQ(InfluxTimeMs(1356998400123999, *FindInfluxUnit("u")), 1356998400123);
  EXPECT_EQ(InfluxTimeMs(1356998400123, *FindInfluxUnit("ms")), 1356998400123);
  EXPECT_EQ(InfluxTimeMs(1356998400, *FindInfluxUnit("s")), 1356998400000);
  EXPECT_EQ(InfluxTimeMs(376944, *FindInfluxUnit("h")), 1356998400000);
  EXPECT_EQ(FindInfluxUnit("d"), nullptr);
  EXPECT_EQ(FindInfluxUnit(""), nullptr);
}

TEST(InfluxTimeTest, TimesThatAStoreDoesNotTakeAreNone) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(InfluxTimeMs(0, *FindInfluxUnit("s")), std::nullopt);
  EXPECT_EQ(InfluxTimeMs(-1, *FindInfluxUnit("s")), std::nullopt);
  EXPECT_EQ(InfluxTimeMs(999'999, *FindInfluxUnit("ns")), std::nullopt);
  EXPECT_EQ(InfluxTimeMs(kMost, *FindInfluxUnit("h")), std::nullopt);
  EXPECT_EQ(InfluxTimeMs(kTimestampMsMax, *FindInfluxUnit("ms")), kTimestampMsMax);
  EXPECT_EQ(InfluxTimeMs(kTimestampMsMax + 1, *FindInfluxUnit("ms")), std::nullopt);
  EXPECT_EQ(InfluxTimeMs(4294967295999387, *FindInfluxUnit("us")), kTimestampMsMax);
  EXPECT_EQ(InfluxTimeMs(4294967295999999999, *FindInfluxUnit("ns")), kTimestampMsMax);
  EXPECT_EQ(InfluxTimeMs(4294967296000000, *FindInfluxUnit("us")), std::nullopt);
  EXPECT_EQ(InfluxTimeMs(4294967296000000000, *FindInfluxUnit("ns")), std::nullopt);
}

}  // namespace
}  // namespace hourcell::influx_time_test
