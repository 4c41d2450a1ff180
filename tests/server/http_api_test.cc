#include "server/http_api.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "server/http_error.h"
#include "tests/server/api_fixture.h"
#include "tests/support/vectors.h"

namespace hourcell {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class HttpApiTest : public ApiTest {};

TEST_F(HttpApiTest, AnswersTheErrorVectors) {
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

TEST_F(HttpApiTest, AnswersTheCorsVectors) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "cors")) {
    const std::string setting = TextOf(vector.given, "config");
    SCOPED_TRACE(setting);
    ++run;
    Config config;
    ASSERT_OK(config.Set("tsd.http.request.cors_domains", setting.substr(setting.find('=') + 1)));
    if (Has(vector.expect, "startup")) {
      EXPECT_THAT(HttpApi::CheckConfig(config), StatusIs(absl::StatusCode::kInvalidArgument));
      continue;
    }
    HttpApi api(&tsdb(), &config, &clock_);
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

TEST_F(HttpApiTest, ErrorsCarryCorsHeadersToo) {
  ASSERT_OK(config().Set("tsd.http.request.cors_domains", "*"));

  const HttpResponse response = Send("GET /api/nosuch", "", {{"origin", "42.com"}});

  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(Header(response, "Access-Control-Allow-Origin"), "42.com");
}

TEST_F(HttpApiTest, RoutesInAnyCaseAndVersion) {
  for (const std::string_view path : {"/api/version", "/API/V1/Version/", "/api/v1/version"}) {
    const HttpResponse response = Send("GET " + std::string(path));
    EXPECT_EQ(response.status, 200) << path;
  }
  EXPECT_EQ(Send("GET /api/config/FILTERS").status, 200);
  EXPECT_EQ(Send("GET /api/v0/version").status, 400);
}

TEST_F(HttpApiTest, NewerVersionsAre501) {
  EXPECT_EQ(Send("GET /api/v2/version").body,
            R"({"error":{"code":501,)"
            R"("message":"Requested API version is greater than the max implemented",)"
            R"("details":"API version [2] is greater than the max [1]"}})");
}

TEST_F(HttpApiTest, UnknownEndpointsAre404) {
  for (const std::string_view path :
       {"/api", "/api/nosuch", "/api/put/x", "/api/query/first", "/api/stats/jvm"}) {
    const HttpResponse response = Send("GET " + std::string(path));
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_EQ(response.body, R"({"error":{"code":404,"message":"Endpoint not found"}})");
  }
  EXPECT_THAT(Send("GET /nosuch").body, HasSubstr("Page Not Found"));
}

TEST_F(HttpApiTest, WrongVerbsAre405) {
  for (const std::string_view request :
       {"GET /api/put", "PUT /api/query", "DELETE /api/version", "POST /api/dropcaches",
        "PATCH /api/suggest", "POST /", "OPTIONS /api/put", "HEAD /api/version",
        "GET /api/admin/flush"}) {
    EXPECT_EQ(Send(request).status, 405) << request;
  }
}

TEST_F(HttpApiTest, SmallEndpointsAnswer) {
  for (const std::string_view request :
       {"GET /", "GET /version", "GET /version?json", "GET /aggregators", "GET /stats",
        "GET /stats?json", "GET /api/aggregators", "POST /api/version", "GET /api/stats",
        "GET /api/config", "GET /api/config/filters", "GET /api/serializers"}) {
    const HttpResponse response = Send(request);
    EXPECT_EQ(response.status, 200) << request;
    EXPECT_FALSE(response.body.empty()) << request;
  }
  EXPECT_EQ(Send("GET /api/dropcaches").body, R"({"status":"200","message":"Caches dropped"})");
  EXPECT_EQ(Send("DELETE /api/dropcaches").status, 200);
}

TEST_F(HttpApiTest, ReadOnlyModeHasNoPut) {
  ASSERT_OK(config().Set("tsd.mode", "ro"));

  EXPECT_EQ(Send("POST /api/put", "{}").status, 404);
  EXPECT_EQ(Send("GET /api/suggest?type=metrics").status, 200);
}

TEST_F(HttpApiTest, WriteOnlyModeHasNoQueries) {
  ASSERT_OK(config().Set("tsd.mode", "wo"));

  EXPECT_EQ(Send("GET /api/query?start=1h-ago&m=sum:m").status, 404);
  EXPECT_EQ(Send("GET /api/suggest?type=metrics").status, 404);
  EXPECT_EQ(Send("GET /suggest?type=metrics").status, 404);
  EXPECT_EQ(Send("POST /api/put", "{}").status, 400);
}

TEST_F(HttpApiTest, JsonpWrapsAsTheVectorSays) {
  ASSERT_OK(tsdb().AssignUid(UidKind::kMetric, "sys.cpu.0.system"));
  const TestVector vector = LoadVectors("query.json", "jsonp").at(0);

  EXPECT_EQ(Send(TextOf(vector.given, "http")).body, TextOf(vector.expect, "body"));
  EXPECT_THAT(Send("GET /api/nosuch?jsonp=a.b[0]").body, StartsWith("a.b[0]({\"error\""));
}

TEST_F(HttpApiTest, JsonpTakesNoScripts) {
  for (const std::string_view callback : {"alert(1)//", "a;b", "<script>", "a%20b"}) {
    const HttpResponse response = Send("GET /api/version?jsonp=" + std::string(callback));
    EXPECT_EQ(response.status, 400) << callback;
    EXPECT_THAT(response.body, StartsWith("{\"error\""));
  }
}

TEST_F(HttpApiTest, OtherSerializersAreUnknown) {
  EXPECT_EQ(Send("GET /api/version?serializer=json").status, 200);
  EXPECT_THAT(Send("GET /api/version?serializer=xml").body,
              HasSubstr("Requested serializer was not found"));
}

TEST_F(HttpApiTest, StatsCountPuts) {
  Send("POST /api/put", R"({"metric":"m","timestamp":5,"value":1,"tags":{"a":"b"}})");

  EXPECT_THAT(Send("GET /api/stats").body,
              HasSubstr(R"({"metric":"tsd.rpc.put.points","timestamp":1357300800,"value":"1")"));
}

TEST_F(HttpApiTest, StatsTellOfTheWayIn) {
  Send("POST /api/put", R"({"metric":"m","timestamp":5,"value":1,"tags":{"a":"b"}})");
  const std::string stats = Send("GET /stats").body;

  for (const std::string_view name :
       {"hours.open", "hours.series", "hours.bytes", "journal.bytes", "journal.segments",
        "journal.blocks", "journal.errors", "journal.checkpoints", "journal.replayed_points",
        "seal.points", "seal.errors", "append.waited", "append.refused", "series.cache-bytes",
        "rpc.put.points", "storage.sync.errors"}) {
    EXPECT_THAT(stats, HasSubstr(fmt::format("tsd.{} 1357300800 ", name)));
  }
  EXPECT_THAT(stats, HasSubstr("tsd.rpc.put.points 1357300800 1 host="));
  EXPECT_THAT(stats, HasSubstr("tsd.hours.open 1357300800 1 host="));
  EXPECT_THAT(stats, HasSubstr("tsd.seal.hours 1357300800 0 type=early host="));
}

}  // namespace
}  // namespace hourcell
