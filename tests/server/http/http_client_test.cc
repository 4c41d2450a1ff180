#include "server/http/http_client.h"

#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/http/http_inflate.h"
#include "server/http/http_response.h"
#include "tests/server/http/scripted_server.h"
#include "tests/server/net/tls_peer.h"
#include "tests/server/running_server.h"
#include "tests/support/status_matchers.h"

namespace hourcell::http_client_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// A variable of the environment, while it lives.
class ScopedEnv {
 public:
  ScopedEnv(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~ScopedEnv() { unsetenv(name_); }
  ScopedEnv(const ScopedEnv&) = delete;
  ScopedEnv& operator=(const ScopedEnv&) = delete;

 private:
  const char* const name_;
};

HttpUrl UrlOf(const std::string& text) {
  const auto url = ParseHttpUrl(text);
  EXPECT_OK(url.status());
  return *url;
}

TEST(HttpUrlTest, PartsAndDefaults) {
  const auto check = [](const std::string& text, const std::string& host, const std::string& port,
                        const std::string& prefix, const std::string& scheme = "http") {
    SCOPED_TRACE(text);
    const HttpUrl url = UrlOf(text);
    EXPECT_EQ(url.scheme, scheme);
    EXPECT_EQ(url.host, host);
    EXPECT_EQ(url.port, port);
    EXPECT_EQ(url.prefix, prefix);
  };
  check("http://a", "a", "4242", "");
  check("http://a:", "a", "4242", "");
  check("http://a:80/", "a", "80", "");
  check("http://a:80/tsd/x/", "a", "80", "/tsd/x");
  check("a:4243", "a", "4243", "");
  check("ftp.a:4243", "ftp.a", "4243", "");
  check("http://[::1]:80", "::1", "80", "");
  check("http://[::1]", "::1", "4242", "");
  check("http://[fe80::1%25eth0]:80", "fe80::1%25eth0", "80", "");
  check("https://a", "a", "4242", "", "https");
  check("HTTPS://a:443/tsd", "a", "443", "/tsd", "https");
}

TEST(HttpUrlTest, RefusesWhatItCannotReach) {
  for (const std::string text :
       {"ftp://a:1", "gopherx://a:1", "http://", "http://:80", "http://a:0", "http://a:65536",
        "http://a:b", "http://a/x?y", "http://a/#x"}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(ParseHttpUrl(text).status(),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("expected http://host:port or https://host:port")));
  }
}

TEST(HttpUrlTest, APasswordInItIsRefusedAndNotRepeated) {
  EXPECT_THAT(ParseHttpUrl("http://me:secret@a").status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("HOURCELL_TOKEN"), Not(HasSubstr("secret")))));
}

TEST(HttpUrlTest, WhatIsTrustedIsForTlsOnly) {
  EXPECT_OK(ParseHttpUrl("https://a", {.ca_file = "f"}).status());
  for (const TlsTrust& trust : {TlsTrust{.ca_file = "f"}, TlsTrust{.insecure = true}}) {
    EXPECT_THAT(ParseHttpUrl("http://a", trust).status(),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("are for https")));
  }
}

TEST(HttpUrlTest, FlagsAreThoseItCameFrom) {
  EXPECT_EQ(UrlFlags(UrlOf("http://[::1]:80/tsd/")), "--url http://[::1]:80/tsd");
  EXPECT_EQ(UrlFlags(*ParseHttpUrl("https://a", {.ca_file = "f", .insecure = true})),
            "--url https://a:4242 --ca-file f --insecure");
}

TEST(HttpClientTest, PostsWithLengthAndEncoding) {
  ScriptedServer server({{HttpReplyText(200, "hello")}});
  HttpClient client(UrlOf(server.url() + "/tsd"));

  const auto reply = client.Post("/api/put", "body", "gzip");

  ASSERT_OK(reply.status());
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->body, "hello");
  EXPECT_THAT(server.requests(),
              ElementsAre(AllOf(
                  StartsWith("POST /tsd/api/put HTTP/1.1\r\n"), HasSubstr("Content-Length: 4\r\n"),
                  HasSubstr("Content-Encoding: gzip\r\n"), testing::EndsWith("\r\n\r\nbody"))));
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

TEST(HttpClientTest, ASilentServerIsGivenUp) {
  // The last one of the script is not asked for: the server would close after it.
  ScriptedServer server({{""}, {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"}, {""}});
  HttpClient client(UrlOf(server.url()), /*reply_timeout_ms=*/1);

  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(client.Get("/"),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("receive: no answer in time")));
  }
}

// Who names a server means no other: the token goes with every request.
TEST(HttpClientTest, NoOtherServerIsAsked) {
  ScriptedServer other({{HttpReplyText(200, "other")}});
  ScriptedServer server({{HttpReplyText(302, "moved", "Location: " + other.url() + "/\r\n")}});
  const ScopedEnv proxy("http_proxy", other.url());
  const ScopedEnv token("HOURCELL_TOKEN", "me.secret");
  HttpClient client(UrlOf(server.url()));

  EXPECT_EQ(client.Get("/")->status, 302);

  EXPECT_THAT(server.requests(), ElementsAre(HasSubstr("Authorization: Bearer me.secret\r\n")));
  EXPECT_THAT(other.requests(), IsEmpty());
}

TEST(HttpClientTest, ATargetIsSentAsItIs) {
  ScriptedServer server({{HttpReplyText(200, "")}});

  EXPECT_OK(HttpClient(UrlOf(server.url() + "/tsd")).Get("/a/../b?m=sum:x{h=*}&q=%7B").status());

  EXPECT_THAT(server.requests(),
              ElementsAre(StartsWith("GET /tsd/a/../b?m=sum:x{h=*}&q=%7B HTTP/1.1\r\n")));
}

// A server with a certificate that vouches for itself.
class HttpsClientTest : public RunningServerTest {
 protected:
  void SetUp() override {
    RunningServerTest::SetUp();
    WriteCertificate(dir_.file("cert"), dir_.file("key"));
    Set("tsd.tls.certificate", dir_.file("cert"));
    Set("tsd.tls.key", dir_.file("key"));
    Set("tsd.tls.required", "true");
    Start();
  }

  absl::StatusOr<HttpReply> GetVersion(std::string_view host, const TlsTrust& trust = {}) {
    const auto url = ParseHttpUrl(fmt::format("https://{}:{}", host, port()), trust);
    EXPECT_OK(url.status());
    HttpClient client(*url);
    absl::StatusOr<HttpReply> reply = client.Get("/api/version");
    EXPECT_EQ(client.has_connected(), reply.ok()) << "nothing is sent to a server not verified";
    return reply;
  }
};

TEST_F(HttpsClientTest, ATrustedServerAnswers) {
  const auto reply = GetVersion("localhost", {.ca_file = dir_.file("cert")});

  ASSERT_OK(reply.status());
  EXPECT_EQ(reply->status, 200);
  EXPECT_THAT(reply->body, HasSubstr("version"));
}

TEST_F(HttpsClientTest, AnUnknownCertificateIsRefused) {
  EXPECT_THAT(GetVersion("localhost"),
              StatusIs(absl::StatusCode::kUnavailable,
                       AllOf(HasSubstr("certificate"), HasSubstr("--ca-file"))));
  WriteCertificate(dir_.file("other"), dir_.file("other_key"));
  EXPECT_THAT(GetVersion("localhost", {.ca_file = dir_.file("other")}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("certificate")));
}

TEST_F(HttpsClientTest, ACertificateOfAnotherHostIsRefused) {
  EXPECT_THAT(GetVersion("127.0.0.1", {.ca_file = dir_.file("cert")}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("certificate")));
}

TEST_F(HttpsClientTest, WhoAsksForItVerifiesNothing) {
  EXPECT_OK(GetVersion("127.0.0.1", {.insecure = true}).status());
}

TEST_F(HttpsClientTest, AMissingAuthorityIsSaid) {
  EXPECT_THAT(GetVersion("localhost", {.ca_file = dir_.file("none")}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr(dir_.file("none"))));
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

TEST(EscapeParamTest, AllButPlainLettersIsEscaped) {
  EXPECT_EQ(EscapeParam("aZ9-._~"), "aZ9-._~");
  EXPECT_EQ(EscapeParam("a b&c=d/\xc3\xa4%"), "a%20b%26c%3Dd%2F%C3%A4%25");
}

TEST(HttpLinesTest, LinesAreGivenAsTheyComeAndTheRestIsTheBody) {
  ScriptedServer server(
      {{.bytes = HttpReplyText(200, "one\n\ntwo\nrest")}, {.bytes = HttpReplyText(404, "one\n")}});
  HttpClient client(*ParseHttpUrl(server.url()));
  std::vector<std::string> lines;
  const auto take = [&lines](std::string_view line) {
    lines.emplace_back(line);
    return true;
  };

  const auto found = client.GetLines("/a", take);
  const auto missing = client.GetLines("/b", take);

  ASSERT_OK(found);
  ASSERT_OK(missing);
  EXPECT_THAT(lines, testing::ElementsAre("one", "", "two"));
  EXPECT_EQ(found->body, "rest");
  EXPECT_EQ(missing->body, "one\n");
}

TEST(HttpClientTest, AnAnswerOverTheLimitIsGivenUp) {
  ScriptedServer server(
      {{HttpReplyText(200, std::string(11, 'x'))}, {HttpReplyText(200, "0123456789")}});
  HttpClient client(UrlOf(server.url()));
  client.set_reply_bytes_max(10);

  EXPECT_THAT(client.Get("/").status(),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("more than 10 bytes")));
  const auto reply = client.Get("/");
  ASSERT_OK(reply.status());
  EXPECT_EQ(reply->body, "0123456789");
}

TEST(HttpClientTest, TheTokenIsOfTheVariableOfTheUrl) {
  const ScopedEnv token("HOURCELL_TOKEN", "target");
  const ScopedEnv other("HOURCELL_SOURCE_TOKEN", "source");
  ScriptedServer server({{HttpReplyText(200, "")}});
  HttpUrl url = UrlOf(server.url());
  url.token_variable = "HOURCELL_SOURCE_TOKEN";
  HttpClient client(url);

  ASSERT_OK(client.Get("/").status());

  EXPECT_THAT(server.requests()[0], HasSubstr("Authorization: Bearer source\r\n"));
}

}  // namespace
}  // namespace hourcell::http_client_test
