#include "server/cluster/relayed_connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/net/nodes/relay_header.h"
#include "tests/server/cluster/relay_fixture.h"
#include "tests/server/raw_client.h"
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

  const std::string said = AcceptRelay(fd);
  const auto header = ParseRelayHeader(said);
  ASSERT_OK(header);
  ASSERT_TRUE(header->has_value());
  EXPECT_EQ((*header)->header.address, "127.0.0.1");

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
  const int fd = AcceptProved(writer);
  ReadFrom(fd, kRelayedRequest.size());
  close(fd);

  EXPECT_THAT(client.ReadAll(), AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: 1"),
                                      HasSubstr("ended the connection without an answer")));
}

TEST_F(RelayedConnectionTest, ARequestIsAnsweredWhenAnotherOneWrites) {
  const ScriptedWriter paused;
  relay_->SetWriter(paused.address());
  RawClient client(port_);
  client.Send(kRelayedRequest);
  const int fd = AcceptProved(paused);
  ReadFrom(fd, kRelayedRequest.size());

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
  const int fd = AcceptProved(writer);
  ReadFrom(fd, kRelayedRequest.size());
  ASSERT_EQ(send(fd, "HTTP/1.1 2", 10, MSG_NOSIGNAL), 10);
  close(fd);

  EXPECT_EQ(client.ReadAll(), "HTTP/1.1 2");
}

// The client has sent its next request before the first was answered.
TEST_F(RelayedConnectionTest, NothingIsAddedToAnAnswerOfAPipeliningClient) {
  const ScriptedWriter writer;
  relay_->SetWriter(writer.address());
  RawClient client(port_);
  client.Send(kRelayedRequest);
  const int fd = AcceptProved(writer);
  ReadFrom(fd, kRelayedRequest.size());
  constexpr std::string_view kPart = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345";
  ASSERT_EQ(send(fd, kPart.data(), kPart.size(), MSG_NOSIGNAL), static_cast<ssize_t>(kPart.size()));
  std::string answer = client.ReadUntil("12345");
  client.Send(kRelayedRequest);
  ReadFrom(fd, kRelayedRequest.size());
  close(fd);

  EXPECT_EQ(answer + client.ReadAll(), kPart);
}

TEST_F(RelayedConnectionTest, TheNextRequestAfterACompleteAnswerIsAnswered) {
  const ScriptedWriter writer;
  relay_->SetWriter(writer.address());
  RawClient client(port_);
  client.Send(kRelayedRequest);
  const int fd = AcceptProved(writer);
  ReadFrom(fd, kRelayedRequest.size());
  constexpr std::string_view kWhole = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345";
  ASSERT_EQ(send(fd, kWhole.data(), kWhole.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(kWhole.size()));
  EXPECT_EQ(client.ReadUntil("12345"), kWhole);
  client.Send(kRelayedRequest);
  ReadFrom(fd, kRelayedRequest.size());
  close(fd);

  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 503 "));
}

// Whoever listens at the address of a writer that is gone gets nothing of a client.
TEST_F(RelayedConnectionTest, AProcessThatDoesNotKnowTheSecretGetsNothingOfAClient) {
  const ScriptedWriter other;
  relay_->SetWriter(other.address());
  RawClient client(port_);
  client.Send(kRelayedRequest);
  const int fd = other.Accept();
  EXPECT_THAT(AcceptRelay(fd, "another secret"), SizeIs(RelayHeaderBytes()));
  close(fd);

  const ScriptedWriter writer;
  relay_->SetWriter(writer.address());
  const int next = AcceptProved(writer);
  EXPECT_EQ(ReadFrom(next, kRelayedRequest.size()), kRelayedRequest);
  close(next);
}

// It is not known yet whether it takes the connection, so the client loses nothing.
TEST_F(RelayedConnectionTest, AProcessThatEndsTheConnectionBeforeItsProofIsTriedAgain) {
  const ScriptedWriter writer;
  relay_->SetWriter(writer.address());
  RawClient client(port_);
  client.Send(kRelayedRequest);
  close(writer.Accept());

  const int fd = AcceptProved(writer);
  EXPECT_EQ(ReadFrom(fd, kRelayedRequest.size()), kRelayedRequest);
  close(fd);
}

TEST_F(RelayedConnectionTest, AClientThatHasSaidNothingGoesToTheNextWriter) {
  const ScriptedWriter first;
  relay_->SetWriter(first.address());
  RawClient client(port_);
  const int lost = AcceptProved(first);

  const ScriptedWriter next;
  relay_->SetWriter(next.address());
  client.Send(kRelayedRequest);

  const int fd = AcceptProved(next);
  EXPECT_THAT(ReadFrom(fd, kRelayedRequest.size()), EndsWith(std::string(kRelayedRequest)));
  close(fd);
  close(lost);
}

TEST_F(RelayedConnectionTest, TheNextWriterIsToldThatAClientSaysNothing) {
  const ScriptedWriter first;
  relay_->SetWriter(first.address());
  RawClient client(port_);
  client.EndInput();
  const int lost = AcceptProved(first);
  ReadFrom(lost, 1);  // up to the end

  const ScriptedWriter next;
  relay_->SetWriter(next.address());

  const int fd = AcceptProved(next);
  EXPECT_THAT(ReadFrom(fd, 1), IsEmpty());
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
  const int at_writer = AcceptProved(writer);
  EXPECT_THAT(ReadFrom(at_writer, kRelayedRequest.size()), EndsWith(std::string(kRelayedRequest)));
  asks.Send(kQuery.substr(9));

  const int fd = AcceptProved(follower);
  EXPECT_EQ(ReadFrom(fd, kQuery.size()), kQuery);
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
  const int fd = AcceptProved(follower);
  ReadFrom(fd, kQuery.size());
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
  const int fd = AcceptProved(writer);
  EXPECT_THAT(ReadFrom(fd, kQuery.size()), EndsWith(std::string(kQuery)));
  close(fd);
}

// A client that says nothing at first, and one that does not end its first line.
TEST_F(RelayedConnectionTest, WhoDoesNotSayWhatHeWantsGoesToTheWriter) {
  const ScriptedWriter writer;
  const ScriptedWriter follower;
  relay_->SetWriter(writer.address());
  relay_->SetFollower(follower.address());
  RawClient silent(port_);
  const int first = AcceptProved(writer);
  RawClient endless(port_);
  endless.SendAsFarAsItGoes("GET /q?" + std::string(20'000, 'a'));
  const int second = AcceptProved(writer);
  EXPECT_THAT(ReadFrom(second, 20'007), EndsWith("aaa"));
  RawClient ends(port_);
  ends.Send("GET /q?");
  ends.EndInput();
  const int third = AcceptProved(writer);
  EXPECT_THAT(ReadFrom(third, 8), EndsWith("GET /q?"));
  for (const int fd : {first, second, third})
    close(fd);
}

// It is handed to the server that this process becomes, as if it had just come.
TEST_F(RelayedConnectionTest, AWatchWaitsForTheServer) {
  const ScriptedWriter writer;
  relay_->SetWriter(writer.address());
  const std::string header =
      EncodeRelayHeader({.address = "0.0.0.0", .nonce = NewRelayNonce(), .is_watch = true});
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
  other.Send(EncodeRelayHeader({.address = "127.0.0.1", .nonce = NewRelayNonce()}));
  EXPECT_EQ(other.ReadAll(), "");
}

}  // namespace
}  // namespace hourcell::relayed_connection_test
