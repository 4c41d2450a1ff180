// The calls of real clients that find series and last points, as client_replay_test.cc has the
// others.

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "tests/http/client_replay.h"
#include "tests/http/http_exchange.h"

namespace hourcell::client_lookup_test {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

class ClientLookupTest : public ClientReplayTest {
 protected:
  HttpResult Get(std::string_view path) {
    return Send(
        fmt::format("GET {} HTTP/1.1\r\nHost: localhost:4242\r\nAccept-Encoding: gzip\r\n"
                    "User-Agent: Go-http-client/1.1\r\n\r\n",
                    path));
  }

  HttpResult Post(std::string_view path, std::string_view body) {
    return Send(WithBody(fmt::format("POST {} HTTP/1.1\r\nHost: localhost:4242\r\n"
                                     "Content-Type: application/json\r\n",
                                     path),
                         body));
  }

  // The hosts of the results of a lookup.
  static std::vector<std::string> HostsOf(simdjson::dom::element answer) {
    std::vector<std::string> hosts;
    for (const auto result : answer["results"].get_array())
      hosts.emplace_back(std::string_view(result["tags"]["host"]));
    return hosts;
  }
};

TEST_F(ClientLookupTest, GrafanaFindsTheKeysOfAMetric) {
  const auto answer = Json(Get("/api/search/lookup?m=sys.cpu.user&limit=1000"));

  EXPECT_EQ(std::string_view(answer["type"]), "LOOKUP");
  EXPECT_EQ(int64_t(answer["totalResults"]), 2);
  EXPECT_THAT(HostsOf(answer), UnorderedElementsAre("web01", "web02"));
  EXPECT_EQ(std::string_view(answer["results"].at(0)["metric"]), "sys.cpu.user");
  EXPECT_EQ(std::string_view(answer["results"].at(0)["tags"]["dc"]), "lga");
}

TEST_F(ClientLookupTest, GrafanaFindsTheValuesOfAKeyBesideAnother) {
  EXPECT_THAT(
      HostsOf(Json(Get("/api/search/lookup?m=sys.cpu.user%7Bhost%3D%2A%2Cdc%3Dlga%7D&limit=1000"))),
      UnorderedElementsAre("web01", "web02"));
  EXPECT_THAT(HostsOf(Json(Get("/api/search/lookup?m=sys.cpu.user{host=web02}&limit=1000"))),
              ElementsAre("web02"));
}

TEST_F(ClientLookupTest, VmctlListsEverySeriesWithAllItsTagsAndReadsEach) {
  const auto listed = Json(Get("/api/search/lookup?m=sys.cpu.user&limit=100000000"));
  ASSERT_EQ(listed["results"].get_array().size(), 2u);
  std::vector<std::string> queries;
  for (const auto result : listed["results"].get_array()) {
    EXPECT_EQ(result["tags"].get_object().size(), 2u);
    queries.push_back(fmt::format("{{dc={},host={}}}", std::string_view(result["tags"]["dc"]),
                                  std::string_view(result["tags"]["host"])));
  }

  for (const std::string& tags : queries) {
    SCOPED_TRACE(tags);
    const auto answer = Json(
        Get("/api/query?start=1356998400&end=1356998700&m=sum:1m-avg-none:sys.cpu.user" + tags));
    ASSERT_EQ(answer.get_array().size(), 1u);
    EXPECT_EQ(answer.at(0)["aggregateTags"].get_array().size(), 0u);
    EXPECT_EQ(NumbersOf(answer.at(0)).size(), 5u);
  }
}

TEST_F(ClientLookupTest, APostFindsSeriesByKeyAndValue) {
  const auto answer = Json(Post(
      "/api/search/lookup", R"({"metric":"sys.cpu.user","tags":[{"key":"host","value":"web01"}],)"
                            R"("limit":25,"startIndex":0,"useMeta":false})"));

  EXPECT_THAT(HostsOf(answer), ElementsAre("web01"));
}

TEST_F(ClientLookupTest, AnUnknownNameIs404) {
  const auto answer = Json(Get("/api/search/lookup?m=no.such.metric&limit=25"), 404);

  EXPECT_EQ(std::string_view(answer["error"]["message"]), "Unable to resolve one or more UIDs");
}

TEST_F(ClientLookupTest, TheLastPointsOfAMetricAreGivenWithTheirNames) {
  const auto answer =
      Json(Get("/api/query/last?timeseries=sys.cpu.user{host=web02}&resolve&back_scan=0"))
          .get_array();

  ASSERT_EQ(answer.size(), 1u);
  EXPECT_EQ(int64_t(answer.at(0)["timestamp"]), 1356998690000);
  EXPECT_EQ(std::string_view(answer.at(0)["value"]), "130");  // a string, as OpenTSDB has it
  EXPECT_EQ(std::string_view(answer.at(0)["metric"]), "sys.cpu.user");
  EXPECT_EQ(std::string_view(answer.at(0)["tags"]["host"]), "web02");
}

TEST_F(ClientLookupTest, APostAsksForTheLastPointsOfSeveral) {
  const auto answer =
      Json(Post("/api/query/last", R"({"queries":[{"metric":"sys.cpu.user","tags":{}}],)"
                                   R"("resolveNames":true,"backScan":0})"));

  EXPECT_EQ(answer.get_array().size(), 2u);
}

TEST_F(ClientLookupTest, TheLastPointOfATsuidIsTheSame) {
  const auto listed = Json(Get("/api/search/lookup?m=sys.cpu.user{host=web01}&limit=1"));
  const std::string tsuid(std::string_view(listed["results"].at(0)["tsuid"]));

  const auto answer = Json(Get("/api/query/last?tsuids=" + tsuid)).get_array();

  ASSERT_EQ(answer.size(), 1u);
  EXPECT_EQ(std::string_view(answer.at(0)["tsuid"]), tsuid);
  EXPECT_EQ(std::string_view(answer.at(0)["value"]), "30");
}

}  // namespace
}  // namespace hourcell::client_lookup_test
