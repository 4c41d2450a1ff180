// /api/query/exp on real stores: the vectors of tests/data/expressions.json, and a random store.

#include "server/expressions/exp_handler.h"

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

#include "codec/base/json_writer.h"
#include "codec/base/random.h"
#include "tests/server/api_fixture.h"
#include "tests/support/vectors.h"

namespace hourcell::exp_handler_test {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using testing::HasSubstr;

constexpr std::string_view kPost = "POST /api/query/exp";

std::string TagsText(element tags) {
  std::string text;
  for (const auto [tagk, tagv] : simdjson::dom::object(tags))
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", tagk, std::string_view(tagv));
  return text;
}

// The store and the request of a vector.
class VectorRun : public ApiTest {
 public:
  explicit VectorRun(element given) : given_(given), t0_(IntOf(given, "t0")) {}
  void TestBody() override {}

  HttpResponse Run() {
    clock_.Set(t0_ + 3'600'000);
    // Metrics without points in the range.
    for (const element metric : array(given_["query"]["metrics"])) {
      Put(OwnedPoint(TextOf(metric, "metric"), "D=D", t0_ / 1000 - 864'000, 1));
    }
    for (const element series : array(given_["store"]))
      PutSeries(series);
    if (Has(given_, "extra")) {
      for (const element point : array(given_["extra"])) {
        Put(OwnedPoint(std::string(std::string_view(point.at(0))), TagsText(point.at(1)),
                       int64_t(point.at(2)) / 1000, int64_t(point.at(3))));
      }
    }
    return Send(kPost, Body());
  }

 private:
  void PutSeries(element series) {
    int64_t ms = t0_;
    for (const element value : array(series.at(2))) {
      if (!value.is_null()) {
        Put(OwnedPoint(std::string(std::string_view(series.at(0))), TagsText(series.at(1)),
                       ms / 1000, int64_t(value)));
      }
      ms += IntOf(given_, "step");
    }
  }

  std::string Body() const {
    const element query = given_["query"];
    std::string tags;
    for (const element tagk : array(query["groupBy"])) {
      tags += fmt::format(R"({}{{"type":"wildcard","tagk":"{}","filter":"*","groupBy":true}})",
                          tags.empty() ? "" : ",", std::string_view(tagk));
    }
    std::string metrics;
    for (const element metric : array(query["metrics"])) {
      std::string text = simdjson::minify(metric);
      text.pop_back();
      metrics += fmt::format(R"({}{},"filter":"{}"}})", metrics.empty() ? "" : ",", text,
                             tags.empty() ? "" : "f");
    }
    std::string outputs;
    if (Has(query, "outputs")) {
      for (const element id : array(query["outputs"])) {
        outputs +=
            fmt::format(R"({}{{"id":"{}"}})", outputs.empty() ? "" : ",", std::string_view(id));
      }
    }
    return fmt::format(
        R"({{"time":{{"start":"{}","end":"{}","aggregator":"{}"}},)"
        R"("filters":[{{"id":"f","tags":[{}]}}],"metrics":[{}],"expressions":{},"outputs":[{}]}})",
        t0_, t0_ + 600'000, TextOf(query, "aggregator"), tags, metrics,
        simdjson::minify(query["expressions"]), outputs);
  }

  const element given_;
  const int64_t t0_;
};

double NumberOf(element value) {
  return value.is_number() ? double(value) : std::numeric_limits<double>::quiet_NaN();
}

void ExpectRows(array got, array want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t row = 0; row < want.size(); ++row) {
    const array got_row(got.at(row));
    const array want_row(want.at(row));
    ASSERT_EQ(got_row.size(), want_row.size());
    for (size_t i = 0; i < want_row.size(); ++i) {
      const double a = NumberOf(got_row.at(i));
      const double b = NumberOf(want_row.at(i));
      EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << row << "," << i << ": " << a;
    }
  }
}

void ExpectAnswer(const HttpResponse& response, element want) {
  if (Has(want, "error")) {
    EXPECT_EQ(response.status, 400) << response.body;
    EXPECT_THAT(response.body, HasSubstr(TextOf(want, "error")));
    return;
  }
  ASSERT_EQ(response.status, 200) << response.body;
  simdjson::dom::parser parser;
  element answer;
  ASSERT_FALSE(parser.parse(response.body).get(answer)) << response.body;
  for (const element output : array(answer["outputs"])) {
    const std::string id = TextOf(output, "id");
    SCOPED_TRACE(id + " of " + response.body);
    if (Has(want["dps"], id)) ExpectRows(output["dps"], array(want["dps"].at_key(id)));
    if (Has(want, "series") && Has(want["series"], id)) {
      EXPECT_EQ(IntOf(output["dpsMeta"], "series"), IntOf(want["series"], id));
    }
    if (Has(want, "firstTimestamp")) {
      EXPECT_EQ(IntOf(output["dpsMeta"], "firstTimestamp"), IntOf(want, "firstTimestamp"));
    }
    if (!Has(want, "aggregatedTags") || !Has(want["aggregatedTags"], id)) continue;
    const array lists(want["aggregatedTags"].at_key(id));
    for (size_t i = 0; i < lists.size(); ++i) {
      EXPECT_EQ(simdjson::minify(array(output["meta"]).at(i + 1)["aggregatedTags"]),
                simdjson::minify(lists.at(i)));
    }
  }
}

TEST(ExpVectorsTest, EachQueryHasItsAnswer) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("expressions.json", "exp query")) {
    SCOPED_TRACE(simdjson::minify(vector.given));
    ExpectAnswer(VectorRun(vector.given).Run(), vector.expect);
    ++run;
  }
  EXPECT_EQ(run, 40);
}

class ExpHandlerTest : public ApiTest {
 protected:
  static std::string Body(std::string_view metrics, std::string_view rest) {
    return fmt::format(
        R"({{"time":{{"start":1356998400,"end":1357002000,"aggregator":"sum"}},"filters":)"
        R"([{{"id":"f","tags":[{{"type":"wildcard","tagk":"host","filter":"*",)"
        R"("groupBy":true}}]}}],)"
        R"("metrics":[{}],{}}})",
        metrics, rest);
  }
  void PutPoint(std::string_view metric, std::string_view host, int64_t offset_s, int64_t value) {
    Put(OwnedPoint(std::string(metric), fmt::format("host={}", host), kStartS + offset_s, value));
  }
};

TEST_F(ExpHandlerTest, TheAnswerNamesItsSeriesAndEchoesTheRequest) {
  PutPoint("a", "x", 0, 1);
  PutPoint("b", "x", 0, 2);
  const std::string body =
      Body(R"({"id":"a","metric":"a","filter":"f"},{"id":"B","metric":"b","filter":"f"})",
           R"("expressions":[{"id":"e","expr":"a / B"}],"outputs":[{"id":"e","alias":"half"}])");

  EXPECT_EQ(Send(kPost, body).body,
            R"({"outputs":[{"id":"e","alias":"half","dps":[[1356998400000,0.5]],)"
            R"("dpsMeta":{"firstTimestamp":1356998400000,"lastTimestamp":1356998400000,)"
            R"("setCount":1,"series":1},"meta":[{"index":0,"metrics":["timestamp"]},)"
            R"({"index":1,"metrics":["a","b"],"commonTags":{"host":"x"},"aggregatedTags":[]}]}],)"
            R"("query":)" +
                body + "}");
}

TEST_F(ExpHandlerTest, AnOffsetMovesEarlierPoints) {
  PutPoint("a", "x", 60, 5);
  PutPoint("a", "x", 60 - 86'400, 3);
  const std::string body =
      Body(R"({"id":"a","metric":"a"},{"id":"b","metric":"a","timeOffset":"-1d"})",
           R"("expressions":[{"id":"e","expr":"a - b"}])");

  EXPECT_THAT(Send(kPost, body).body, HasSubstr(R"("dps":[[1356998460000,2.0]])"));
}

TEST_F(ExpHandlerTest, OtherRequestsAreRefused) {
  EXPECT_EQ(Send(kPost, "").status, 400);
  EXPECT_EQ(Send(kPost, "[]").status, 400);
  EXPECT_EQ(Send("GET /api/query/exp").status, 405);
  const HttpResponse response = Send(kPost, Body(R"({"id":"a","metric":"nosuch"})", R"("x":1)"));
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("No such name for 'metrics': 'nosuch'"));
}

TEST_F(ExpHandlerTest, MemoryIsBounded) {
  options().query_memory_bytes = size_t{2} << 20;
  for (int64_t i = 0; i < 20'000; ++i) {
    Put(OwnedPoint("a", "host=x", Timestamp{.ms = kStartS * 1000 + i * 100, .is_ms = true},
                   Value::Integer(i)));
  }
  std::string expressions;
  for (int i = 0; i < 10; ++i)
    expressions += fmt::format(R"({}{{"id":"e{}","expr":"a * 2"}})", i > 0 ? "," : "", i);
  const std::string metric = R"({"id":"a","metric":"a"})";

  EXPECT_EQ(Send(kPost, Body(metric, fmt::format(R"("expressions":[{}])", expressions))).status,
            413);
  EXPECT_EQ(Send(kPost, Body(metric, R"("x":1)")).status, 200);
}

// The values of each host of a metric, at all of its times.
using Points = std::map<std::string, std::map<int64_t, double>>;

TEST_F(ExpHandlerTest, AgreesWithAModelOnARandomStore) {
  Random random(5);
  Points a;
  Points b;
  for (int i = 0; i < 400; ++i) {
    const bool is_a = random.Below(2) == 0;
    const std::string host = fmt::format("host{}", random.Below(5) + (is_a ? 0 : 1));
    const auto offset_s = static_cast<int64_t>(random.Below(300));
    const auto value = static_cast<int64_t>(random.Below(9)) - 4;
    PutPoint(is_a ? "a" : "b", host, offset_s, value);
    (is_a ? a : b)[host][(kStartS + offset_s) * 1000] = static_cast<double>(value);
  }
  for (const bool is_union : {true, false}) {
    const HttpResponse response = Send(
        kPost, Body(R"({"id":"a","metric":"a","filter":"f","fillPolicy":{"policy":"scalar",)"
                    R"("value":2}},{"id":"b","metric":"b","filter":"f"})",
                    fmt::format(R"("expressions":[{{"id":"e","expr":"a > b ? a / b : a - b * 3",)"
                                R"("join":{{"operator":"{}"}}}}])",
                                is_union ? "union" : "intersection")));
    std::vector<std::string> hosts;
    std::map<int64_t, std::vector<double>> want;
    for (int i = 0; i < 6; ++i) {
      const std::string host = fmt::format("host{}", i);
      if (is_union || (a.contains(host) && b.contains(host))) hosts.push_back(host);
    }
    for (const std::string& host : hosts) {
      for (const Points* const each : {&a, &b}) {
        if (!each->contains(host)) continue;
        for (const auto& [ms, value] : each->at(host))
          want[ms];
      }
    }
    const auto at = [](const Points& points, const std::string& host, int64_t ms, double missing) {
      const auto found = points.find(host);
      if (found == points.end()) return 0.0;
      const auto point = found->second.find(ms);
      return point == found->second.end() ? missing : point->second;
    };
    for (auto& [ms, row] : want) {
      for (const std::string& host : hosts) {
        const double x = at(a, host, ms, 2);
        const double y = at(b, host, ms, 0);
        row.push_back(x > y ? (y == 0 ? 0 : x / y) : x - y * 3);
      }
    }
    simdjson::dom::parser parser;
    element answer;
    ASSERT_FALSE(parser.parse(response.body).get(answer)) << response.body;
    std::map<int64_t, std::vector<double>> got;
    for (const element row : array(array(answer["outputs"]).at(0)["dps"])) {
      const array values(row);
      for (size_t i = 1; i < values.size(); ++i)
        got[int64_t(values.at(0))].push_back(double(values.at(i)));
    }
    EXPECT_EQ(got, want);
  }
}

}  // namespace
}  // namespace hourcell::exp_handler_test
