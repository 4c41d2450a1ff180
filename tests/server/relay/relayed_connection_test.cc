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

constexpr std::string_view kQuery = "GET /api/query?m=sum:m HTTP/1.1\r\nHost: a\r\n\r\n";

TEST_F(RelayedConnectionTest, AQueryGoesToTheFollower) {
  const ScriptedWriter writer;
  const ScriptedWriter follower;
  relay_->SetWriter(writer.address());
  relay_->SetFollower(follower.address());
  RawClient asks(port_);
  asks.Send(kQuery.substr(0, 9));  // a first line in pieces
  RawClient other(port_);
  other.Send(kRelayedRequest);
  const int at_writer = writer.Accept();
  EXPECT_THAT(ReadFrom(at_writer, RelayHeaderBytes() + kRelayedRequest.size()),
              EndsWith(std::string(kRelayedRequest)));
  asks.Send(kQuery.substr(9));

  const int fd = follower.Accept();
  const std::string asked = ReadFrom(fd, RelayHeaderBytes() + kQuery.size());
  EXPECT_THAT(asked, EndsWith(std::string(kQuery)));
  const auto header = ParseRelayHeader(asked);
  ASSERT_OK(header);
  EXPECT_EQ((*header)->header.address, "127.0.0.1");
  ASSERT_EQ(send(fd, "answer", 6, MSG_NOSIGNAL), 6);
  close(fd);
  EXPECT_EQ(asks.ReadAll(), "answer");
  EXPECT_EQ(relay_->queries(), 1U);
  close(at_writer);
}

TEST_F(RelayedConnectionTest, AQueryNeedsNoWriter) {
  const ScriptedWriter follower;
  relay_->SetFollower(follower.address());
  RawClient asks(port_);
  asks.Send(kQuery);
  const int fd = follower.Accept();
  ReadFrom(fd, RelayHeaderBytes() + kQuery.size());
  relay_->SetWriter("127.0.0.1:1");  // another one writes: that is nothing to it
  RelayRest rest = relay_->Stop();   // this process does, and lets it finish
  EXPECT_THAT(rest.clients, IsEmpty());
  ASSERT_EQ(send(fd, "answer", 6, MSG_NOSIGNAL), 6);
  close(fd);
  EXPECT_EQ(asks.ReadAll(), "answer");
}

TEST_F(RelayedConnectionTest, AQueryGoesToTheWriterOnceThereIsNoFollower) {
  const ScriptedWriter writer;
  relay_->SetWriter(writer.address());
  relay_->SetFollower("127.0.0.1:1");  // nothing listens there
  RawClient asks(port_);
  asks.Send(kQuery);
  const int fd = writer.Accept();
  EXPECT_THAT(ReadFrom(fd, RelayHeaderBytes() + kQuery.size()), EndsWith(std::string(kQuery)));
  close(fd);
}

// A client that says nothing at first, and one that does not end its first line.
TEST_F(RelayedConnectionTest, WhoDoesNotSayWhatHeWantsGoesToTheWriter) {
  const ScriptedWriter writer;
  const ScriptedWriter follower;
  relay_->SetWriter(writer.address());
  relay_->SetFollower(follower.address());
  RawClient silent(port_);
  const int first = writer.Accept();
  EXPECT_THAT(ReadFrom(first, RelayHeaderBytes()), SizeIs(RelayHeaderBytes()));
  RawClient endless(port_);
  endless.SendAsFarAsItGoes("GET /q?" + std::string(20'000, 'a'));
  const int second = writer.Accept();
  EXPECT_THAT(ReadFrom(second, RelayHeaderBytes() + 20'007), EndsWith("aaa"));
  RawClient ends(port_);
  ends.Send("GET /q?");
  ends.EndInput();
  const int third = writer.Accept();
  EXPECT_THAT(ReadFrom(third, RelayHeaderBytes() + 8), EndsWith("GET /q?"));
  for (const int fd : {first, second, third})
    close(fd);
}

// It is handed to the server that this process becomes, as if it had just come.
TEST_F(RelayedConnectionTest, AWatchWaitsForTheServer) {
  const ScriptedWriter writer;
  relay_->SetWriter(writer.address());
  const std::string header =
      EncodeRelayHeader({.address = "0.0.0.0", .secret = "s", .is_watch = true});
  RawClient watch(port_);
  watch.Send(header);
  while (relay_->connections() == 0)
    std::this_thread::yield();
  RelayRest rest = relay_->Stop();
  ASSERT_THAT(rest.clients, SizeIs(1));
  EXPECT_EQ(ReadFrom(rest.clients[0].socket.get(), header.size()), header);
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
