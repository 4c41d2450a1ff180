#include "server/net/connection_quota.h"

#include <gtest/gtest.h>

namespace hourcell::connection_quota_test {
namespace {

using Verdict = ConnectionQuota::Verdict;

TEST(ConnectionQuotaTest, CountsAllAndMakesRoomWhenOneLeaves) {
  ConnectionQuota quota({.total = 2});
  EXPECT_EQ(quota.Enter("10.0.0.1"), Verdict::kWelcome);
  EXPECT_EQ(quota.Enter("10.0.0.2"), Verdict::kWelcome);

  EXPECT_EQ(quota.Enter("10.0.0.3"), Verdict::kTooMany);
  quota.Leave("10.0.0.1");

  EXPECT_EQ(quota.Enter("10.0.0.3"), Verdict::kWelcome);
  EXPECT_EQ(quota.total(), 2U);
}

TEST(ConnectionQuotaTest, OneAddressDoesNotKeepOthersOut) {
  ConnectionQuota quota({.total = 10, .per_address = 1});
  EXPECT_EQ(quota.Enter("10.0.0.1"), Verdict::kWelcome);

  EXPECT_EQ(quota.Enter("10.0.0.1"), Verdict::kTooManyOfAddress);
  EXPECT_EQ(quota.Enter("::ffff:10.0.0.1"), Verdict::kTooManyOfAddress);
  EXPECT_EQ(quota.Enter("10.0.0.2"), Verdict::kWelcome);
  EXPECT_EQ(quota.total(), 2U);

  quota.Leave("10.0.0.1");
  EXPECT_EQ(quota.Enter("10.0.0.1"), Verdict::kWelcome);
}

TEST(ConnectionQuotaTest, WithoutLimitsEverybodyIsWelcome) {
  ConnectionQuota quota({});
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(quota.Enter("10.0.0.1"), Verdict::kWelcome);
}

TEST(ConnectionQuotaTest, AHostHasOneAddressOfIpV4AndANetworkOfIpV6) {
  EXPECT_EQ(QuotaAddress("10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(QuotaAddress("::ffff:10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(QuotaAddress("2001:db8::1"), QuotaAddress("2001:db8:0:0:ffff::2"));
  EXPECT_NE(QuotaAddress("2001:db8::1"), QuotaAddress("2001:db8:0:1::1"));
  EXPECT_EQ(QuotaAddress(""), "");
}

}  // namespace
}  // namespace hourcell::connection_quota_test
