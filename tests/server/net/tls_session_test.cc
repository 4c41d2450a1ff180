#include "server/net/tls_session.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "tests/server/net/tls_peer.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::tls_session_test {
namespace {

using testing::HasSubstr;

class TlsSessionTest : public testing::Test {
 protected:
  void SetUp() override {
    WriteCertificate(dir_.file("cert"), dir_.file("key"));
    auto opened = TlsContext::Open(dir_.file("cert"), dir_.file("key"));
    ASSERT_OK(opened);
    context_ = *std::move(opened);
    session_ = std::make_unique<TlsSession>(*context_);
  }

  // Passes the bytes of each to the other, in pieces of `piece` bytes, until neither has more.
  absl::Status Exchange(TlsPeer* peer, std::string to_server, size_t piece = 1 << 20) {
    while (!to_server.empty()) {
      std::string to_peer;
      while (!to_server.empty()) {
        const absl::Status status = session_->Take(to_server.substr(0, piece), &plain_, &to_peer);
        to_server.erase(0, piece);
        if (!status.ok()) {
          peer->Take(to_peer);
          return status;
        }
      }
      to_server = peer->Take(to_peer);
    }
    return absl::OkStatus();
  }

  TempDir dir_;
  std::unique_ptr<TlsContext> context_;
  std::unique_ptr<TlsSession> session_;
  std::string plain_;  // the bytes that the session read
};

TEST_F(TlsSessionTest, CarriesBytesBothWaysInAnyPieces) {
  for (const int version : {2, 3}) {
    for (const size_t piece : {size_t{1}, size_t{1000}, size_t{1} << 20}) {
      SCOPED_TRACE(version);
      session_ = std::make_unique<TlsSession>(*context_);
      plain_.clear();
      TlsPeer peer(version);
      const std::string hello = peer.Take("");
      ASSERT_EQ(hello.front(), kTlsFirstByte);
      ASSERT_OK(Exchange(&peer, hello, piece));
      ASSERT_TRUE(peer.is_established());

      const std::string large(100'000, 'x');
      ASSERT_OK(Exchange(&peer, peer.Send(large), piece));
      EXPECT_EQ(plain_, large);
      std::string wire;
      ASSERT_TRUE(session_->Send(large, &wire));
      EXPECT_EQ(wire.find("xxxx"), std::string::npos);
      ASSERT_OK(Exchange(&peer, peer.Take(wire), piece));
      EXPECT_EQ(peer.received(), large);
    }
  }
}

TEST_F(TlsSessionTest, TheEndIsSaidByBoth) {
  TlsPeer peer;
  ASSERT_OK(Exchange(&peer, peer.Take("")));
  EXPECT_FALSE(session_->client_finished());

  std::string last = peer.Send("last");
  last += peer.Finish();
  ASSERT_OK(Exchange(&peer, last));
  EXPECT_TRUE(session_->client_finished());
  EXPECT_EQ(plain_, "last");
  std::string wire;
  ASSERT_TRUE(session_->Send("answer", &wire));
  session_->Finish(&wire);
  peer.Take(wire);
  EXPECT_EQ(peer.received(), "answer");
  EXPECT_TRUE(peer.server_finished());
}

TEST_F(TlsSessionTest, OldVersionsAreRefused) {
  TlsPeer peer(1);
  const std::string hello = peer.Take("");
  ASSERT_FALSE(hello.empty());

  EXPECT_THAT(Exchange(&peer, hello),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("tls: ")));
  EXPECT_FALSE(peer.is_established());
}

TEST_F(TlsSessionTest, WhatIsNoTlsOrWasChangedIsRefused) {
  std::string wire;
  EXPECT_FALSE(session_->Take("\x16GET / HTTP/1.1\r\n\r\n", &plain_, &wire).ok());
  EXPECT_FALSE(session_->Take("more", &plain_, &wire).ok());
  EXPECT_FALSE(session_->Send("x", &wire));

  session_ = std::make_unique<TlsSession>(*context_);
  TlsPeer peer;
  ASSERT_OK(Exchange(&peer, peer.Take("")));
  std::string record = peer.Send("put m 1 1 a=b\n");
  record.back() ^= 1;
  EXPECT_FALSE(Exchange(&peer, record).ok());
  EXPECT_EQ(plain_, "");
}

TEST_F(TlsSessionTest, NothingIsSentBeforeTheHandshakeIsDone) {
  std::string wire;
  EXPECT_FALSE(session_->Send("secret", &wire));
  session_->Finish(&wire);
  EXPECT_EQ(wire, "");
  EXPECT_FALSE(session_->is_established());
}

}  // namespace
}  // namespace hourcell::tls_session_test
