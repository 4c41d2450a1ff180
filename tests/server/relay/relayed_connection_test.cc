#include "server/relay/relayed_connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/relay/relay_header.h"
#include "tests/server/raw_client.h"
#include "tests/server/relay/relay_fixture.h"
#include "tests/support/status_matchers.h"

namespace hourcell::relayed_connection_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

using RelayedConnectionTest = RelayFixture;

TEST_F(RelayedConnectionTest, PassesBytesOnBothWays) {
  constexpr size_t kBytes = 5'000'000;  // more than the buffers between them hold
  const ScriptedWriter writer;
  relay_->SetWriter(writer.address());
  RawClient client(port_);
  const int fd = writer.Accept();

  const auto header = ParseRelayHeader(ReadFrom(fd, RelayHeaderBytes()));
  ASSERT_OK(header);
  ASSERT_TRUE(header->has_value());
  EXPECT_EQ((*header)->header.address, "127.0.0.1");
  EXPECT_EQ((*header)->header.secret, "s");

  std::thread sends([&] { client.SendAsFarAsItGoes(std::string(kBytes, 'u')); });
  EXPECT_EQ(ReadFrom(fd, kBytes), std::string(kBytes, 'u'));
  sends.join();
  client.EndInput();
  EXPECT_THAT(ReadFrom(fd, 1), IsEmpty());  // the end is passed on, too

  std::thread answers([&] {
    const std::string text(kBytes, 'd');
    HOURCELL_CHECK(send(fd, text.data(), text.size(), MSG_NOSIGNAL) ==
                   static_cast<ssize_t>(text.size()));
    close(fd);
  });
  EXPECT_THAT(client.ReadAll(), SizeIs(kBytes));
  answers.join();
}

TEST_F(RelayedConnectionTest, ARequestWhoseWriterIsLostIsAnswered) {
  const ScriptedWriter writer;
  relay_->SetWriter(writer.address());
  RawClient client(port_);
  client.Send(kRelayedRequest);
  const int fd = writer.Accept();
  ReadFrom(fd, RelayHeaderBytes() + kRelayedRequest.size());
  close(fd);

  EXPECT_THAT(client.ReadAll(), AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: 1"),
                                      HasSubstr("ended the connection without an answer")));
}

TEST_F(RelayedConnectionTest, ARequestIsAnsweredWhenAnotherOneWrites) {
  const ScriptedWriter paused;
  relay_->SetWriter(paused.address());
  RawClient client(port_);
  client.Send(kRelayedRequest);
  const int fd = paused.Accept();
  ReadFrom(fd, RelayHeaderBytes() + kRelayedRequest.size());

  const ScriptedWriter next;
  relay_->SetWriter(next.address());

  EXPECT_THAT(client.ReadAll(),
              AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("another process writes")));
  close(fd);
}

TEST_F(RelayedConnectionTest, NothingIsAddedToAnAnswer) {
  const ScriptedWriter writer;
  relay_->SetWriter(writer.address());
  RawClient client(port_);
  client.Send(kRelayedRequest);
  const int fd = writer.Accept();
  ReadFrom(fd, RelayHeaderBytes() + kRelayedRequest.size());
  ASSERT_EQ(send(fd, "HTTP/1.1 2", 10, MSG_NOSIGNAL), 10);
  close(fd);

  EXPECT_EQ(client.ReadAll(), "HTTP/1.1 2");
}

TEST_F(RelayedConnectionTest, AClientThatHasSaidNothingGoesToTheNextWriter) {
  const ScriptedWriter first;
  relay_->SetWriter(first.address());
  RawClient client(port_);
  const int lost = first.Accept();
  ReadFrom(lost, RelayHeaderBytes());

  const ScriptedWriter next;
  relay_->SetWriter(next.address());
  client.Send(kRelayedRequest);

  const int fd = next.Accept();
  EXPECT_THAT(ReadFrom(fd, RelayHeaderBytes() + kRelayedRequest.size()),
              EndsWith(std::string(kRelayedRequest)));
  close(fd);
  close(lost);
}

TEST_F(RelayedConnectionTest, TheNextWriterIsToldThatAClientSaysNothing) {
  const ScriptedWriter first;
  relay_->SetWriter(first.address());
  RawClient client(port_);
  client.EndInput();
  const int lost = first.Accept();
  ReadFrom(lost, RelayHeaderBytes() + 1);  // up to the end

  const ScriptedWriter next;
  relay_->SetWriter(next.address());

  const int fd = next.Accept();
  EXPECT_THAT(ReadFrom(fd, RelayHeaderBytes() + 1), SizeIs(RelayHeaderBytes()));
  close(fd);
  close(lost);
}

TEST_F(RelayedConnectionTest, ARelayPassesNoRelayOn) {
  const ScriptedWriter writer;
  relay_->SetWriter(writer.address());
  RawClient other(port_);
  other.Send(EncodeRelayHeader({.address = "127.0.0.1", .secret = "s"}));
  EXPECT_EQ(other.ReadAll(), "");
}

}  // namespace
}  // namespace hourcell::relayed_connection_test
