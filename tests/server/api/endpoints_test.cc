#include "server/api/endpoints.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"

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
