// Compares PromQL over native histograms with the real Prometheus of Debian's package: both get the
// same histograms by remote write, and must answer the same expressions with the same buckets.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/http/inputs/native_series.h"
#include "tests/http/inputs/peer_program.h"
#include "tests/http/inputs/prometheus_program.h"
#include "tests/http/inputs/promql_answer.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::promql_histograms_test {
namespace {

// Sums in another order differ in their last bits.
constexpr double kNativeTolerance = 1e-9;

// Those that Prometheus 2.42 calculates. promql/evaluation/README.md has the others.
constexpr std::string_view kNativeExpressions[] = {
    "native",
    "native{instance=~\"a|e\"}",
    "native offset 5m",
    "native @ 1700000900",
    "mixed",
    "{job=\"x\"}",
    "histogram_count(native)",
    "histogram_sum(native)",
    "histogram_count(mixed)",
    "histogram_count(number)",
    "histogram_fraction(0.5, 3, native)",
    "histogram_fraction(-Inf, 0, native)",
    "histogram_fraction(1, +Inf, rate(native[2m]))",
    "histogram_quantile(0.5, native)",
    "histogram_quantile(0.99, native)",
    "histogram_quantile(0.1, native)",
    "histogram_quantile(1, native)",
    "histogram_quantile(-1, native)",
    "histogram_quantile(2, native)",
    "histogram_quantile(NaN, native)",
    "histogram_quantile(0.9, both)",
    "histogram_quantile(0.9, rate(both[1m]))",
    "histogram_quantile(0.9, sum by (job) (rate(native[5m])))",
    "rate(native[1m])",
    "rate(native[5m])",
    "increase(native[3m])",
    "delta(native[2m])",
    "delta(native{instance=\"d\"}[10m])",
    "rate(mixed[1m])",
    "increase(mixed[5m])",
    "histogram_count(increase(native[10m]))",
    "histogram_sum(rate(native[2m]))",
    "sum(native)",
    "sum by (job) (native)",
    "sum without (instance) (native)",
    "sum by (job) (rate(native[5m]))",
    "sum(rate(native{job=\"x\"}[5m]))",
    "sum({job=\"x\"})",
    "sum by (instance) ({instance=\"a\"})",
    "count(native)",
    "count by (job) (native)",
    "group by (job) ({job=\"x\"})",
    "native + native",
    "rate(native[1m]) + rate(native[5m])",
    "native + on (job) group_left () sum by (job) (native)",
    "native + on (instance) number",
    "native and on (instance) number",
    "native unless on (instance) number",
    "number or native",
    "(native)",
    "absent(native)",
    "absent(mixed{instance=\"b\"})",
    "absent_over_time(native{instance=\"e\"}[1m])",
    "count_over_time(native[1m])",
    "count_over_time(mixed[5m])",
    "present_over_time(native[2m])",
    "timestamp(native)",
    "timestamp(rate(native[1m]))",
    "count_over_time(rate(native[1m])[5m:1m])",
    "histogram_count(rate(native[2m]) + rate(native[2m]))",
    "rate(sum(native{instance=\"z\"})[5m:30s])",
    "histogram_quantile(0.5, sum(increase(native[4m])))",
    "histogram_count(native) / on (instance) histogram_sum(native)",
    "histogram_quantile(scalar(histogram_fraction(0, 2, native{instance=\"z\"})), native)",
};

class PromqlHistogramsPeerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!IsInstalled(kPrometheusProgram)) {
      GTEST_SKIP() << "NOT TESTED: native histograms beside the real Prometheus: no "
                   << kPrometheusProgram
                   << "; `apt-get install prometheus` (group peers of scripts/packages)";
    }
  }
  TempDir directory_;
};

TEST_F(PromqlHistogramsPeerTest, AnswersEqualThoseOfPrometheus) {
  const ServerProcess server(directory_.file("store"));
  const Prometheus peer(directory_.file("peer"), "global: {}\n",
                        {"--web.enable-remote-write-receiver",
                         "--enable-feature=native-histograms,promql-at-modifier"});
  const std::string body =
      SnappyBlock(PromMessage(PromWriteVersion::k1, NativeSeriesMaker().Make()));
  constexpr std::string_view kHeaders =
      "Content-Type: application/x-protobuf\r\nContent-Encoding: snappy\r\n"
      "X-Prometheus-Remote-Write-Version: 0.1.0\r\n";
  for (const uint16_t port : {server.port(), peer.port()}) {
    const HttpResult result = HttpCall(port, "POST", "/api/v1/write", body, kHeaders);
    ASSERT_EQ(result.status, 204) << result.body;
  }
  const std::vector<std::string> times = {
      fmt::format("&start={}&end={}&step=23", kNativeStartS - 100, kNativeStartS + 2'200),
      fmt::format("&time={}", kNativeStartS + 800),
      fmt::format("&time={}.5", kNativeStartS + 1'234)};

  for (const std::string_view expression : kNativeExpressions) {
    SCOPED_TRACE(expression);
    for (const std::string& time : times) {
      const std::string target =
          fmt::format("/api/v1/query{}?query={}{}", time.starts_with("&start") ? "_range" : "",
                      Encoded(expression), time);
      const std::string want_body = HttpCall(peer.port(), "GET", target).body;
      const std::string got_body = HttpCall(server.port(), "GET", target).body;
      EXPECT_EQ(PromqlDifference(PromqlAnswerOf(got_body), PromqlAnswerOf(want_body),
                                 {.relative = kNativeTolerance}),
                "")
          << time << "\n"
          << got_body.substr(0, 300);
    }
  }
  const std::string matrix = fmt::format("/api/v1/query?query={}&time={}",
                                         Encoded("{job=\"x\"}[3m]"), kNativeStartS + 900);
  EXPECT_EQ(PromqlDifference(PromqlAnswerOf(HttpCall(server.port(), "GET", matrix).body),
                             PromqlAnswerOf(HttpCall(peer.port(), "GET", matrix).body), {}),
            "");
}

}  // namespace
}  // namespace hourcell::promql_histograms_test
