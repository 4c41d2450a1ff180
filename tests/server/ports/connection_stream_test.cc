// Responses in pieces over real sockets, made by a handler that the test controls.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/api/http_context.h"
#include "server/http/body/body_writer.h"
#include "server/http/body/send_window.h"
#include "server/http/http_error.h"
#include "server/http/http_parser.h"
#include "server/net/asio.h"
#include "server/ports/connection.h"
#include "server/ports/listener.h"
#include "server/ports/reactors.h"
#include "tests/server/http/http_decode.h"
#include "tests/server/raw_client.h"
#include "tests/support/status_matchers.h"

namespace hourcell::connection_stream_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kRequest = "GET /long HTTP/1.1\r\nHost: x\r\n\r\n";
constexpr std::string_view kShortRequest = "GET /short HTTP/1.1\r\nHost: x\r\n\r\n";

// Waits until `condition` holds, 60 s at most.
bool Eventually(const std::function<bool()>& condition) {
  const auto deadline = steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return true;
}

class ConnectionStreamTest : public testing::Test {
 protected:
  using Producer = HttpResponse::Producer;

  // Serves /long by `producer`, anything else by "short".
  uint16_t Start(Producer producer) {
    http_.pools.workers = &pool_;
    context_.http = &http_;
    context_.counters = &counters_;
    http_.counters = &counters_;
    http_.body_bytes_max = 1000;
    http_.answer = [producer = std::move(producer)](HttpRequest* request) {
      HttpResponse response;
      if (request->target == "/long") {
        response.produce = producer;
      } else {
        response.body = "short";
      }
      return response;
    };
    auto socket = ListenSocket::Open({});
    HOURCELL_CHECK(socket.ok());
    listener_ = Listener::Open(*std::move(socket), {}, &reactors_, &context_, &stats_);
    reactors_.Start();
    return listener_->port();
  }

  // Prints `pieces` pieces of one letter each.
  Producer Pieces(size_t pieces) {
    return [this, pieces](BodyWriter* body, HttpResponse* /*failure*/) {
      body->Bind(control_);
      for (size_t i = 0; i < pieces; ++i) {
        body->buffer().append(kBodyPieceBytes, static_cast<char>('a' + i % 26));
        if (!body->Offer().ok()) {
          ended_ = true;
          return false;
        }
        produced_ += kBodyPieceBytes;
      }
      ended_ = true;
      return true;
    };
  }
  static std::string BodyOf(size_t pieces) {
    std::string body;
    for (size_t i = 0; i < pieces; ++i)
      body.append(kBodyPieceBytes, static_cast<char>('a' + i % 26));
    return body;
  }

  // Prints nothing until its query is cancelled.
  Producer Patience() {
    return [this](BodyWriter* body, HttpResponse* failure) {
      body->Bind(control_);
      is_running_ = true;
      const bool cancelled = Eventually([&] { return control_->is_cancelled(); });
      *failure = HttpError(503, cancelled ? "cancelled" : "never cancelled");
      ended_ = true;
      return false;
    };
  }

  void TearDown() override {
    if (listener_ != nullptr) listener_->Stop(/*grace_ms=*/1000);
    pool_.pool.join();
    reactors_.Stop();
  }

  Stats stats_;
  const ConnectionCounters counters_{&stats_};
  HttpContext http_;
  ConnectionContext context_;
  const std::shared_ptr<QueryControl> control_ = std::make_shared<QueryControl>();
  std::atomic<size_t> produced_ = 0;
  std::atomic<bool> is_running_ = false;
  std::atomic<bool> ended_ = false;
  Reactors reactors_{1};
  WorkerPool pool_{2};
  std::unique_ptr<Listener> listener_;
};

TEST_F(ConnectionStreamTest, TheFirstPiecesComeBeforeTheLastArePrinted) {
  std::atomic<bool> may_end = false;
  RawClient client(Start([&](BodyWriter* body, HttpResponse*) {
    body->buffer().assign(kBodyPieceBytes, 'x');
    EXPECT_OK(body->Offer());
    EXPECT_TRUE(Eventually([&] { return may_end.load(); }));
    body->buffer() = "the end";
    return true;
  }));
  client.Send(kRequest);

  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("\r\nTransfer-Encoding: chunked\r\n"));
  EXPECT_EQ(client.ReadUntil(std::string(kBodyPieceBytes, 'x')).size(), kBodyPieceBytes + 7);
  may_end = true;
  EXPECT_EQ(client.ReadUntil("0\r\n\r\n"), "\r\n7\r\nthe end\r\n0\r\n\r\n");
}

TEST_F(ConnectionStreamTest, PipelinedRequestsAreAnsweredAfterAStream) {
  constexpr size_t kPieces = 100;
  RawClient client(Start(Pieces(kPieces)));
  client.Send(std::string(kRequest) + std::string(kShortRequest) + std::string(kRequest));

  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("chunked"));
    const auto body = Unchunk(client.ReadUntil("\r\n0\r\n\r\n"));
    ASSERT_TRUE(body.has_value());
    EXPECT_TRUE(*body == BodyOf(kPieces));
    if (i == 0) {
      EXPECT_THAT(client.ReadUntil("short"), EndsWith("\r\n\r\nshort"));
    }
  }
}

TEST_F(ConnectionStreamTest, Http10StreamsEndWithTheConnection) {
  RawClient client(Start(Pieces(40)));
  client.Send("GET /long HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");

  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), Not(HasSubstr("chunked")));
  EXPECT_TRUE(client.ReadAll() == BodyOf(40));
  EXPECT_FALSE(client.was_reset());
}

TEST_F(ConnectionStreamTest, StreamsAreCompressedForThoseWhoTakeIt) {
  RawClient client(Start(Pieces(40)));
  client.Send("GET /long HTTP/1.1\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n");

  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("\r\nContent-Encoding: gzip\r\n"));
  const auto body = Unchunk(client.ReadAll());
  ASSERT_TRUE(body.has_value());
  EXPECT_TRUE(Gunzip(*body) == BodyOf(40));
}

// The producer waits: neither the server nor the sockets buffer unread data.
TEST_F(ConnectionStreamTest, ASlowReaderHoldsTheProducerBack) {
  constexpr size_t kPieces = 1000;
  RawClient client(Start(Pieces(kPieces)), /*receive_bytes=*/64 * 1024);
  client.Send(kRequest);
  ASSERT_TRUE(Eventually([&] { return produced_ > kUnsentBytesMax; }));
  client.ReadUntil("\r\n\r\n");
  // However fast or slow either side is, the other is never far ahead.
  std::string chunks;
  size_t ahead_bytes_max = 0;
  while (!chunks.ends_with("\r\n0\r\n\r\n")) {
    const size_t produced = produced_;
    ahead_bytes_max = std::max(ahead_bytes_max, produced - std::min(produced, chunks.size()));
    const std::string more = client.ReadAvailable();
    if (more.empty()) break;
    chunks += more;
  }
  EXPECT_LT(ahead_bytes_max, size_t{16} << 20);
  const auto body = Unchunk(chunks);

  ASSERT_TRUE(body.has_value());
  EXPECT_TRUE(*body == BodyOf(kPieces));
}

TEST_F(ConnectionStreamTest, AClientThatTakesNothingIsDropped) {
  http_.send_timeout_ms = 300;
  RawClient client(Start(Pieces(100'000)), /*receive_bytes=*/64 * 1024);
  client.Send(kRequest);

  EXPECT_TRUE(Eventually([&] { return ended_.load(); }));

  EXPECT_EQ(counters_.timed_out->value(), 1U);
  EXPECT_TRUE(control_->is_cancelled());
}

TEST_F(ConnectionStreamTest, AClientThatVanishesCancelsItsQuery) {
  RawClient client(Start(Patience()));
  client.Send(kRequest);
  ASSERT_TRUE(Eventually([&] { return is_running_.load(); }));

  client.Close();

  ASSERT_TRUE(Eventually([&] { return ended_.load(); }));
  EXPECT_TRUE(control_->is_cancelled());
}

TEST_F(ConnectionStreamTest, AClientThatVanishesEndsItsStream) {
  RawClient client(Start(Pieces(100'000)), /*receive_bytes=*/64 * 1024);
  client.Send(kRequest);
  ASSERT_TRUE(Eventually([&] { return produced_ > kUnsentBytesMax; }));

  client.Close();

  ASSERT_TRUE(Eventually([&] { return ended_.load(); }));
  EXPECT_LT(produced_, 100'000 * kBodyPieceBytes);
  EXPECT_TRUE(control_->is_cancelled());
}

// The server cannot distinguish it from a client that vanished; if it still reads, it gets the
// error.
TEST_F(ConnectionStreamTest, AClientThatEndsItsInputIsToldThatItsQueryIsCancelled) {
  RawClient client(Start(Patience()));
  client.Send(kRequest);
  client.EndInput();

  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 503 "));
}

TEST_F(ConnectionStreamTest, AQueryThatIsCancelledDoesNotWaitForItsClient) {
  RawClient client(Start(Pieces(100'000)), /*receive_bytes=*/64 * 1024);
  client.Send(kRequest);
  ASSERT_TRUE(Eventually([&] { return produced_ > kUnsentBytesMax; }));

  control_->Cancel();

  ASSERT_TRUE(Eventually([&] { return ended_.load(); }));
  EXPECT_LT(produced_, 100'000 * kBodyPieceBytes);
  EXPECT_THAT(client.ReadAll(), Not(EndsWith("\r\n0\r\n\r\n")));
}

TEST_F(ConnectionStreamTest, AnErrorAfterTheFirstPieceCutsTheBody) {
  const uint16_t port = Start([](BodyWriter* body, HttpResponse* failure) {
    body->buffer().assign(kBodyPieceBytes, 'x');
    EXPECT_OK(body->Offer());
    *failure = HttpError(500, "too late");
    return false;
  });
  RawClient chunked(port);
  chunked.Send(std::string(kRequest) + std::string(kShortRequest));
  RawClient until_close(port);
  until_close.Send("GET /long HTTP/1.0\r\n\r\n");

  const std::string text = chunked.ReadAll();
  until_close.ReadAll();

  EXPECT_THAT(text, Not(HasSubstr("\r\n0\r\n\r\n")));
  EXPECT_THAT(text, Not(HasSubstr("too late")));
  EXPECT_THAT(text, Not(HasSubstr("short")));
  EXPECT_TRUE(until_close.was_reset());
}

TEST_F(ConnectionStreamTest, AnErrorBeforeItIsTheResponse) {
  RawClient client(Start([](BodyWriter* body, HttpResponse* failure) {
    body->buffer() = "half of it";
    *failure = HttpError(413, "too much");
    return false;
  }));
  client.Send(std::string(kRequest) + std::string(kShortRequest));

  EXPECT_THAT(client.ReadUntil("}}"), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(client.ReadUntil("short"), EndsWith("short"));
}

TEST_F(ConnectionStreamTest, StopEndsAStreamThatNobodyReads) {
  RawClient client(Start(Pieces(100'000)), /*receive_bytes=*/64 * 1024);
  client.Send(kRequest);
  ASSERT_TRUE(Eventually([&] { return produced_ > kUnsentBytesMax; }));

  const auto stop_at = steady_clock::now();
  listener_->Stop(/*grace_ms=*/200);

  EXPECT_TRUE(Eventually([&] { return ended_.load(); }));
  EXPECT_LT(steady_clock::now() - stop_at, milliseconds(2000));
  EXPECT_TRUE(control_->is_cancelled());
}

TEST_F(ConnectionStreamTest, StopLetsAStreamEndThatIsRead) {
  RawClient client(Start(Pieces(500)));
  client.Send(kRequest);
  client.ReadUntil("\r\n\r\n");
  std::jthread stopper([&] { listener_->Stop(/*grace_ms=*/10'000); });

  EXPECT_TRUE(Unchunk(client.ReadAll()) == BodyOf(500));
}

}  // namespace
}  // namespace hourcell::connection_stream_test
