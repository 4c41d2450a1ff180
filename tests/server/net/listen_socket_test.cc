#include "server/net/listen_socket.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/raw_client.h"
#include "tests/support/status_matchers.h"

namespace hourcell::listen_socket_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

TEST(ListenSocketTest, TheSystemChoosesAPort) {
  const auto socket = ListenSocket::Open({});
  ASSERT_OK(socket);
  EXPECT_GT(socket->port(), 0);
  EXPECT_FALSE(socket->is_ipv6());
  RawClient queued(socket->port());
}

TEST(ListenSocketTest, ListensUntilItsLastOwnerEnds) {
  auto first = ListenSocket::Open({});
  ASSERT_OK(first);
  const uint16_t port = first->port();
  ListenSocket second(first->Release());
  {
    ListenSocket third(std::move(second));
    EXPECT_EQ(third.port(), port);
  }
  EXPECT_OK(ListenSocket::Open({.port = port}));
}

TEST(ListenSocketTest, WhatCannotBeListenedOnIsSaid) {
  const auto taken = ListenSocket::Open({});
  EXPECT_THAT(ListenSocket::Open({.port = taken->port()}).status(),
              StatusIs(StatusCode::kUnavailable, HasSubstr("listen on 127.0.0.1 port")));
  EXPECT_THAT(ListenSocket::Open({.bind = "no such host"}).status(),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("expected an address, got \"no such host\"")));
}

}  // namespace
}  // namespace hourcell::listen_socket_test
