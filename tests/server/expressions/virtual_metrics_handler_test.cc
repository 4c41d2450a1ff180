// /api/admin/metrics, and queries of virtual metrics, on a real store.

#include "server/expressions/virtual_metrics_handler.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "codec/base/random.h"
#include "tests/server/api_fixture.h"

namespace hourcell::virtual_metrics_handler_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kRange = "start=1356998400&end=1357002000";

// The points of each host in an answer.
using Answer = std::map<std::string, std::map<int64_t, double>>;

class VirtualMetricsHandlerTest : public ApiTest {
 protected:
  void PutPoint(std::string_view metric, std::string_view host, int64_t offset_s, int64_t value) {
    Put(OwnedPoint(std::string(metric), fmt::format("host={}", host), kStartS + offset_s, value));
  }
  void PutTwoHosts() {
    for (int64_t i = 0; i < 3; ++i) {
      PutPoint("u", "web01", i * 60, i + 1);
      PutPoint("u", "web02", i * 60, 10 * (i + 1));
      PutPoint("s", "web01", i * 60, 2);
    }
  }
  HttpResponse Define(std::string_view metric, std::string_view expression) {
    return Send("POST /api/admin/metrics",
                fmt::format(R"({{"metric":"{}","expression":"{}"}})", metric, expression));
  }
  HttpResponse Query(std::string_view m) {
    return Send(fmt::format("GET /api/query?{}&arrays&m={}", kRange, m));
  }

  static Answer Read(const HttpResponse& response) {
    EXPECT_EQ(response.status, 200) << response.body;
    Answer answer;
    simdjson::dom::parser parser;
    const simdjson::dom::array all = parser.parse(response.body);
    for (const simdjson::dom::element series : all) {
      std::string host;
      std::string_view text;
      if (series["tags"]["host"].get(text) == simdjson::SUCCESS) host = text;
      for (const simdjson::dom::element point : simdjson::dom::array(series["dps"]))
        answer[host][int64_t(point.at(0))] = double(point.at(1));
    }
    return answer;
  }
};

TEST_F(VirtualMetricsHandlerTest, DefinesListsAndDrops) {
  PutTwoHosts();
  EXPECT_EQ(Send("GET /api/admin/metrics").body, R"({"metrics":[]})");

  const std::string_view listed =
      R"({"metrics":[{"metric":"busy","expression":"sum:u{host=*} + sum:s{host=*}"}]})";
  const HttpResponse defined = Define("busy", "sum:u{host=*}  + sum:s{host=*}");
  EXPECT_EQ(defined.status, 200);
  EXPECT_EQ(defined.body, listed);
  EXPECT_EQ(Send("GET /api/admin/metrics").body, listed);
  EXPECT_EQ(Query("sum:busy{host=*}").body,
            R"([{"metric":"busy","tags":{"host":"web01"},"aggregateTags":[],)"
            R"("dps":[[1356998400,3.0],[1356998460,4.0],[1356998520,5.0]]}])");

  EXPECT_EQ(Send("DELETE /api/admin/metrics?metric=busy").body, R"({"metrics":[]})");
  EXPECT_EQ(Query("sum:busy{host=*}").body, "[]");
}

TEST_F(VirtualMetricsHandlerTest, AMissingSeriesHasItsValue) {
  PutTwoHosts();
  const HttpResponse defined =
      Send("POST /api/admin/metrics",
           R"({"metric":"busy","expression":"sum:u{host=*} - sum:s{host=*}","missing":0.5})");
  EXPECT_THAT(defined.body, HasSubstr(R"("missing":0.5})"));
  EXPECT_THAT(Query("sum:busy{host=web02}").body, HasSubstr("[1356998400,9.5]"));
}

TEST_F(VirtualMetricsHandlerTest, ErrorsAreInWords) {
  PutTwoHosts();
  const auto expect_error = [](const HttpResponse& response, int status, std::string_view text) {
    EXPECT_EQ(response.status, status) << response.body;
    EXPECT_THAT(response.body, HasSubstr(std::string(text)));
  };
  expect_error(Define("busy", "sum:u{host=*} +"), 400, "expression: character 16: expected");
  expect_error(Define("busy", "sum:nosuch{host=*}"), 404, "No such name for 'metrics': 'nosuch'");
  expect_error(Define("busy", "sum:u{nosuch=*}"), 404, "No such name for 'tagk': 'nosuch'");
  expect_error(Define("u", "sum:s{host=*}"), 400, "has series; expected a name without");
  expect_error(Define("", "sum:s{host=*}"), 400, "metric: missing");
  expect_error(Define("busy", ""), 400, "expression: missing");
  expect_error(Send("POST /api/admin/metrics", R"({"metric":"v","formula":"1"})"), 400,
               "body: expected metric, expression and missing");
  expect_error(Send("POST /api/admin/metrics", R"({"metric":"v","missing":"x"})"), 400,
               "missing: not a number");
  expect_error(Send("DELETE /api/admin/metrics"), 400, "Missing parameter");
  expect_error(Send("DELETE /api/admin/metrics?metric=u"), 404, "not virtual");
  expect_error(Send("PUT /api/admin/metrics"), 405, "");

  ASSERT_EQ(Define("busy", "sum:u{host=*}").status, 200);
  ASSERT_EQ(Define("twice", "2 * sum:busy{host=*}").status, 200);
  expect_error(Define("busy", "sum:twice{host=*}"), 400, "without a cycle");
  expect_error(Send("DELETE /api/admin/metrics?metric=busy"), 409, "is calculated from it");
  expect_error(
      Send("POST /api/put?details",
           R"({"metric":"busy","timestamp":1356998400,"value":1,"tags":{"host":"web01"}})"),
      400, "virtual; expected a metric that stores points");
}

TEST_F(VirtualMetricsHandlerTest, ClientsFindItByName) {
  PutTwoHosts();
  ASSERT_EQ(Define("busy", "sum:u{host=*} + sum:s{host=*}").status, 200);
  EXPECT_EQ(Send("GET /api/suggest?type=metrics&q=bu").body, R"(["busy"])");
  EXPECT_THAT(Send("GET /api/metrics?find=bus").body, HasSubstr(R"("busy")"));
  EXPECT_THAT(Send("GET /api/search/lookup?m=busy").body, HasSubstr(R"("tags":{"host":"web01"})"));
  EXPECT_THAT(Send(fmt::format("GET /q?{}&ascii&m=sum:busy", kRange)).body,
              HasSubstr("busy 1356998400 3"));
}

TEST_F(VirtualMetricsHandlerTest, GexpAndExpTakeItAsAMetric) {
  PutTwoHosts();
  ASSERT_EQ(Define("busy", "sum:u{host=*} + sum:s{host=*}").status, 200);
  EXPECT_THAT(
      Send(fmt::format("GET /api/query/gexp?{}&arrays&exp=scale(sum:busy{{host=*}},10)", kRange))
          .body,
      HasSubstr("[1356998400,30.0]"));
  EXPECT_THAT(Send("POST /api/query/exp",
                   R"({"time":{"start":"1356998400","end":"1357002000","aggregator":"sum"},)"
                   R"("metrics":[{"id":"bb","metric":"busy"}],)"
                   R"("expressions":[{"id":"ee","expr":"bb * 10"}]})")
                  .body,
              HasSubstr("[1356998400000,30.0]"));
}

// gexp's functions take 0 for what is missing.
TEST_F(VirtualMetricsHandlerTest, AgreesWithGexpOnRandomStores) {
  Random random(36);
  for (const std::string_view host : {"a", "b", "c", "d", "e"}) {
    for (const std::string_view metric : {"u", "s"}) {
      if (random.Below(4) == 0) continue;
      for (int64_t at = 0; at < 3600; at += 30) {
        if (random.Below(3) != 0) {
          PutPoint(metric, host, at, static_cast<int64_t>(random.Below(1000)));
        }
      }
    }
  }
  const std::pair<std::string_view, std::string_view> kPairs[] = {
      {"+", "sumSeries"}, {"-", "diffSeries"}, {"*", "multiplySeries"}, {"/", "divideSeries"}};
  for (const auto& [sign, function] : kPairs) {
    for (const std::string_view downsample : {"", "1m-avg:", "10m-max:"}) {
      const std::string u = fmt::format("sum:{}u{{host=*}}", downsample);
      const std::string s = fmt::format("sum:{}s{{host=*}}", downsample);
      ASSERT_EQ(
          Send("POST /api/admin/metrics",
               fmt::format(R"({{"metric":"v","expression":"{} {} {}","missing":0}})", u, sign, s))
              .status,
          200);
      const Answer want = Read(
          Send(fmt::format("GET /api/query/gexp?{}&arrays&exp={}({},{})", kRange, function, u, s)));
      EXPECT_THAT(want, Not(IsEmpty()));
      EXPECT_EQ(Read(Query("none:v")), want) << sign << downsample;
      EXPECT_EQ(Read(Query("sum:v{host=*}")), want) << sign << downsample;
    }
  }
}

// exp gives each series the times of all, so here all have the same.
TEST_F(VirtualMetricsHandlerTest, AgreesWithExpOnADenseStore) {
  Random random(40);
  for (const std::string_view host : {"a", "b", "c"}) {
    for (int64_t at = 0; at < 3600; at += 20) {
      PutPoint("u", host, at, static_cast<int64_t>(random.Below(1000)));
      if (host != "c") PutPoint("s", host, at, static_cast<int64_t>(random.Below(1000)));
    }
  }
  ASSERT_EQ(Define("v",
                   "(sum:1m-avg:u{host=*} - sum:1m-avg:s{host=*}) * 2 / "
                   "(sum:1m-avg:s{host=*} + 1) > 0.5 ? sum:1m-avg:u{host=*} : -7")
                .status,
            200);
  const HttpResponse exp =
      Send("POST /api/query/exp",
           R"({"time":{"start":"1356998400","end":"1357002000","aggregator":"sum",)"
           R"("downsampler":{"interval":"1m","aggregator":"avg"}},)"
           R"("filters":[{"id":"ff","tags":[{"type":"wildcard","tagk":"host","filter":"*",)"
           R"("groupBy":true}]}],)"
           R"("metrics":[{"id":"uu","metric":"u","filter":"ff"},)"
           R"({"id":"ss","metric":"s","filter":"ff"}],)"
           R"("expressions":[{"id":"ee","expr":"(uu - ss) * 2 / (ss + 1) > 0.5 ? uu : -7",)"
           R"("join":{"operator":"intersection"}}]})");
  ASSERT_EQ(exp.status, 200) << exp.body;

  Answer want;
  simdjson::dom::parser parser;
  const simdjson::dom::element output = parser.parse(exp.body)["outputs"].at(0);
  std::vector<std::string> hosts = {"time"};
  for (const simdjson::dom::element meta : simdjson::dom::array(output["meta"])) {
    std::string_view host;
    if (meta["commonTags"]["host"].get(host) == simdjson::SUCCESS) hosts.emplace_back(host);
  }
  ASSERT_EQ(hosts.size(), 3u);
  for (const simdjson::dom::element row : simdjson::dom::array(output["dps"])) {
    for (size_t i = 1; i < hosts.size(); ++i)
      want[hosts[i]][int64_t(row.at(0)) / 1000] = double(row.at(i));
  }
  EXPECT_EQ(Read(Query("none:v")), want);
}

}  // namespace
}  // namespace hourcell::virtual_metrics_handler_test
