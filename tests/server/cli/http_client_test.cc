#include "server/cli/http_client.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/http/http_inflate.h"
#include "server/http/http_response.h"
#include "tests/server/cli/scripted_server.h"
#include "tests/support/status_matchers.h"

namespace hourcell::http_client_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

HttpUrl UrlOf(const std::string& text) {
  const auto url = ParseHttpUrl(text);
  EXPECT_OK(url.status());
  return *url;
}

TEST(HttpUrlTest, PartsAndDefaults) {
  const auto check = [](const std::string& text, const std::string& host, const std::string& port,
                        const std::string& prefix) {
    SCOPED_TRACE(text);
    const HttpUrl url = UrlOf(text);
    EXPECT_EQ(url.host, host);
    EXPECT_EQ(url.port, port);
    EXPECT_EQ(url.prefix, prefix);
  };
  check("http://a", "a", "4242", "");
  check("http://a:80/", "a", "80", "");
  check("http://a:80/tsd/x/", "a", "80", "/tsd/x");
  check("a:4243", "a", "4243", "");
  check("http://[::1]:80", "::1", "80", "");
  check("http://[::1]", "::1", "4242", "");
}

TEST(HttpUrlTest, RefusesWhatItCannotReach) {
  for (const std::string text : {"https://a", "ftp://a:1", "http://", "http://:80", "http://a:0",
                                 "http://a:65536", "http://a:b", "http://a:"}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(ParseHttpUrl(text).status(), StatusIs(absl::StatusCode::kInvalidArgument,
                                                      HasSubstr("must be http://host:port")));
  }
}

TEST(HttpClientTest, PostsWithLengthAndEncoding) {
  ScriptedServer server({{HttpReplyText(200, "hello")}});
  HttpClient client(UrlOf(server.url() + "/tsd"));

  const auto reply = client.Post("/api/put", "body", "gzip");

  ASSERT_OK(reply.status());
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->body, "hello");
  EXPECT_THAT(
      server.requests(),
      ElementsAre(AllOf(testing::StartsWith("POST /tsd/api/put HTTP/1.1\r\n"),
                        HasSubstr("Content-Length: 4\r\n"), HasSubstr("Content-Encoding: gzip\r\n"),
                        testing::EndsWith("\r\n\r\nbody"))));
}

TEST(HttpClientTest, ReadsEveryFormOfBody) {
  ScriptedServer server(
      {{"HTTP/1.1 204 No Content\r\n\r\n"},
       {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"},
       {HttpReplyText(200, std::string(1'000'000, 'x'))},
       {"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end", /*close=*/true}});
  HttpClient client(UrlOf(server.url()));

  EXPECT_EQ(client.Post("/", "")->status, 204);
  EXPECT_EQ(client.Post("/", "")->body, "abcde");
  EXPECT_EQ(client.Post("/", "")->body.size(), 1'000'000u);
  EXPECT_EQ(client.Post("/", "")->body, "until the end");
}

TEST(HttpClientTest, ConnectsAgainWhenTheServerClosedAnIdleConnection) {
  ScriptedServer server({{HttpReplyText(200, "1"), /*close=*/true}, {HttpReplyText(200, "2")}});
  HttpClient client(UrlOf(server.url()));

  EXPECT_EQ(client.Post("/", "a")->body, "1");
  EXPECT_EQ(client.Post("/", "b")->body, "2");
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST(HttpClientTest, RetryAfterIsRead) {
  ScriptedServer server({{HttpReplyText(503, "", "Retry-After: 7\r\n")}});
  HttpClient client(UrlOf(server.url()));

  EXPECT_EQ(client.Post("/", "")->retry_after_s, 7);
}

TEST(HttpClientTest, NobodyThereAndNoHttpAreUnavailable) {
  HttpUrl unused;
  {
    ScriptedServer gone({});
    unused = UrlOf(gone.url());
  }
  HttpClient nobody(unused);
  EXPECT_THAT(nobody.Post("/", ""),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("Connection refused")));

  ScriptedServer telnet({{"who are you\r\n\r\n", /*close=*/true}});
  HttpClient client(UrlOf(telnet.url()));
  EXPECT_THAT(client.Post("/", ""),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("not HTTP")));
}

TEST(HttpErrorTextTest, OpenTsdbsMessageAndDetails) {
  EXPECT_EQ(HttpErrorText({400, R"({"error":{"code":400,"message":"No","details":"why"}})"}),
            "400 No: why");
  EXPECT_EQ(HttpErrorText({400, R"({"error":{"code":400,"message":"No","details":"No"}})"}),
            "400 No");
  EXPECT_EQ(HttpErrorText({502, "<html>"}), "502 \"<html>\"");
}

TEST(GzipTest, InflatesToWhatItWas) {
  std::string text;
  for (int i = 0; i < 10'000; ++i)
    text += std::to_string(i * i);

  const std::string zipped = Gzip(text);

  EXPECT_LT(zipped.size(), text.size());
  EXPECT_THAT(Inflate(zipped, Compression::kGzip, text.size()), IsOkAndHolds(text));
}

}  // namespace
}  // namespace hourcell::http_client_test
