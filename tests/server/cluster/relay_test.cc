#include "server/cluster/relay.h"

#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/net/nodes/relay_header.h"
#include "tests/server/cluster/relay_fixture.h"
#include "tests/server/raw_client.h"
#include "tests/support/status_matchers.h"

namespace hourcell::relay_test {
namespace {

using testing::EndsWith;
using testing::SizeIs;

using RelayTest = RelayFixture;

TEST_F(RelayTest, AClientWaitsForAWriter) {
  RawClient client(port_);
  client.Send(kRelayedRequest);
  const ScriptedWriter writer;
  relay_->SetWriter("127.0.0.1:1");  // nothing listens there
  relay_->SetWriter(writer.address());
  const int fd = AcceptProved(writer);
  EXPECT_THAT(ReadFrom(fd, kRelayedRequest.size()), EndsWith(std::string(kRelayedRequest)));
  close(fd);
}

TEST_F(RelayTest, NothingIsPassedOnToItself) {
  relay_->SetWriter(JoinHostAndPort("127.0.0.1", port_));
  RawClient client(port_);
  client.Send(kRelayedRequest);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(relay_->connections(), 1U);
}

TEST_F(RelayTest, ItsSocketsListenAfterTheEnd) {
  RelayRest rest = relay_->Stop();
  RawClient queued(port_);
  ASSERT_THAT(rest.sockets, SizeIs(1));
  EXPECT_EQ(rest.sockets[0].port(), port_);
}

TEST_F(RelayTest, AClientThatWaitsIsHandedOn) {
  RawClient client(port_);
  client.Send(kRelayedRequest);
  while (relay_->connections() == 0)
    std::this_thread::yield();

  RelayRest rest = relay_->Stop();

  ASSERT_THAT(rest.clients, SizeIs(1));
  EXPECT_EQ(rest.clients[0].listener, 0U);
  EXPECT_EQ(ReadFrom(rest.clients[0].socket.get(), kRelayedRequest.size()), kRelayedRequest);
}

TEST(NothingListensAtTest, OnlyWhatIsRefusedIsGone) {
  std::optional<ScriptedWriter> writer(std::in_place);
  const std::string address = writer->address();
  EXPECT_FALSE(NothingListensAt(address));
  writer.reset();
  EXPECT_TRUE(NothingListensAt(address));
  EXPECT_FALSE(NothingListensAt("no-such-host.invalid:1"));
  EXPECT_FALSE(NothingListensAt(""));
}

}  // namespace
}  // namespace hourcell::relay_test
