#include "server/cluster/node.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/config/config.h"
#include "tests/support/status_matchers.h"

namespace hourcell::node_test {
namespace {

// tests/cluster has servers that share a store.

std::string Advertised(const std::string& advertise, const std::string& bind) {
  Config config;
  EXPECT_OK(config.Set("tsd.network.advertise", advertise));
  EXPECT_OK(config.Set("tsd.network.bind", bind));
  return AdvertisedAddress(config, 4242);
}

TEST(AdvertisedAddressTest, WhatIsSetIsAdvertised) {
  EXPECT_EQ(Advertised("db1:80", "0.0.0.0"), "db1:80");
  EXPECT_EQ(Advertised("db1", "0.0.0.0"), "db1:4242");
  EXPECT_EQ(Advertised("::1", "0.0.0.0"), "[::1]:4242");
}

TEST(AdvertisedAddressTest, ElseWhereItListens) {
  EXPECT_EQ(Advertised("", "127.0.0.1"), "127.0.0.1:4242");
  EXPECT_EQ(Advertised("", "::1"), "[::1]:4242");
  EXPECT_THAT(Advertised("", "0.0.0.0"), testing::Not(testing::HasSubstr("0.0.0.0")));
  EXPECT_THAT(Advertised("", "::"), testing::EndsWith(":4242"));
}

}  // namespace
}  // namespace hourcell::node_test
