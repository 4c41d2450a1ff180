#include "server/http/http_response.h"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/http/http_inflate.h"
#include "tests/support/status_matchers.h"

namespace hourcell::http_response_test {
namespace {

using testing::HasSubstr;
using testing::Not;

HttpRequest GzipRequest() {
  HttpRequest request;
  request.headers = {{"accept-encoding", "deflate, gzip;q=0.5"}};
  return request;
}

HttpResponse Response(std::string body) {
  HttpResponse response;
  response.body = std::move(body);
  return response;
}

TEST(HttpResponseTest, WritesStatusHeadersAndBody) {
  HttpResponse response = Response("{}");
  response.status = 404;
  response.headers = {{"X", "y"}};

  const HttpWire wire = FormatResponse({}, response);

  EXPECT_EQ(wire.head,
            "HTTP/1.1 404 Not Found\r\n"
            "Content-Type: application/json; charset=UTF-8\r\n"
            "X-Content-Type-Options: nosniff\r\n"
            "X: y\r\n"
            "Content-Length: 2\r\n"
            "Connection: keep-alive\r\n\r\n");
  EXPECT_EQ(wire.body, "{}");
  EXPECT_FALSE(wire.close);
}

TEST(HttpResponseTest, EmptyBodyHasALengthAndNoType) {
  HttpResponse response;
  response.status = 204;

  const HttpWire wire = FormatResponse({}, response);

  EXPECT_EQ(wire.head,
            "HTTP/1.1 204 No Content\r\nX-Content-Type-Options: nosniff\r\nContent-Length: 0\r\n"
            "Connection: keep-alive\r\n\r\n");
}

TEST(HttpResponseTest, ClosesWhenEitherSideWants) {
  HttpRequest last;
  last.keep_alive = false;
  HttpResponse closing;
  closing.close = true;

  EXPECT_TRUE(FormatResponse(last, {}).close);
  EXPECT_TRUE(FormatResponse({}, closing).close);
  EXPECT_THAT(FormatResponse(last, {}).head, HasSubstr("Connection: close\r\n"));
}

TEST(HttpResponseTest, CompressesLongBodiesForThoseWhoTakeIt) {
  const std::string body(kGzipBodyBytesMin, 'x');

  const HttpWire wire = FormatResponse(GzipRequest(), Response(body));

  EXPECT_THAT(wire.head, HasSubstr("Content-Encoding: gzip\r\n"));
  EXPECT_THAT(wire.head, HasSubstr("Content-Length: " + std::to_string(wire.body.size()) + "\r\n"));
  EXPECT_THAT(Inflate(wire.body, Compression::kGzip, body.size()), IsOkAndHolds(body));
  EXPECT_EQ(FormatResponse({}, Response(body)).body, body);
  EXPECT_EQ(FormatResponse(GzipRequest(), Response("short")).body, "short");
}

TEST(HttpResponseTest, AcceptEncodingIsRead) {
  for (const char* yes : {"gzip", "GZIP", "deflate,gzip", "br, gzip ; q=0.001", "*", "x-gzip"}) {
    EXPECT_TRUE(AcceptsGzip(yes)) << yes;
  }
  for (const char* no :
       {"", "identity", "gzip;q=0", "gzip; q=0.000", "*;q=0", "gzipped", "*, gzip;q=0"}) {
    EXPECT_FALSE(AcceptsGzip(no)) << no;
  }
}

TEST(HttpResponseTest, HeadGetsTheLengthOnly) {
  HttpRequest request;
  request.method = "HEAD";

  const HttpWire wire = FormatResponse(request, Response("12345"));

  EXPECT_THAT(wire.head, HasSubstr("Content-Length: 5\r\n"));
  EXPECT_EQ(wire.body, "");
}

TEST(HttpResponseTest, TheAnswerToHeadHasTheLengthItIsTold) {
  HttpRequest request;
  request.method = "HEAD";
  request.keep_alive = false;
  request.headers = {{"accept-encoding", "gzip"}};

  const HttpWire wire = FormatHeadAnswer(request, Response(""), 5'000'000'000);

  EXPECT_EQ(wire.head,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=UTF-8\r\n"
            "X-Content-Type-Options: nosniff\r\nContent-Length: 5000000000\r\n"
            "Connection: close\r\n\r\n");
  EXPECT_EQ(wire.body, "");
  EXPECT_TRUE(wire.close);
}

TEST(HttpResponseTest, EchoedTextCannotAddAHeader) {
  HttpResponse response;
  response.headers = {{"Origin", "a\r\nSet-Cookie: b"}};

  const HttpWire wire = FormatResponse({}, response);

  EXPECT_THAT(wire.head, HasSubstr("Origin: a  Set-Cookie: b\r\n"));
  EXPECT_THAT(wire.head, Not(HasSubstr("\nSet-Cookie")));
}

TEST(HttpResponseTest, HeadsOfStreamsTellNoLength) {
  HttpRequest request;
  HttpResponse response;
  response.headers.emplace_back("X-Mine", "a\nb");

  const StreamHead plain = FormatStreamHead(request, response);
  request.headers.emplace_back("accept-encoding", "gzip");
  const StreamHead gzip = FormatStreamHead(request, response);

  EXPECT_EQ(plain.text,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=UTF-8\r\n"
            "X-Content-Type-Options: nosniff\r\nX-Mine: a b\r\n"
            "Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_TRUE(plain.chunked);
  EXPECT_FALSE(plain.gzip);
  EXPECT_FALSE(plain.close);
  EXPECT_THAT(gzip.text, testing::HasSubstr("\r\nContent-Encoding: gzip\r\n"));
  EXPECT_TRUE(gzip.gzip);
}

TEST(HttpResponseTest, StreamsToHttp10EndWithTheConnection) {
  HttpRequest request;
  request.http10 = true;
  request.keep_alive = true;

  const StreamHead head = FormatStreamHead(request, {});

  EXPECT_FALSE(head.chunked);
  EXPECT_TRUE(head.close);
  EXPECT_THAT(head.text, testing::EndsWith("\r\nConnection: close\r\n\r\n"));
}

}  // namespace
}  // namespace hourcell::http_response_test
