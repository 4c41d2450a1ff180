#include "server/http/body/body_stream.h"

#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/http/http_decode.h"
#include "tests/support/status_matchers.h"

namespace hourcell::body_stream_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A target that sends everything at once.
class BodyStreamTest : public testing::Test {
 protected:
  StreamTarget Target() {
    return {.window = window_, .send = [this](std::string bytes) {
              window_->Sent(bytes.size());
              sent_ += bytes;
            }};
  }

  // Prints `pieces` times a piece, and then succeeds or not.
  HttpResponse Response(int pieces, bool succeeds) {
    HttpResponse response;
    response.headers.emplace_back("X-Mine", "1");
    response.produce = [pieces, succeeds](BodyWriter* body, HttpResponse* failure) {
      for (int i = 0; i < pieces; ++i) {
        body->buffer().append(kBodyPieceBytes, static_cast<char>('a' + i));
        if (!body->Offer().ok()) return false;
      }
      body->buffer().append("end");
      failure->status = 413;
      failure->body = "{\"error\":1}";
      return succeeds;
    };
    return response;
  }

  const std::shared_ptr<SendWindow> window_ = std::make_shared<SendWindow>();
  std::string sent_;
  HttpRequest request_;
};

TEST_F(BodyStreamTest, ShortBodiesHaveTheirLength) {
  const HttpWire wire = SendBody(request_, Response(0, true), Target());

  EXPECT_EQ(sent_, "");
  EXPECT_THAT(wire.head, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(wire.head, HasSubstr("\r\nX-Mine: 1\r\nContent-Length: 3\r\n"));
  EXPECT_EQ(wire.body, "end");
  EXPECT_FALSE(wire.close);
}

TEST_F(BodyStreamTest, LongBodiesGoOutInChunks) {
  const HttpWire rest = SendBody(request_, Response(3, true), Target());

  ASSERT_FALSE(rest.cut);
  EXPECT_FALSE(rest.close);
  const std::string all = sent_ + rest.head + rest.body;
  const size_t head_end = all.find("\r\n\r\n") + 4;
  const std::string head = all.substr(0, head_end);
  EXPECT_THAT(head, HasSubstr("\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nX-Mine: 1\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("Content-Length")));
  EXPECT_TRUE(Unchunk(all.substr(head_end)) == std::string(kBodyPieceBytes, 'a') +
                                                   std::string(kBodyPieceBytes, 'b') +
                                                   std::string(kBodyPieceBytes, 'c') + "end");
}

TEST_F(BodyStreamTest, ToHttp10TheyEndWithTheConnection) {
  request_.http10 = true;
  request_.keep_alive = true;

  const HttpWire rest = SendBody(request_, Response(1, true), Target());

  EXPECT_TRUE(rest.close);
  const std::string all = sent_ + rest.head + rest.body;
  const size_t head_end = all.find("\r\n\r\n") + 4;
  EXPECT_THAT(all.substr(0, head_end), HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_THAT(all.substr(0, head_end), Not(HasSubstr("chunked")));
  EXPECT_TRUE(all.substr(head_end) == std::string(kBodyPieceBytes, 'a') + "end");
}

TEST_F(BodyStreamTest, CompressesForThoseWhoTakeIt) {
  request_.headers.emplace_back("accept-encoding", "gzip");

  const HttpWire rest = SendBody(request_, Response(2, true), Target());

  const std::string all = sent_ + rest.head + rest.body;
  const size_t head_end = all.find("\r\n\r\n") + 4;
  EXPECT_THAT(all.substr(0, head_end), HasSubstr("\r\nContent-Encoding: gzip\r\n"));
  const auto body = Unchunk(all.substr(head_end));
  ASSERT_TRUE(body.has_value());
  EXPECT_TRUE(Gunzip(*body) ==
              std::string(kBodyPieceBytes, 'a') + std::string(kBodyPieceBytes, 'b') + "end");
}

TEST_F(BodyStreamTest, AnErrorBeforeTheFirstPieceIsTheResponse) {
  const HttpWire wire = SendBody(request_, Response(0, false), Target());

  EXPECT_EQ(sent_, "");
  EXPECT_FALSE(wire.cut);
  EXPECT_THAT(wire.head, StartsWith("HTTP/1.1 413 "));
  EXPECT_EQ(wire.body, "{\"error\":1}");
}

TEST_F(BodyStreamTest, AnErrorAfterItCutsTheBody) {
  const HttpWire rest = SendBody(request_, Response(1, false), Target());

  EXPECT_THAT(sent_, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(rest.cut);
  EXPECT_EQ(rest.head + rest.body, "");
}

TEST_F(BodyStreamTest, AClientThatIsGoneEndsThePrinting) {
  window_->Close();

  const HttpWire rest = SendBody(request_, Response(100, true), Target());

  EXPECT_TRUE(rest.cut);
  EXPECT_LT(sent_.size(), 2 * kBodyPieceBytes);
}

TEST_F(BodyStreamTest, ResponsesWithTheirBodyAreSentAsTheyAre) {
  HttpResponse response;
  response.body = "x";
  response.close = true;

  const HttpWire wire = SendBody(request_, std::move(response), Target());

  EXPECT_EQ(wire.body, "x");
  EXPECT_TRUE(wire.close);
}

}  // namespace
}  // namespace hourcell::body_stream_test
