#include "server/access/cidr.h"

#include <string_view>

#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "tests/support/status_matchers.h"

namespace hourcell::cidr_test {
namespace {

using testing::HasSubstr;

CidrBlock Block(std::string_view text) {
  const auto block = CidrBlock::Parse(text);
  HOURCELL_CHECK(block.ok());
  return *block;
}

bool Holds(std::string_view block, std::string_view address) {
  const auto parsed = IpAddress::Parse(address);
  HOURCELL_CHECK(parsed.has_value());
  return Block(block).Contains(*parsed);
}

TEST(CidrTest, ABlockHoldsItsAddressesAndNoMore) {
  EXPECT_TRUE(Holds("10.0.0.0/8", "10.255.255.255"));
  EXPECT_FALSE(Holds("10.0.0.0/8", "11.0.0.0"));
  EXPECT_TRUE(Holds("192.168.4.0/22", "192.168.7.255"));
  EXPECT_FALSE(Holds("192.168.4.0/22", "192.168.8.0"));
  EXPECT_FALSE(Holds("192.168.4.0/22", "192.168.3.255"));
  EXPECT_TRUE(Holds("192.168.1.7", "192.168.1.7"));
  EXPECT_FALSE(Holds("192.168.1.7", "192.168.1.6"));
  EXPECT_TRUE(Holds("2001:db8::/33", "2001:db8:7fff::1"));
  EXPECT_FALSE(Holds("2001:db8::/33", "2001:db8:8000::1"));
}

TEST(CidrTest, FamiliesAreApartButForMappedAddresses) {
  EXPECT_TRUE(Holds("10.0.0.0/8", "::ffff:10.1.2.3"));
  EXPECT_TRUE(Holds("::ffff:10.0.0.0/104", "10.1.2.3"));
  EXPECT_FALSE(Holds("0.0.0.0/0", "2001:db8::1"));
  EXPECT_FALSE(Holds("10.0.0.0/8", "a00::1"));
}

TEST(CidrTest, KnowsEverythingAndLoopback) {
  for (const char* const all : {"0.0.0.0/0", "::/0"})
    EXPECT_TRUE(Block(all).is_everything()) << all;
  EXPECT_FALSE(Block("0.0.0.0/1").is_everything());
  EXPECT_TRUE(IpAddress::Parse("127.3.2.1")->is_loopback());
  EXPECT_TRUE(IpAddress::Parse("::1")->is_loopback());
  EXPECT_FALSE(IpAddress::Parse("::")->is_loopback());
  EXPECT_FALSE(IpAddress::Parse("0.0.0.0")->is_loopback());
}

TEST(CidrTest, RefusesWhatIsNoBlock) {
  for (const char* const bad : {"", "/8", "10.0.0/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1",
                                "10.0.0.0/8x", "::/129", "host", "[::1]", "10.0.0.1:80"}) {
    EXPECT_THAT(CidrBlock::Parse(bad), StatusIs(absl::StatusCode::kInvalidArgument)) << bad;
  }
  EXPECT_THAT(CidrBlock::Parse("10.1.0.0/8"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("bits are set after")));
}

}  // namespace
}  // namespace hourcell::cidr_test
