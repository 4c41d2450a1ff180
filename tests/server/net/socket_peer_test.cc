#include "server/net/socket_peer.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "codec/base/check.h"

namespace hourcell::socket_peer_test {
namespace {

// tests/server/server_access_test.cc has the addresses of real connections.
TEST(SocketPeerTest, AClosedSocketHasNoPeer) {
  EXPECT_EQ(PeerAddress(-1), "");
  EXPECT_EQ(PeerText(-1), "");
}

TEST(SocketPeerTest, ProbesASilentPeerWithinMinutes) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  ProbePeer(fd);

  const auto option = [fd](int level, int name) {
    int value = -1;
    socklen_t size = sizeof value;
    getsockopt(fd, level, name, &value, &size);
    return value;
  };
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPIDLE), 60);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPINTVL), 10);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPCNT), 6);
  close(fd);
}

TEST(SocketPeerTest, SeesThatTheOtherSideEnded) {
  int pair[2];
  HOURCELL_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  EXPECT_FALSE(PeerHungUp(pair[0]));
  shutdown(pair[1], SHUT_WR);
  EXPECT_TRUE(PeerHungUp(pair[0]));
  close(pair[0]);
  close(pair[1]);
}

}  // namespace
}  // namespace hourcell::socket_peer_test
