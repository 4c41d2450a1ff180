// /api/query/gexp on a real store.

#include "server/expressions/gexp_handler.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "codec/base/random.h"
#include "tests/server/api_fixture.h"

namespace hourcell::gexp_handler_test {
namespace {

using testing::HasSubstr;

constexpr std::string_view kRange = "start=1356998400&end=1357002000";

class GexpHandlerTest : public ApiTest {
 protected:
  void PutPoint(std::string_view metric, std::string_view host, int64_t offset_s, int64_t value) {
    Put(OwnedPoint(std::string(metric), fmt::format("host={}", host), kStartS + offset_s, value));
  }
  void PutTwoHosts() {
    for (int64_t i = 0; i < 3; ++i) {
      PutPoint("a", "web01", i * 60, i + 1);
      PutPoint("a", "web02", i * 60, 10 * (i + 1));
      PutPoint("b", "web01", i * 60, 2);
    }
  }
  HttpResponse Gexp(std::string_view expressions) {
    return Send(fmt::format("GET /api/query/gexp?{}&{}", kRange, expressions));
  }
};

TEST_F(GexpHandlerTest, AnswersAsAQueryDoes) {
  PutTwoHosts();

  const HttpResponse response = Gexp("exp=scale(sum:a{host=*},2)&arrays&show_query&explain");

  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_THAT(
      response.body,
      HasSubstr(R"("tags":{"host":"web01"},"aggregateTags":[],"query":{"aggregator":"sum")"));
  EXPECT_THAT(response.body, HasSubstr(R"("dps":[[1356998400,2],[1356998460,4],[1356998520,6]])"));
  EXPECT_THAT(response.body, HasSubstr(R"("dps":[[1356998400,20],)"));
  EXPECT_THAT(response.body, HasSubstr(R"({"explain":[{"query":0,)"));
}

TEST_F(GexpHandlerTest, ExpressionsAreAnsweredInTurn) {
  PutTwoHosts();

  const HttpResponse response = Gexp(
      "x=alias(divideSeries(sum:a{host=*},sum:a{host=*}),one.%40host)&exp=absolute(sum:b)&arrays");

  EXPECT_EQ(response.body, R"([{"metric":"one.web01","tags":{},"aggregateTags":[],)"
                           R"("dps":[[1356998400,1.0],[1356998460,1.0],[1356998520,1.0]]},)"
                           R"({"metric":"one.web02","tags":{},"aggregateTags":[],)"
                           R"("dps":[[1356998400,1.0],[1356998460,1.0],[1356998520,1.0]]},)"
                           R"({"metric":"b","tags":{"host":"web01"},"aggregateTags":[],)"
                           R"("dps":[[1356998400,2],[1356998460,2],[1356998520,2]]}])");
}

TEST_F(GexpHandlerTest, FunctionsOfASubQueryComeFirst) {
  PutTwoHosts();

  const HttpResponse response = Gexp("exp=scale(top(1,max):sum:a{host=*},3)&arrays");

  EXPECT_EQ(response.body, R"([{"metric":"a","tags":{"host":"web02"},"aggregateTags":[],)"
                           R"("dps":[[1356998400,30],[1356998460,60],[1356998520,90]]}])");
}

TEST_F(GexpHandlerTest, AnErrorNamesItsCharacter) {
  PutTwoHosts();
  const auto expect_error = [this](std::string_view expressions, std::string_view error) {
    const HttpResponse response = Gexp(expressions);
    EXPECT_EQ(response.status, 400) << expressions;
    EXPECT_THAT(response.body, HasSubstr(std::string(error))) << expressions;
  };
  expect_error("exp=scale(sum:a", "expression: character 12: expected ',' or ')', got the end");
  expect_error("exp=nosuch(sum:a)", "expression: character 1: expected the name of a function");
  expect_error("exp=absolute(nosuch:a)", "character 10: No such aggregation function: nosuch");
  expect_error("exp=absolute(sum:nosuch)", "No such name for 'metrics': 'nosuch'");
  expect_error("exp=absolute(sum:a)&m=sum:a", "parameter m: not known here");
  expect_error("", "Missing parameter <code>exp</code>");
  EXPECT_EQ(Send("GET /api/query/gexp?exp=absolute(sum:a)").status, 400);
  EXPECT_EQ(Send("POST /api/query/gexp", "{}").status, 405);
}

TEST_F(GexpHandlerTest, EqualTagsOfOneInputAreRefused) {
  PutTwoHosts();

  const HttpResponse response = Gexp("exp=sum(alias(sum:a{host=*},x),sum:b)");

  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("input 1 has two series with the same tags"));
}

TEST_F(GexpHandlerTest, MemoryIsBounded) {
  options().query_memory_bytes = size_t{2} << 20;
  for (int64_t i = 0; i < 20'000; ++i) {
    Put(OwnedPoint("a", "host=web01", Timestamp{.ms = kStartS * 1000 + i * 100, .is_ms = true},
                   Value::Integer(i)));
  }
  const std::string plain = fmt::format("GET /api/query?{}&m=sum:a", kRange);
  ASSERT_EQ(Send(plain).status, 200);

  EXPECT_EQ(Gexp("exp=sum(sum:a,sum:a)").status, 413);
  EXPECT_EQ(Send(plain).status, 200);
}

// The points of each host in an answer of /api/query or gexp.
using Points = std::map<std::string, std::map<int64_t, double>>;

Points PointsOf(const HttpResponse& response) {
  EXPECT_EQ(response.status, 200) << response.body;
  simdjson::dom::parser parser;
  simdjson::dom::array results;
  EXPECT_FALSE(parser.parse(response.body).get(results)) << response.body;
  Points points;
  for (const simdjson::dom::element series : results) {
    const std::string host(std::string_view(series["tags"].at_key("host")));
    for (const simdjson::dom::element point : simdjson::dom::array(series["dps"]))
      points[host][int64_t(point.at(0))] = double(point.at(1));
  }
  return points;
}

// Each function by its definition, from the answers of /api/query.
Points NaivePoints(std::string_view function, const Points& a, const Points& b) {
  Points result;
  for (const Points* const each : {&a, &b}) {
    for (const auto& [host, points] : *each) {
      for (const auto& [time, value] : points)
        result[host][time] = 0;
    }
  }
  const auto at = [](const Points& points, const std::string& host, int64_t time) {
    const auto found = points.find(host);
    if (found == points.end() || !found->second.contains(time)) return 0.0;
    return found->second.at(time);
  };
  for (auto& [host, points] : result) {
    for (auto& [time, value] : points) {
      const double x = at(a, host, time);
      const double y = at(b, host, time);
      if (function == "sum") value = x + y;
      if (function == "difference") value = x - y;
      if (function == "multiply") value = x * y;
      if (function == "divide") value = y == 0 ? 0 : x / y;
    }
  }
  return result;
}

TEST_F(GexpHandlerTest, AgreesWithAModelOnRandomStores) {
  Random random(36);
  PutPoint("a", "host0", 0, 1);
  PutPoint("b", "host0", 0, 1);
  for (int i = 0; i < 300; ++i) {
    PutPoint(random.Below(2) == 0 ? "a" : "b", fmt::format("host{}", random.Below(4)),
             static_cast<int64_t>(random.Below(3600)), static_cast<int64_t>(random.Below(9)) - 4);
  }
  for (const std::string_view option : {"", "5m-avg:", "1m-sum:rate:", "10m-max-zero:"}) {
    const auto sub_query = [&](std::string_view metric) {
      return fmt::format("avg:{}{}{{host=*}}", option, metric);
    };
    const auto plain = [&](std::string_view metric) {
      return PointsOf(
          Send(fmt::format("GET /api/query?{}&arrays&m={}", kRange, sub_query(metric))));
    };
    const Points a = plain("a");
    const Points b = plain("b");
    for (const std::string_view function : {"sum", "difference", "multiply", "divide"}) {
      const Points got = PointsOf(
          Gexp(fmt::format("exp={}({},{})&arrays", function, sub_query("a"), sub_query("b"))));
      EXPECT_EQ(got, NaivePoints(function, a, b)) << function << " " << option;
    }
  }
}

}  // namespace
}  // namespace hourcell::gexp_handler_test
