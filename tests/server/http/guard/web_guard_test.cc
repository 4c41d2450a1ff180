#include "server/http/guard/web_guard.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "codec/base/check.h"
#include "server/http/http_target.h"
#include "tests/support/status_matchers.h"

namespace hourcell::web_guard_test {
namespace {

using testing::HasSubstr;

using Headers = std::vector<std::pair<std::string, std::string>>;

HttpRequest MakeRequest(std::string_view line, Headers headers) {
  HttpRequest request;
  const size_t blank = line.find(' ');
  request.method = line.substr(0, blank);
  request.target = line.substr(blank + 1);
  request.headers = std::move(headers);
  HOURCELL_CHECK(ParseTarget(&request).ok());
  return request;
}

class WebGuardTest : public testing::Test {
 protected:
  void Set(std::string_view key, std::string_view value) { ASSERT_OK(config_.Set(key, value)); }

  // The status of a refusal; 0 for what may pass.
  int Judge(const HttpRequest& request) {
    auto cors = CorsPolicy::Create(config_.text("tsd.http.request.cors_domains"), "");
    HOURCELL_CHECK(cors.ok());
    const WebGuard guard(config_, "Web01.example.com", &*cors);
    const auto refusal = guard.Refuse(request);
    if (refusal.has_value()) text_ = refusal->body;
    return refusal.has_value() ? refusal->status : 0;
  }
  int Judge(std::string_view line, Headers headers) { return Judge(MakeRequest(line, headers)); }

  Config config_;
  std::string text_;  // of the last refusal
};

constexpr std::string_view kGet = "GET /api/query";
constexpr std::string_view kPut = "POST /api/put";

TEST_F(WebGuardTest, ClientsThatAreNoBrowsersPass) {
  EXPECT_EQ(Judge(kGet, {}), 0);
  EXPECT_EQ(Judge(kPut, {}), 0);
  EXPECT_EQ(Judge(kPut, {{"host", "localhost:4242"}, {"user-agent", "curl/7.88.1"}}), 0);
}

TEST_F(WebGuardTest, AForeignOriginIsRefused) {
  for (const char* const origin :
       {"http://evil.com", "null", "http://localhost:3000", "https://localhost", "file://", "x"}) {
    for (const std::string_view line : {kGet, kPut, std::string_view("DELETE /api/query")}) {
      EXPECT_EQ(Judge(line, {{"host", "localhost:4242"}, {"origin", origin}}), 403) << origin;
      EXPECT_EQ(Judge(line, {{"origin", origin}}), 403) << origin << " without a Host";
    }
  }
  EXPECT_THAT(text_, HasSubstr("tsd.http.request.cors_domains"));
}

TEST_F(WebGuardTest, OurOwnPagesPass) {
  EXPECT_EQ(Judge(kPut, {{"host", "LOCALHOST:4242"}, {"origin", "http://localhost:4242"}}), 0);
  EXPECT_EQ(Judge(kPut, {{"host", "10.0.0.1:4242"}, {"origin", "https://10.0.0.1:4242"}}), 0);
  EXPECT_EQ(Judge(kPut, {{"host", "[::1]:4242"}, {"origin", "http://[::1]:4242"}}), 0);
  EXPECT_EQ(Judge(kGet, {{"host", "localhost:4242"}, {"sec-fetch-site", "same-origin"}}), 0);
  EXPECT_EQ(Judge(kGet, {{"host", "localhost:4242"}, {"sec-fetch-site", "none"}}), 0);
}

// A page whose name was made to point here is its own origin.
TEST_F(WebGuardTest, AHostThatIsNoNameOfThisServerIsRefused) {
  for (const char* const host :
       {"evil.com", "evil.com:4242", "evil.com.", "localhost.evil.com", "127.0.0.1.evil.com",
        "2130706433", "evil", "web01.evil.com", "[evil]", ":4242"}) {
    EXPECT_EQ(Judge(kGet, {{"host", host}}), 403) << host;
    EXPECT_EQ(Judge(kPut, {{"host", host}, {"origin", "http://" + std::string(host)}}), 403);
  }
  EXPECT_THAT(text_, HasSubstr("tsd.http.hosts"));
}

TEST_F(WebGuardTest, AddressesAndOwnNamesAreKnown) {
  Set("tsd.network.bind", "tsdb.local");
  Set("tsd.network.listeners", "Metrics.example.com:4243=write, [::1]:4244=read");
  for (const char* const host : {"127.0.0.1:4242", "10.1.2.3", "[::1]:4242", "[2001:db8::1]",
                                 "localhost", "a.localhost:1", "web01.example.com:4242", "WEB01",
                                 "web01.example.com.", "tsdb.local", "metrics.example.com"}) {
    EXPECT_EQ(Judge(kGet, {{"host", host}}), 0) << host;
  }
}

TEST_F(WebGuardTest, ASettingAddsHosts) {
  Set("tsd.http.hosts", "tsdb, TSDB.example.com");
  EXPECT_EQ(Judge(kGet, {{"host", "tsdb:4242"}}), 0);
  EXPECT_EQ(Judge(kGet, {{"host", "tsdb.example.com:4242"}}), 0);
  EXPECT_EQ(Judge(kGet, {{"host", "evil.com"}}), 403);
  Set("tsd.http.hosts", "*");
  EXPECT_EQ(Judge(kGet, {{"host", "evil.com"}}), 0);
}

// A browser has no credentials to attach for a page of such a name.
TEST_F(WebGuardTest, AUserMayCallTheServerAsItLikes) {
  HttpRequest request =
      MakeRequest(kGet, {{"host", "tsdb.example.com"}, {"authorization", "Bearer a.b"}});
  EXPECT_EQ(Judge(request), 403) << "without users it says nothing";
  Set("tsd.auth.file", "users");
  EXPECT_EQ(Judge(request), 0);
  request.login_refused = true;
  EXPECT_EQ(Judge(request), 403);
  request.login_refused = false;
  request.headers.emplace_back("origin", "http://evil.com");
  EXPECT_EQ(Judge(request), 403) << "but a browser may attach those it has to any page's requests";
}

TEST_F(WebGuardTest, AnotherSitesFetchIsRefusedAlsoWithoutOrigin) {
  for (const char* const site : {"cross-site", "Cross-Site", "same-site", "else"}) {
    EXPECT_EQ(Judge(kGet, {{"host", "localhost:4242"}, {"sec-fetch-site", site}}), 403) << site;
    EXPECT_EQ(Judge(kPut, {{"sec-fetch-site", site}}), 403) << site;
  }
}

TEST_F(WebGuardTest, ALinkFromAnotherSiteMayBeFollowed) {
  const Headers link = {{"sec-fetch-site", "cross-site"},
                        {"sec-fetch-mode", "navigate"},
                        {"sec-fetch-dest", "document"}};
  EXPECT_EQ(Judge("GET /q?start=1", link), 0);
  EXPECT_EQ(Judge("POST /api/query", link), 403);
  Headers frame = link;
  frame[2].second = "iframe";
  EXPECT_EQ(Judge("GET /q?start=1", frame), 403);
}

TEST_F(WebGuardTest, ScriptsOfOtherSitesReadOnlyWhereJsonpIsOn) {
  const Headers script = {{"sec-fetch-site", "cross-site"}, {"sec-fetch-dest", "script"}};
  EXPECT_EQ(Judge("GET /api/query?jsonp=f", script), 403);
  Set("tsd.http.jsonp", "true");
  EXPECT_EQ(Judge("GET /api/query?jsonp=f", script), 0);
  EXPECT_EQ(Judge("GET /api/query", script), 403);
  EXPECT_EQ(Judge("GET /api/query?jsonp=f", {{"host", "evil.com"}}), 403);
}

TEST_F(WebGuardTest, WhatCorsAllowsPasses) {
  Set("tsd.http.request.cors_domains", "http://grafana.example.com");
  EXPECT_EQ(Judge(kPut, {{"host", "tsdb.example.com"},
                         {"origin", "http://grafana.example.com"},
                         {"sec-fetch-site", "same-site"}}),
            0);
  EXPECT_EQ(Judge(kPut, {{"origin", "http://evil.com"}}), 403);
}

TEST(CanBeForgedTest, OnlyWhatBrowsersSendUnasked) {
  struct Case {
    std::string_view line;
    Headers headers;
    bool can;
  };
  for (const Case& c : {
           Case{"GET /", {}, true},
           Case{"POST /", {}, true},
           Case{"POST /", {{"content-type", "text/plain"}}, true},
           Case{"POST /", {{"content-type", "application/x-www-form-urlencoded"}}, true},
           Case{"POST /", {{"content-type", "text/plain; application/json"}}, true},
           Case{"POST /",
                {{"content-type", "multipart/form-data; boundary=application/json"}},
                true},
           Case{"POST /", {{"authorization", "Basic YTpi"}}, true},
           Case{"POST /", {{"x-requested-with", ""}}, true},
           Case{"POST /", {{"content-type", "application/json"}}, false},
           Case{"POST /", {{"content-type", "Application/JSON ; charset=UTF-8"}}, false},
           Case{"POST /", {{"x-requested-with", "curl"}}, false},
           Case{"GET /", {{"x-requested-with", "curl"}}, false},
           Case{"GET /", {{"authorization", "Bearer a.b"}}, false},
           Case{"PUT /", {}, false},
           Case{"DELETE /", {}, false},
       }) {
    EXPECT_EQ(CanBeForged(MakeRequest(c.line, c.headers)), c.can)
        << c.line << " " << (c.headers.empty() ? "" : c.headers[0].second);
  }
}

}  // namespace
}  // namespace hourcell::web_guard_test
