// The requests of a browser for a foreign page, byte for byte, and the answers.

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/http_exchange.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::web_page_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kQuery = "/api/query?start=1356998400&end=1356998401&m=sum:m";
constexpr std::string_view kPoint =
    R"({"metric":"m","timestamp":1356998400,"value":42,"tags":{"host":"a"}})";

class WebPageTest : public testing::Test {
 protected:
  WebPageTest() : server_(directory_.path()) {
    EXPECT_EQ(HttpCall(server_.port(), "POST", "/api/put", kPoint).status, 204);
  }

  // With the real port in Host, as a browser has it.
  HttpResult Ask(std::string_view method,
                 std::string_view target,
                 std::string_view host,
                 std::string_view headers,
                 std::string_view body = {}) {
    TcpClient client(server_.port());
    return Exchange(&client, WithBody(fmt::format("{} {} HTTP/1.1\r\nHost: {}:{}\r\n{}", method,
                                                  target, host, server_.port(), headers),
                                      body));
  }
  std::string Points() { return HttpCall(server_.port(), "GET", kQuery).body; }

  TempDir directory_;
  ServerProcess server_;
};

TEST_F(WebPageTest, AForeignPageNeitherWritesNorReads) {
  const std::string_view foreign =
      "Origin: http://evil.com\r\nSec-Fetch-Site: cross-site\r\nContent-Type: text/plain\r\n";

  EXPECT_EQ(Ask("POST", "/api/admin/ttl", "127.0.0.1", foreign, R"({"metric":"m","ttl":1})").status,
            403);
  EXPECT_EQ(Ask("POST", "/api/put", "localhost", foreign, kPoint).status, 403);
  const HttpResult read = Ask("GET", kQuery, "localhost", foreign);
  EXPECT_EQ(read.status, 403);
  EXPECT_EQ(HeaderOf(read, "x-content-type-options"), "nosniff");
  EXPECT_EQ(HeaderOf(read, "vary"), "origin");
  EXPECT_THAT(read.body, Not(HasSubstr("42")));
  EXPECT_THAT(Points(), HasSubstr(R"("1356998400":42)"));
}

// A picture on any page. To an address that is not local a browser sends no Sec-Fetch-Site.
TEST_F(WebPageTest, APictureRenamesNothing) {
  for (const std::string_view headers : {"", "Sec-Fetch-Site: cross-site\r\n"}) {
    EXPECT_EQ(Ask("GET", "/api/uid/rename?metric=m&name=n", "10.0.0.1", headers).status, 403);
    EXPECT_EQ(Ask("GET", "/api/dropcaches", "10.0.0.1", headers).status, 403);
  }
  EXPECT_THAT(Points(), HasSubstr(R"("1356998400":42)"));
}

TEST_F(WebPageTest, AScriptReadsNothing) {
  const HttpResult result = Ask("GET", std::string(kQuery) + "&jsonp=f", "localhost", "");
  EXPECT_EQ(result.status, 400);
  EXPECT_THAT(result.body, HasSubstr("tsd.http.jsonp"));
}

// A page whose name was made to point here: to the browser it is the server's own.
TEST_F(WebPageTest, ANameThatWasMadeToPointHereReadsNothing) {
  const std::string own = fmt::format("Origin: http://evil.com:{}\r\n", server_.port());
  EXPECT_EQ(Ask("GET", kQuery, "evil.com", "").status, 403);
  EXPECT_EQ(Ask("POST", "/api/put", "evil.com", own, kPoint).status, 403);
}

TEST_F(WebPageTest, OurOwnPagesAndClientsThatAreNoBrowsersMayAll) {
  const std::string own = fmt::format(
      "Origin: http://localhost:{}\r\nSec-Fetch-Site: same-origin\r\n"
      "Content-Type: application/json\r\n",
      server_.port());
  EXPECT_EQ(Ask("POST", "/api/uid/assign", "localhost", own, R"({"metric":["new"]})").status, 200);
  EXPECT_EQ(Ask("POST", "/api/put", "127.0.0.1",
                "Content-Type: application/x-www-form-urlencoded\r\n", kPoint)
                .status,
            204);
  EXPECT_EQ(Ask("GET", kQuery, "192.0.2.1", "").status, 200) << "a health check by address";
}

TEST_F(WebPageTest, HeadHasTheHeadersOfGetAndTheConnectionGoesOn) {
  TcpClient client(server_.port());
  client.Send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  client.Send("HEAD /api/version HTTP/1.1\r\nHost: localhost\r\n\r\n");
  client.Send("GET /api/version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const std::string replies = client.ReadToEnd();

  EXPECT_THAT(replies, StartsWith("HTTP/1.1 200 OK\r\nContent-Type: text/html"));
  size_t count = 0;
  for (size_t at = 0; (at = replies.find("HTTP/1.1 200 OK", at)) != std::string::npos; ++at)
    ++count;
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(replies.find("<html"), std::string::npos);
  const size_t body = replies.find('{');
  ASSERT_NE(body, std::string::npos);
  const std::string length = fmt::format("Content-Length: {}\r\n", replies.size() - body);
  EXPECT_NE(replies.find(length), replies.rfind(length)) << "of HEAD and of GET";
}

}  // namespace
}  // namespace hourcell::web_page_test
