#include "server/net/nodes/host_and_port.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::host_and_port_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

TEST(HostAndPortTest, NamesAndAddresses) {
  EXPECT_THAT(ParseHostAndPort("db1:4242"), IsOkAndHolds(HostAndPort{"db1", "4242"}));
  EXPECT_THAT(ParseHostAndPort("10.0.0.1:1"), IsOkAndHolds(HostAndPort{"10.0.0.1", "1"}));
  EXPECT_THAT(ParseHostAndPort("[::1]:65535"), IsOkAndHolds(HostAndPort{"::1", "65535"}));
}

TEST(HostAndPortTest, BadOnesAreRefused) {
  for (const std::string text : {"", "db1", ":1", "db1:", "db1:0", "db1:65536", "db1:4x", "db1:-1",
                                 "::1:4242", "[]:1", "[::1]"}) {
    EXPECT_THAT(ParseHostAndPort(text),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr("expected host:port")))
        << text;
  }
}

TEST(HostAndPortTest, WhatIsJoinedIsParsed) {
  EXPECT_EQ(JoinHostAndPort("db1", 4242), "db1:4242");
  EXPECT_EQ(JoinHostAndPort("::1", 4242), "[::1]:4242");
}

}  // namespace
}  // namespace hourcell::host_and_port_test
