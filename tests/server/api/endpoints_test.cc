#include "server/api/endpoints.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <simdjson.h>

#include "server/log/log.h"
#include "tests/server/api_fixture.h"
#include "tests/support/vectors.h"

namespace hourcell::endpoints_test {
namespace {

using testing::HasSubstr;

class EndpointsTest : public ApiTest {};

TEST_F(EndpointsTest, SmallEndpointsAnswer) {
  for (const std::string_view request :
       {"GET /", "GET /version", "GET /version?json", "GET /aggregators", "GET /stats",
        "GET /stats?json", "GET /api/aggregators", "POST /api/version", "GET /api/stats",
        "GET /api/config", "GET /api/config/filters", "GET /api/serializers"}) {
    const HttpResponse response = Send(request);
    EXPECT_EQ(response.status, 200) << request;
    EXPECT_FALSE(response.body.empty()) << request;
  }
}

using simdjson::dom::element;

// The value of a vector's word: "integer seconds", "string starting with tsd.", "object with host".
void ExpectOfKind(element value, std::string_view kind) {
  if (kind.starts_with("integer")) {
    EXPECT_TRUE(value.is_int64());
  } else if (kind.starts_with("string")) {
    EXPECT_TRUE(value.is_string());
    const bool is_name = kind.find("starting with tsd.") != std::string_view::npos;
    if (is_name) {
      EXPECT_TRUE(std::string_view(value).starts_with("tsd."));
    }
  } else {
    ASSERT_EQ(kind, "object with host");
    EXPECT_TRUE(Has(value, "host"));
  }
}

void ExpectShape(const std::string& body, const TestVector& vector) {
  simdjson::dom::parser parser;
  element got;
  ASSERT_FALSE(parser.parse(body).get(got)) << body;
  if (Has(vector.expect, "array_of")) {
    ASSERT_GT(got.get_array().size(), 0U);
    for (const element item : got.get_array()) {
      const element want = vector.expect["array_of"];
      if (want.is_string()) {
        EXPECT_TRUE(item.is_string());
        continue;
      }
      for (const auto [key, kind] : want.get_object())
        ExpectOfKind(item[key], std::string_view(kind));
    }
    return;
  }
  if (Has(vector.given, "path")) got = got[TextOf(vector.given, "path")];
  for (const element key : vector.expect["object_with"].get_array())
    EXPECT_TRUE(Has(got, std::string_view(key))) << key;
}

// Other states than "ok" are in health_handler_test.cc, by the same words.
void ExpectStatusWord(const TestVector& vector) {
  const std::string telnet = TextOf(vector.expect, "telnet");
  const std::string word = telnet.substr(0, telnet.size() - 1);
  EXPECT_EQ(TextOf(vector.expect, "body"), "{\"status\":\"" + word + "\"}");
  StoreHealth health;
  health.is_open = word != "startup";
  health.must_reopen = word == "error";
  if (word == "partial") health.room = absl::ResourceExhaustedError("full");
  HealthHandler handler([&health] { return health; }, {.mode = "rw", .disk_free_bytes = 0});
  if (word == "shutting-down") handler.SetStopping();
  EXPECT_EQ(handler.HandleStatus().body, TextOf(vector.expect, "body"));
}

TEST_F(EndpointsTest, AnswersTheVectorsOfShapes) {
  const std::string root = directory_.file("static");
  std::filesystem::create_directory(root);
  ASSERT_OK(config().Set("tsd.http.staticroot", root));
  LogInfo("a line, so that /logs has one");
  int run = 0;
  for (const TestVector& vector : LoadVectors("rest.json", "stats-shape")) {
    SCOPED_TRACE(simdjson::to_string(vector.given));
    ++run;
    if (Has(vector.expect, "telnet")) {
      ExpectStatusWord(vector);
      continue;
    }
    const std::string target = Has(vector.given, "url") ? TextOf(vector.given, "url")
                                                        : "/s/" + TextOf(vector.given, "file");
    if (target.starts_with("/s/a.")) std::ofstream(root + target.substr(2)) << "text";
    const HttpResponse response = Send("GET " + target);
    if (Has(vector.expect, "status")) {
      EXPECT_EQ(response.status, IntOf(vector.expect, "status"));
      continue;
    }
    ASSERT_EQ(response.status, 200) << response.body;
    if (Has(vector.expect, "content_type")) {
      EXPECT_EQ(response.content_type, TextOf(vector.expect, "content_type"));
    } else if (Has(vector.expect, "cache_control")) {
      EXPECT_EQ(Header(response, "Cache-Control"), TextOf(vector.expect, "cache_control"));
    } else {
      ExpectShape(response.body, vector);
    }
  }
  EXPECT_EQ(run, 22);
}

TEST_F(EndpointsTest, TheIconIsAPicture) {
  rights_ = AccessRights();
  const HttpResponse icon = Send("GET /favicon.ico");
  EXPECT_EQ(icon.content_type, "image/svg+xml");
  EXPECT_TRUE(icon.body.starts_with("<svg "));
}

TEST_F(EndpointsTest, NoClientOfHBaseIsListed) {
  EXPECT_EQ(Send("GET /api/stats/region_clients").body, "[]");
}

TEST_F(EndpointsTest, AClientIsToldWhoItIs) {
  EXPECT_EQ(Send("GET /api/whoami").body,
            R"({"user":"","role":"admin","mode":"rw","has_users":false})");
  rights_ = AccessRights();
  EXPECT_EQ(Send("GET /api/whoami").body,
            R"({"user":"","role":"none","mode":"rw","has_users":false})");
}

// The secret was checked before, by the session.
TEST_F(EndpointsTest, AUserIsToldItsName) {
  ASSERT_OK(config().Set("tsd.auth.file", "users"));
  rights_ = AccessRights::Read();
  const std::vector<std::pair<std::string, std::string>> headers = {
      {"authorization", "Bearer grafana.secret"}};
  EXPECT_EQ(Send("GET /api/whoami", "", headers).body,
            R"({"user":"grafana","role":"read","mode":"rw","has_users":true})");
}

TEST_F(EndpointsTest, StatsCountPuts) {
  Send("POST /api/put", R"({"metric":"m","timestamp":5,"value":1,"tags":{"a":"b"}})");

  EXPECT_THAT(Send("GET /api/stats").body,
              HasSubstr(R"({"metric":"tsd.rpc.put.points","timestamp":1357300800,"value":"1")"));
}

TEST_F(EndpointsTest, StatsTellOfTheWayIn) {
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
}  // namespace hourcell::endpoints_test
