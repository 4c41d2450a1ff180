// Compares PromQL with the real Prometheus of Debian's package: both get the same points by remote
// write, and must answer the same expressions with the same series and values.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "promql/columns.h"
#include "tests/http/inputs/peer_program.h"
#include "tests/http/inputs/prometheus_program.h"
#include "tests/http/inputs/promql_answer.h"
#include "tests/http/server_process.h"
#include "tests/server/inputs/prometheus/prom_messages.h"
#include "tests/support/temp_dir.h"

namespace hourcell::promql_test {
namespace {

constexpr int64_t kStartS = 1'700'000'000;
constexpr int64_t kIntervalMs = 15'000;
constexpr int64_t kPoints = 241;  // an hour

// Sums in another order differ in their last bits.
constexpr double kTolerance = 1e-9;

constexpr std::string_view kExpressions[] = {
    "requests_total",
    "requests_total{code=\"500\"}",
    "requests_total{code!=\"500\",instance=~\"a:.*\"}",
    "{__name__=~\"temp.*|up\",room!~\"k.*\"}",
    "requests_total offset 10m",
    "requests_total @ 1700001000",
    "requests_total @ end()",
    "rate(requests_total[5m])",
    "irate(requests_total[2m])",
    "increase(requests_total[3m])",
    "delta(temperature[10m])",
    "idelta(temperature[5m])",
    "deriv(temperature[10m])",
    "predict_linear(temperature[10m], 600)",
    "holt_winters(temperature[10m], 0.5, 0.3)",
    "resets(requests_total[1h])",
    "changes(temperature[20m])",
    "avg_over_time(temperature[7m])",
    "min_over_time(temperature[7m])",
    "max_over_time(temperature[7m])",
    "sum_over_time(temperature[7m])",
    "count_over_time(up[7m])",
    "last_over_time(up[7m])",
    "present_over_time(up[7m])",
    "stddev_over_time(temperature[7m])",
    "stdvar_over_time(temperature[7m])",
    "quantile_over_time(0.9, temperature[7m])",
    "absent_over_time(nosuch{a=\"b\"}[5m])",
    "absent(nosuch{a=\"b\",c=~\"d\"})",
    "sum(rate(requests_total[5m]))",
    "sum by (code) (rate(requests_total[5m]))",
    "sum without (instance) (requests_total)",
    "avg by (room) (temperature)",
    "min(temperature)",
    "max(temperature)",
    "count by (code) (requests_total)",
    "group by (job) (requests_total)",
    "stddev(temperature)",
    "stdvar by (room) (temperature)",
    "sum(topk(2, requests_total))",
    "bottomk(1, temperature)",
    "quantile(0.25, temperature)",
    "count_values(\"value\", up)",
    "temperature * 2 + 1",
    "temperature > 20",
    "temperature > bool 20",
    "-temperature % 7 ^ 2",
    "requests_total / on (instance) group_left (version) build_info",
    "sum by (instance) (requests_total) / ignoring (version) build_info",
    "requests_total{code=\"500\"} / ignoring (code) requests_total{code=\"200\"}",
    "up and on (instance) build_info",
    "up or temperature",
    "up unless on (instance) requests_total{code=\"500\"}",
    "histogram_quantile(0.9, sum by (le) (rate(latency_seconds_bucket[5m])))",
    "histogram_quantile(0.5, latency_seconds_bucket)",
    "max_over_time(rate(requests_total[2m])[10m:1m])",
    "avg_over_time(temperature[30m:7m] offset 3m)",
    "label_replace(up, \"host\", \"$1\", \"instance\", \"(.*):.*\")",
    "label_join(up, \"all\", \"-\", \"job\", \"instance\")",
    "clamp(temperature, 19, 21)",
    "round(temperature, 0.25)",
    "ceil(temperature) - floor(temperature)",
    "sqrt(abs(temperature)) + ln(temperature) - exp(sgn(temperature))",
    "hour(timestamp(up)) * 60 + minute(timestamp(up))",
    "day_of_week() + days_in_month() + year()",
    "scalar(sum(up)) + time()",
    "vector(pi()) atan2 vector(2)",
    "sort_desc(requests_total)",
    "1 / 0",
    "ratio",
    "ratio > 0",
    "max_over_time(ratio[5m])",
    "sum_over_time(ratio[1m])",
    "count_values(\"value\", ratio)",
};

constexpr std::string_view kWrongExpressions[] = {
    "", "up +", "sum(", "rate(up)", "nosuch()", "up[5m]", "{a=~\".*\"}", "up == \"a\"",
};

// Values that look random, the same in each run.
double Noise(int64_t i) {
  const auto mixed = static_cast<uint64_t>(i) * 0x9e37'79b9'7f4a'7c15 >> 40;
  return static_cast<double>(mixed) / static_cast<double>(1 << 24);
}

int64_t TimeOf(int64_t i) {
  return kStartS * 1000 + i * kIntervalMs;
}

std::vector<PromTestSeries> Counters() {
  std::vector<PromTestSeries> all;
  for (const std::string instance : {"a:1", "b:1", "c:1"}) {
    for (const std::string code : {"200", "500"}) {
      PromTestSeries series{.labels = {{"__name__", "requests_total"},
                                       {"code", code},
                                       {"instance", instance},
                                       {"job", "web"}}};
      double value = 0;
      const auto seed = static_cast<int64_t>(all.size()) * 1000;
      for (int64_t i = 0; i < kPoints; ++i) {
        value = i % 100 == 77 ? 0 : value + std::floor(20 * Noise(seed + i));
        if (i % 31 != 5) series.samples.push_back({value, TimeOf(i)});
      }
      all.push_back(std::move(series));
    }
  }
  return all;
}

std::vector<PromTestSeries> Buckets() {
  std::vector<PromTestSeries> all;
  double share = 0;
  for (const std::string le : {"0.1", "0.5", "2.5", "+Inf"}) {
    share += 0.25;
    PromTestSeries series{.labels = {{"__name__", "latency_seconds_bucket"}, {"le", le}}};
    for (int64_t i = 0; i < kPoints; ++i)
      series.samples.push_back({std::floor(share * static_cast<double>(7 * i)), TimeOf(i)});
    all.push_back(std::move(series));
  }
  return all;
}

std::vector<PromTestSeries> AllSeries() {
  std::vector<PromTestSeries> all = Counters();
  for (PromTestSeries& series : Buckets())
    all.push_back(std::move(series));
  int64_t seed = 100'000;
  for (const std::string room : {"attic", "hall", "kitchen"}) {
    PromTestSeries series{.labels = {{"__name__", "temperature"}, {"room", room}}};
    for (int64_t i = 0; i < kPoints; ++i)
      series.samples.push_back({18 + 5 * Noise(seed++), TimeOf(i) + 137});
    all.push_back(std::move(series));
  }
  PromTestSeries ratio{.labels = {{"__name__", "ratio"}, {"job", "web"}}};
  for (int64_t i = 0; i < kPoints; ++i) {
    const double divisor = i % 7 == 3 ? 0 : 4;
    ratio.samples.push_back({static_cast<double>(i % 5 - 2) / divisor, TimeOf(i)});
  }
  all.push_back(std::move(ratio));
  for (const std::string instance : {"a:1", "b:1", "d:1"}) {
    PromTestSeries up{.labels = {{"__name__", "up"}, {"instance", instance}, {"job", "web"}}};
    PromTestSeries info{.labels = {{"__name__", "build_info"},
                                   {"instance", instance},
                                   {"version", "v" + instance}}};
    for (int64_t i = 0; i < kPoints; ++i) {
      const bool ends = instance == "b:1" && i == 120;
      if (!ends && instance == "b:1" && i > 120 && i < 160) continue;
      up.samples.push_back({ends ? promql::kStale : Noise(seed++) < 0.1 ? 0 : 1, TimeOf(i)});
      info.samples.push_back({1, TimeOf(i)});
    }
    all.push_back(std::move(up));
    all.push_back(std::move(info));
  }
  return all;
}

void ExpectAlike(const std::string& got_body, const std::string& want_body) {
  const PromqlAnswer want = PromqlAnswerOf(want_body);
  ASSERT_FALSE(want.type.empty()) << want_body.substr(0, 300);
  EXPECT_EQ(PromqlDifference(PromqlAnswerOf(got_body), want, {.relative = kTolerance}), "")
      << got_body.substr(0, 300);
}

class PromqlPeerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!IsInstalled(kPrometheusProgram)) {
      GTEST_SKIP() << "NOT TESTED: PromQL beside the real Prometheus: no " << kPrometheusProgram
                   << "; `apt-get install prometheus` (group peers of scripts/packages)";
    }
  }

  void WriteToBoth(uint16_t ours, uint16_t theirs) {
    const std::string body = SnappyBlock(PromMessage(PromWriteVersion::k1, AllSeries()));
    constexpr std::string_view kHeaders =
        "Content-Type: application/x-protobuf\r\nContent-Encoding: snappy\r\n"
        "X-Prometheus-Remote-Write-Version: 0.1.0\r\n";
    for (const uint16_t port : {ours, theirs}) {
      const HttpResult result = HttpCall(port, "POST", "/api/v1/write", body, kHeaders);
      ASSERT_EQ(result.status, 204) << result.body;
    }
  }

  TempDir directory_;
};

TEST_F(PromqlPeerTest, AnswersEqualThoseOfPrometheus) {
  const ServerProcess server(directory_.file("store"));
  const Prometheus peer(directory_.file("peer"), "global: {}\n",
                        {"--web.enable-remote-write-receiver",
                         "--enable-feature=promql-at-modifier,"
                         "promql-negative-offset"});
  WriteToBoth(server.port(), peer.port());
  const std::string range = fmt::format("&start={}&end={}&step=47", kStartS - 100, kStartS + 4'000);
  const std::string instants[] = {fmt::format("&time={}.25", kStartS + 1'000),
                                  fmt::format("&time={}", kStartS + 2'000)};

  for (const std::string_view expression : kExpressions) {
    SCOPED_TRACE(expression);
    const auto compare = [&](const std::string& target) {
      SCOPED_TRACE(target.substr(0, target.find('?')) + target.substr(target.find('&')));
      ExpectAlike(HttpCall(server.port(), "GET", target).body,
                  HttpCall(peer.port(), "GET", target).body);
    };
    const std::string query = "query=" + Encoded(expression);
    compare("/api/v1/query_range?" + query + range);
    for (const std::string& time : instants)
      compare("/api/v1/query?" + query + time);
  }
}

TEST_F(PromqlPeerTest, ErrorsEqualThoseOfPrometheus) {
  const ServerProcess server(directory_.file("store"));
  const Prometheus peer(directory_.file("peer"), "global: {}\n",
                        {"--web.enable-remote-write-receiver"});
  WriteToBoth(server.port(), peer.port());
  const std::string range = fmt::format("&start={}&end={}&step=60", kStartS, kStartS + 600);

  for (const std::string_view expression : kWrongExpressions) {
    SCOPED_TRACE(expression);
    const std::string target = "/api/v1/query_range?query=" + Encoded(expression) + range;
    const HttpResult got = HttpCall(server.port(), "GET", target);
    const HttpResult want = HttpCall(peer.port(), "GET", target);
    EXPECT_EQ(got.status, want.status);
    EXPECT_EQ(got.body, want.body);
  }
  for (const std::string_view params :
       {"query=up&start=1&end=20000&step=1", "query=up&start=2&end=1&step=1",
        "query=up&start=x&end=1&step=1", "query=up&start=1&end=2&step=0",
        "query=up&start=1&end=2&step=x"}) {
    const std::string target = fmt::format("/api/v1/query_range?{}", params);
    EXPECT_EQ(HttpCall(server.port(), "GET", target).body,
              HttpCall(peer.port(), "GET", target).body)
        << params;
  }
}

TEST_F(PromqlPeerTest, SeriesAndLabelsEqualThoseOfPrometheus) {
  const ServerProcess server(directory_.file("store"));
  const Prometheus peer(directory_.file("peer"), "global: {}\n",
                        {"--web.enable-remote-write-receiver"});
  WriteToBoth(server.port(), peer.port());

  for (const std::string_view target : {"labels",
                                        "labels?match[]=up",
                                        "label/__name__/values",
                                        "label/instance/values",
                                        "label/instance/values?match[]=up",
                                        "label/nosuch/values",
                                        "label/a-b/values",
                                        "series?match[]=up",
                                        "series?match[]=up&match[]=temperature",
                                        "series",
                                        "labels?start=1700000000&end=1700000900",
                                        "labels?start=1&end=2",
                                        "label/__name__/values?start=1700000000",
                                        "label/__name__/values?start=1&end=2",
                                        "label/instance/values?start=1700003000&end=1900000000",
                                        "series?match[]=up&start=1700000000&end=1700000900",
                                        "series?match[]=up&end=2",
                                        "series?match[]=%7B%7D",
                                        "series?match[]=%7Binstance=~%22a.*%22%7D",
                                        "format_query?query=sum(up)",
                                        "query_exemplars?query=up&start=1&end=2",
                                        "rules",
                                        "alerts",
                                        "metadata",
                                        "metadata?metric=up",
                                        "metadata?limit=-1",
                                        "metadata?limit=x"}) {
    const std::string path = fmt::format("/api/v1/{}", target);
    EXPECT_EQ(HttpCall(server.port(), "GET", path).body, HttpCall(peer.port(), "GET", path).body)
        << target;
  }
}

// A request as Grafana's Prometheus source and its app Metrics Drilldown send it: with POST as a
// form, whose parameters are sorted.
struct GrafanaRequest {
  std::string_view method;
  std::string_view path;
  std::vector<std::pair<std::string_view, std::string_view>> params = {};
};

HttpResult Send(uint16_t port, const GrafanaRequest& request) {
  std::string params;
  for (const auto& [name, value] : request.params)
    params += fmt::format("{}{}={}", params.empty() ? "" : "&", name, Encoded(value));
  const std::string path = fmt::format("/api/v1/{}", request.path);
  if (request.method == "GET") return HttpCall(port, "GET", path + "?" + params);
  return HttpCall(port, "POST", path, params,
                  "Content-Type: application/x-www-form-urlencoded\r\n");
}

// Panels, Explore, the health check and alerts.
std::vector<GrafanaRequest> QueriesOfGrafana() {
  std::vector<GrafanaRequest> all = {{"POST", "query", {{"query", "1+1"}, {"time", "4"}}}};
  for (const std::string_view query :
       {"sum by (code) (rate(requests_total[1m0s]))", "up{job=~\"(web|a\\\\.b)\"}",
        "histogram_quantile(0.95, sum(rate(latency_seconds_bucket[1m0s])) by (le))",
        "sum(rate(requests_total{__ignore_usage__=\"\",}[1m0s]))",
        "avg by (instance) (up{__ignore_usage__=\"\"})", "avg(temperature{__ignore_usage__=\"\",})",
        "count by (__name__) ({__name__=~\".+\",})", "count({__name__=~\".*\",job=\"web\"})"}) {
    all.push_back({"POST",
                   "query_range",
                   {{"end", "1700003000.5"},
                    {"query", query},
                    {"start", "1700000010.25"},
                    {"step", "15"},
                    {"timeout", "60s"}}});
    all.push_back({"POST", "query", {{"query", query}, {"time", "1700000990.123"}}});
    all.push_back(
        {"GET",
         "query_range",
         {{"end", "1700003000"}, {"query", query}, {"start", "1700000000"}, {"step", "0.5e2"}}});
  }
  // The metrics that are new since an hour.
  all.push_back({"GET",
                 "query",
                 {{"query",
                   "group by (__name__) ({__name__!=\"\"}) unless (group by (__name__) "
                   "({__name__!=\"\"} offset 1h))"},
                  {"time", "1700001000"}}});
  return all;
}

// The builder of queries, variables, and the lists of metrics and labels.
std::vector<GrafanaRequest> LookUpsOfGrafana() {
  constexpr std::string_view kStart = "1700000000";
  constexpr std::string_view kEnd = "1700003600";
  return {
      {"GET", "label/__name__/values", {{"limit", "40000"}, {"start", kStart}, {"end", kEnd}}},
      {"GET",
       "label/__name__/values",
       {{"start", kStart},
        {"end", kEnd},
        {"match%5B%5D", "{__name__=~\".+\",}"},
        {"limit", "40000"}}},
      {"GET",
       "label/__name__/values",
       {{"start", kStart}, {"end", kEnd}, {"match%5B%5D", "{__name__=~\"(?i).*TOTAL.*\"}"}}},
      {"GET",
       "label/instance/values",
       {{"start", kStart},
        {"end", kEnd},
        {"match%5B%5D", "up{job=\"web\",__ignore_usage__=\"\"}"}}},
      {"GET", "label/U__a_2e_b/values", {{"start", kStart}, {"end", kEnd}}},
      {"POST", "labels", {{"end", kEnd}, {"limit", "40000"}, {"start", kStart}}},
      {"POST",
       "labels",
       {{"end", kEnd}, {"limit", "40000"}, {"match%5B%5D", "requests_total"}, {"start", kStart}}},
      {"POST", "labels", {{"match%5B%5D", "up"}, {"match%5B%5D", "temperature"}}},
      {"POST",
       "series",
       {{"end", kEnd}, {"limit", "40000"}, {"match%5B%5D", "{__name__!=\"\"}"}, {"start", kStart}}},
      {"POST",
       "series",
       {{"end", "1700003600.123"}, {"match%5B%5D", "up"}, {"start", "1700000000.5"}}},
      {"POST",
       "query_exemplars",
       {{"end", kEnd}, {"query", "rate(requests_total[1m0s])"}, {"start", kStart}}},
      {"GET", "metadata", {{"limit", "40000"}}},
      {"GET", "metadata", {{"limit", "1"}, {"metric", "up"}}},
      {"GET", "rules"},
  };
}

TEST_F(PromqlPeerTest, RequestsOfGrafanaAreAnsweredAsByPrometheus) {
  const ServerProcess server(directory_.file("store"));
  const Prometheus peer(directory_.file("peer"), "global: {}\n",
                        {"--web.enable-remote-write-receiver"});
  WriteToBoth(server.port(), peer.port());

  for (const GrafanaRequest& request : QueriesOfGrafana()) {
    SCOPED_TRACE(testing::PrintToString(request.params));
    ExpectAlike(Send(server.port(), request).body, Send(peer.port(), request).body);
  }
  for (const GrafanaRequest& request : LookUpsOfGrafana()) {
    SCOPED_TRACE(fmt::format("{} {}", request.path, testing::PrintToString(request.params)));
    const HttpResult got = Send(server.port(), request);
    const HttpResult want = Send(peer.port(), request);
    EXPECT_EQ(got.status, want.status);
    EXPECT_EQ(got.body, want.body);
  }
  // Grafana takes a server with features for Mimir.
  const GrafanaRequest build_info = {"GET", "status/buildinfo"};
  EXPECT_THAT(Send(peer.port(), build_info).body, testing::HasSubstr("\"version\":\"2."));
  EXPECT_THAT(Send(server.port(), build_info).body,
              testing::AllOf(testing::HasSubstr("\"version\":\"2."),
                             testing::Not(testing::HasSubstr("\"features\""))));
}

}  // namespace
}  // namespace hourcell::promql_test
