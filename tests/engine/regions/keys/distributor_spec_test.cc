#include "engine/regions/keys/distributor_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::distributor_spec_test {
namespace {

using testing::HasSubstr;

std::string MessageOf(std::string_view spec) {
  return std::string(MakeKeyDistributor(spec, Layout()).status().message());
}

TEST(DistributorSpecTest, UnitsAreTakenOff) {
  const auto made = MakeKeyDistributor("cyclic:period=2d,slot=90m,ttl=12h,major=3600s", Layout());

  ASSERT_OK(made);
  EXPECT_EQ((*made)->Spec(), "cyclic:period=172800s,slot=5400s,ttl=43200s,major=3600s");
  EXPECT_EQ((*made)->buckets(), 32u);
}

TEST(DistributorSpecTest, SaysWhatIsWanted) {
  EXPECT_THAT(MessageOf("salt"), HasSubstr("expected one of none, series-salt, simple-hash, xxh3"));
  EXPECT_THAT(MessageOf(""), HasSubstr("expected one of"));
  EXPECT_THAT(MessageOf("none:1"), HasSubstr("expected nothing after the name"));
  EXPECT_THAT(MessageOf("xxh3"), HasSubstr("expected an operand after a colon"));
  for (const char* spec : {"xxh3:", "xxh3:4k", "xxh3:-4", "xxh3: 4", "xxh3:99999999999999999999"})
    EXPECT_THAT(MessageOf(spec), HasSubstr("expected a number after the colon")) << spec;
  EXPECT_THAT(MessageOf("xxh3:0"), HasSubstr("expected 1 to 65536 buckets, got 0"));
  EXPECT_THAT(MessageOf("partition:1"), HasSubstr("expected 2 to 65536 buckets, got 1"));
  EXPECT_THAT(MessageOf("series-salt"), HasSubstr("expected a layout with a salt"));
}

TEST(DistributorSpecTest, ACycleHasFourFields) {
  for (const char* spec :
       {"cyclic:", "cyclic:period=4d", "cyclic:period=4d,slot=1d,ttl=1d",
        "cyclic:slot=1d,period=4d,ttl=1d,major=1d", "cyclic:period=4d,slot=1d,ttl=1d,major=1d,",
        "cyclic:period4d,slot=1d,ttl=1d,major=1d"})
    EXPECT_THAT(MessageOf(spec), HasSubstr("in this order")) << spec;
  for (const char* spec :
       {"cyclic:period=4,slot=1d,ttl=1d,major=1d", "cyclic:period=,slot=1d,ttl=1d,major=1d",
        "cyclic:period=1.5d,slot=1d,ttl=1d,major=1d", "cyclic:period=d,slot=1d,ttl=1d,major=1d",
        "cyclic:period=9999999999999999999d,slot=1d,ttl=1d,major=1d"})
    EXPECT_THAT(MessageOf(spec), HasSubstr("expected a whole number and s, m, h or d")) << spec;
  EXPECT_THAT(MessageOf("cyclic:period=2d,slot=1d,ttl=1d,major=1d"), HasSubstr("got a period of"));
}

}  // namespace
}  // namespace hourcell::distributor_spec_test
