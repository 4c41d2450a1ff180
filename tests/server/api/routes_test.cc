#include "server/api/routes.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "server/http/http_error.h"
#include "tests/server/api_fixture.h"
#include "tests/support/vectors.h"

namespace hourcell::routes_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class RoutesTest : public ApiTest {};

TEST_F(RoutesTest, AnswersTheErrorVectors) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "error-format")) {
    const std::string condition = TextOf(vector.given, "condition");
    SCOPED_TRACE(condition);
    ++run;
    if (condition.starts_with("403")) {
      EXPECT_THAT(HttpError(403, "Bad user error", "Got Details").body,
                  StartsWith(TextOf(vector.expect, "body_starts")));
    } else if (condition.starts_with("404")) {
      const bool api = condition.find("non-API") == std::string::npos;
      const HttpResponse response = Send(api ? "GET /api/nosuch" : "GET /nosuch?json");
      EXPECT_EQ(response.status, 404);
      EXPECT_EQ(response.body, TextOf(vector.expect, "body"));
    } else {
      --run;  // a 400 outside of /api: http_router_test.cc
    }
  }
  EXPECT_EQ(run, 3);
}

TEST_F(RoutesTest, AnswersTheCorsVectors) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "cors")) {
    const std::string setting = TextOf(vector.given, "config");
    SCOPED_TRACE(setting);
    ++run;
    Config config;
    ASSERT_OK(config.Set("tsd.http.request.cors_domains", setting.substr(setting.find('=') + 1)));
    if (Has(vector.expect, "startup")) {
      EXPECT_THAT(Routes::CheckConfig(config), StatusIs(absl::StatusCode::kInvalidArgument));
      continue;
    }
    Routes api(&tsdb(), &config, &clock_);
    const std::string line = TextOf(vector.given, "request");
    HttpRequest request;
    request.method = line.substr(0, line.find(' '));
    request.path = line.substr(line.find(' ') + 1);
    request.headers = {{"origin", TextOf(vector.given, "Origin")}};
    request.rights = AccessRights::Admin();
    const HttpResponse response = api.Handle(request);
    EXPECT_EQ(response.status, IntOf(vector.expect, "status"));
    const auto want = vector.expect["Access-Control-Allow-Origin"];
    EXPECT_EQ(Header(response, "Access-Control-Allow-Origin"),
              want.is_null() ? "" : std::string(std::string_view(want)));
  }
  EXPECT_EQ(run, 5);
}

TEST_F(RoutesTest, ErrorsCarryCorsHeadersToo) {
  ASSERT_OK(config().Set("tsd.http.request.cors_domains", "*"));

  const HttpResponse response = Send("GET /api/nosuch", "", {{"origin", "42.com"}});

  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(Header(response, "Access-Control-Allow-Origin"), "42.com");
}

TEST_F(RoutesTest, RoutesInAnyCaseAndVersion) {
  for (const std::string_view path : {"/api/version", "/API/V1/Version/", "/api/v1/version"}) {
    const HttpResponse response = Send("GET " + std::string(path));
    EXPECT_EQ(response.status, 200) << path;
  }
  EXPECT_EQ(Send("GET /api/config/FILTERS").status, 200);
  EXPECT_EQ(Send("GET /api/v0/version").status, 400);
}

TEST_F(RoutesTest, NewerVersionsAre501) {
  EXPECT_EQ(Send("GET /api/v2/version").body,
            R"({"error":{"code":501,)"
            R"("message":"Requested API version is greater than the max implemented",)"
            R"("details":"API version [2] is greater than the max [1]"}})");
}

TEST_F(RoutesTest, UnknownEndpointsAre404) {
  for (const std::string_view path :
       {"/api", "/api/nosuch", "/api/put/x", "/api/query/first", "/api/stats/nosuch"}) {
    const HttpResponse response = Send("GET " + std::string(path));
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_EQ(response.body, R"({"error":{"code":404,"message":"Endpoint not found"}})");
  }
  EXPECT_THAT(Send("GET /nosuch").body, HasSubstr("Page Not Found"));
}

TEST_F(RoutesTest, WrongVerbsAre405) {
  for (const std::string_view request :
       {"GET /api/put", "PUT /api/query", "DELETE /api/version", "POST /api/dropcaches",
        "PATCH /api/suggest", "POST /", "OPTIONS /api/put", "HEAD /api/put",
        "GET /api/admin/flush"}) {
    EXPECT_EQ(Send(request).status, 405) << request;
  }
}

TEST_F(RoutesTest, CachesAreDroppedWhereThatIsAllowed) {
  ASSERT_OK(config().Set("tsd.rpc.allow_dropcaches", "true"));
  EXPECT_EQ(Send("GET /api/dropcaches").body, R"({"status":"200","message":"Caches dropped"})");
  EXPECT_EQ(Send("DELETE /api/dropcaches").status, 200);
}

TEST_F(RoutesTest, CachesAreNotDroppedByDefault) {
  EXPECT_THAT(Send("GET /api/dropcaches").body, HasSubstr("tsd.rpc.allow_dropcaches=false"));
  EXPECT_EQ(Send("DELETE /api/dropcaches").status, 403);
}

TEST_F(RoutesTest, ReadOnlyModeHasNoPut) {
  ASSERT_OK(config().Set("tsd.mode", "ro"));

  EXPECT_EQ(Send("POST /api/put", "{}").status, 404);
  EXPECT_EQ(Send("GET /api/suggest?type=metrics").status, 200);
}

TEST_F(RoutesTest, WriteOnlyModeHasNoQueries) {
  ASSERT_OK(config().Set("tsd.mode", "wo"));

  EXPECT_EQ(Send("GET /api/query?start=1h-ago&m=sum:m").status, 404);
  EXPECT_EQ(Send("GET /api/suggest?type=metrics").status, 404);
  EXPECT_EQ(Send("GET /suggest?type=metrics").status, 404);
  EXPECT_EQ(Send("POST /api/put", "{}").status, 400);
}

TEST_F(RoutesTest, WhatAForeignPageSendsIsRefused) {
  Put(OwnedPoint("m", "host=a", kStartS, 1));
  const std::vector<std::pair<std::string, std::string>> foreign = {
      {"host", "localhost:4242"}, {"origin", "http://evil.com"}, {"content-type", "text/plain"}};
  for (const std::string_view line :
       {"POST /api/put", "GET /api/query?start=1&m=sum:m", "POST /api/admin/ttl",
        "GET /api/version", "GET /", "GET /q?start=1&m=sum:m",
        "DELETE /api/annotation?start_time=1", "GET /nosuch"}) {
    const HttpResponse response = Send(line, R"({"metric":"m","ttl":1})", foreign);
    EXPECT_EQ(response.status, 403) << line;
    EXPECT_EQ(Header(response, "Vary"), "Origin") << line;
    EXPECT_EQ(Header(response, "Access-Control-Allow-Origin"), "") << line;
  }
  EXPECT_EQ(Send("GET /api/query?start=1&m=sum:m", "", {{"host", "evil.com:4242"}}).status, 403);
  EXPECT_EQ(Send("GET /api/admin/ttl").body, R"({"store":0,"metrics":{}})");
}

TEST_F(RoutesTest, AChangeThatAnyPageCouldHaveSentIsRefused) {
  ASSERT_OK(config().Set("tsd.http.query.allow_delete", "true"));
  Put(OwnedPoint("m", "host=a", kStartS, 1));
  const std::vector<std::pair<std::string, std::string>> form = {
      {"host", "127.0.0.1:4242"}, {"content-type", "application/x-www-form-urlencoded"}};
  struct Case {
    std::string_view line;
    std::string body = "";
  };
  for (const Case& c :
       {Case{"GET /api/uid/rename?metric=m&name=n"},
        Case{"POST /api/uid/rename", R"({"metric":"m","name":"n"})"},
        Case{"GET /api/uid/assign?metric=n"}, Case{"POST /api/uid/assign", R"({"metric":["n"]})"},
        Case{"GET /api/dropcaches"},
        Case{"POST /api/annotation", R"({"startTime":1,"description":"d"})"},
        Case{"GET /api/annotation?start_time=1&description=d&method_override=post"},
        Case{"GET /api/annotation?start_time=1&method_override=delete"},
        Case{"GET /api/query?start=1356998400&m=sum:m&method_override=delete"},
        Case{"POST /api/query", R"({"start":1356998400,"delete":true,)"
                                R"("queries":[{"aggregator":"sum","metric":"m"}]})"},
        Case{"GET /api/stats/query?id=1&method_override=delete"},
        Case{"POST /api/admin/ttl", R"({"metric":"m","ttl":1})"}, Case{"POST /api/admin/flush"}}) {
    EXPECT_EQ(Send(c.line, c.body, form).status, 403) << c.line;
  }
  EXPECT_THAT(Send("GET /api/query?start=1356998400&m=sum:m", "", form).body,
              HasSubstr(R"("1356998400":1)"));
  EXPECT_EQ(Send("GET /api/suggest?type=metrics", "", form).body, R"(["m"])");
}

TEST_F(RoutesTest, AChangeMaySayByAHeaderThatItIsNoForm) {
  EXPECT_EQ(Send("GET /api/uid/assign?metric=a", "", {{"x-requested-with", "curl"}}).status, 200);
  EXPECT_EQ(Send("DELETE /api/annotation?start_time=1", "", {{"host", "10.0.0.1"}}).status, 204);
}

TEST_F(RoutesTest, PutsAreTakenByAnyType) {
  const std::string body = R"({"metric":"m","timestamp":5,"value":1,"tags":{"a":"b"}})";
  for (const std::string_view type :
       {"application/x-www-form-urlencoded", "text/plain", "applicaton/json"}) {
    EXPECT_EQ(Send("POST /api/put", body, {{"content-type", std::string(type)}}).status, 204);
  }
  EXPECT_EQ(Send("POST /api/put", body, {{"host", "localhost"}}).status, 204);
}

TEST_F(RoutesTest, JsonpIsOffByDefault) {
  EXPECT_EQ(Send("GET /api/version?jsonp=f").status, 400);
  EXPECT_THAT(Send("GET /api/version?jsonp=f").body, HasSubstr("tsd.http.jsonp=false"));
  EXPECT_EQ(Send("GET /api/version?jsonp").status, 200);
}

TEST_F(RoutesTest, HeadIsAnsweredAsGetIs) {
  for (const std::string_view path :
       {"/", "/version", "/stats", "/api/version", "/api/aggregators"}) {
    const HttpResponse response = Send("HEAD " + std::string(path));
    EXPECT_EQ(response.status, 200) << path;
    EXPECT_EQ(response.body.size(), Send("GET " + std::string(path)).body.size()) << path;
  }
  EXPECT_EQ(Send("HEAD /api/nosuch").status, 404);
}

TEST_F(RoutesTest, HeadChangesNothing) {
  for (const std::string_view request :
       {"HEAD /api/put", "HEAD /api/dropcaches", "HEAD /api/uid/assign?metric=a",
        "HEAD /api/annotation?start_time=1&method_override=delete",
        "HEAD /api/query?start=1&m=sum:m&method_override=delete"}) {
    EXPECT_EQ(Send(request).status, 405) << request;
  }
}

TEST_F(RoutesTest, JsonpWrapsAsTheVectorSays) {
  ASSERT_OK(config().Set("tsd.http.jsonp", "true"));
  Put({"sys.cpu.0.system", "host=web01", kStartS, 1});
  const TestVector vector = LoadVectors("query.json", "jsonp").at(0);

  EXPECT_EQ(Send(TextOf(vector.given, "http")).body, TextOf(vector.expect, "body"));
  EXPECT_THAT(Send("GET /api/nosuch?jsonp=a.b[0]").body, StartsWith("a.b[0]({\"error\""));
}

TEST_F(RoutesTest, JsonpTakesNoScripts) {
  ASSERT_OK(config().Set("tsd.http.jsonp", "true"));
  EXPECT_EQ(Send("GET /api/version?jsonp=f").content_type, "text/javascript; charset=UTF-8");
  for (const std::string_view callback : {"alert(1)//", "a;b", "<script>", "a%20b"}) {
    const HttpResponse response = Send("GET /api/version?jsonp=" + std::string(callback));
    EXPECT_EQ(response.status, 400) << callback;
    EXPECT_THAT(response.body, StartsWith("{\"error\""));
  }
}

TEST_F(RoutesTest, OtherSerializersAreUnknown) {
  EXPECT_EQ(Send("GET /api/version?serializer=json").status, 200);
  EXPECT_THAT(Send("GET /api/version?serializer=xml").body,
              HasSubstr("Requested serializer was not found"));
}

}  // namespace
}  // namespace hourcell::routes_test
