// 251,619 real data points by three ways in: /api/query returns them as in expected.json, which was
// computed independently.

#include <signal.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "codec/text/number.h"
#include "server/http/http_response.h"
#include "tests/http/server_process.h"
#include "tests/support/source_dir.h"
#include "tests/support/temp_dir.h"
#include "tests/support/vectors.h"

namespace hourcell::real_metrics_test {
namespace {

constexpr size_t kPoints = 251'619;
constexpr double kRelativeError = 1e-9;
// Before the first and after the last point.
constexpr std::string_view kWholeRange = "start=1262304000&end=1483228800";

enum class WayIn { kTelnet, kImport, kHttp };

class RealMetricsTest : public testing::TestWithParam<WayIn> {
 protected:
  void Load() {
    if (GetParam() == WayIn::kImport) {
      const ProgramResult imported = RunProgram(
          {"import", "--data", directory_.path(), SourcePath("tests/data/real-metrics.tsdb.gz")});
      ASSERT_EQ(imported.exit_code, 0) << imported.err;
    }
    server_ = std::make_unique<ServerProcess>(directory_.path());
    ASSERT_NE(server_->port(), 0);
    if (GetParam() == WayIn::kTelnet) PutLines();
    if (GetParam() == WayIn::kHttp) PutBatches();
  }

  void PutLines() {
    std::string puts;
    ForEachLine([&](std::string_view line) { puts += fmt::format("put {}\n", line); });
    EXPECT_EQ(SendLines(server_->port(), puts), "");
  }

  void PutBatches() {
    std::string batch;
    size_t in_batch = 0;
    const auto send = [&] {
      const HttpResult result = HttpCall(server_->port(), "POST", "/api/put", Gzip(batch + "]"),
                                         "Content-Encoding: gzip\r\n");
      ASSERT_EQ(result.status, 204) << result.body;
      batch.clear();
      in_batch = 0;
    };
    ForEachLine([&](std::string_view line) {
      batch += (in_batch == 0 ? "[" : ",") + ToJson(line);
      if (++in_batch == 20'000) send();
    });
    if (in_batch > 0) send();
  }

  static void ForEachLine(const std::function<void(std::string_view)>& visit) {
    const std::string text = ReadGzipData("real-metrics.tsdb.gz");
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = text.find('\n', begin);
      visit(std::string_view(text).substr(begin, end - begin));
      begin = end + 1;
    }
  }

  // "metric time value k=v ..." as one object of /api/put.
  static std::string ToJson(std::string_view line) {
    std::vector<std::string> words;
    while (!line.empty()) {
      const std::string_view word = line.substr(0, line.find(' '));
      words.emplace_back(word);
      line.remove_prefix(std::min(line.size(), word.size() + 1));
    }
    std::string tags;
    for (size_t i = 3; i < words.size(); ++i) {
      const size_t equals = words[i].find('=');
      tags += fmt::format("{}\"{}\":\"{}\"", tags.empty() ? "" : ",", words[i].substr(0, equals),
                          words[i].substr(equals + 1));
    }
    return fmt::format(R"({{"metric":"{}","timestamp":{},"value":{},"tags":{{{}}}}})", words[0],
                       words[1], words[2], tags);
  }

  simdjson::dom::element Query(std::string_view range, std::string_view m) {
    const HttpResult result =
        HttpCall(server_->port(), "GET", fmt::format("/api/query?{}&m={}", range, m));
    EXPECT_EQ(result.status, 200) << m << ": " << result.body;
    simdjson::dom::element document;
    EXPECT_FALSE(parser_.parse(result.body).get(document));
    return document;
  }

  // "k=v k2=v2", as expected.json names a series.
  static std::string SeriesName(simdjson::dom::element result) {
    std::map<std::string, std::string> tags;
    for (const auto [key, value] : result["tags"].get_object())
      tags[std::string(key)] = value;
    std::string name;
    for (const auto& [key, value] : tags) {
      name += fmt::format("{}{}={}", name.empty() ? "" : " ", key, value);
    }
    return name;
  }

  static void ExpectNear(double got, simdjson::dom::element want_json, std::string_view what) {
    const double want = want_json.get_double();
    EXPECT_LE(std::abs(got - want), kRelativeError * std::max(1.0, std::abs(want))) << what;
  }

  void CheckSeries(simdjson::dom::element result, simdjson::dom::element want) {
    double sum = 0;
    double low = INFINITY;
    double high = -INFINITY;
    size_t points = 0;
    for (const auto [time, value] : result["dps"].get_object()) {
      const double number = value.get_double();
      sum += number;
      low = std::min(low, number);
      high = std::max(high, number);
      ++points;
    }
    EXPECT_EQ(points, static_cast<size_t>(IntOf(want, "points")));
    ExpectNear(sum, want["sum"], "sum");
    ExpectNear(low, want["min"], "min");
    ExpectNear(high, want["max"], "max");
    total_points_ += points;
  }

  void CheckHourlyAverages(std::string_view metric,
                           const std::string& series,
                           simdjson::dom::element want) {
    const int64_t day = IntOf(want, "hourly_avg_of_day");
    std::string tags = series;
    std::ranges::replace(tags, ' ', ',');
    const simdjson::dom::element answer = Query(fmt::format("start={}&end={}", day, day + 86'399),
                                                fmt::format("sum:1h-avg:{}{{{}}}", metric, tags));
    const simdjson::dom::object got = answer.at(0)["dps"];
    size_t hours = 0;
    for (const auto [hour, average] : want["hourly_avg"].get_object()) {
      ExpectNear(got[hour].get_double(), average, hour);
      ++hours;
    }
    EXPECT_EQ(got.size(), hours);
  }

  TempDir directory_;
  std::unique_ptr<ServerProcess> server_;
  simdjson::dom::parser parser_;
  size_t total_points_ = 0;
};

TEST_P(RealMetricsTest, EverySeriesIsWhatItShouldBe) {
  ASSERT_NO_FATAL_FAILURE(Load());
  simdjson::dom::parser expected_parser;
  const simdjson::dom::element expected =
      expected_parser.load(SourcePath("tests/data/expected.json"));

  for (const auto [metric, want] : expected.get_object()) {
    SCOPED_TRACE(metric);
    const simdjson::dom::element all = Query(kWholeRange, fmt::format("none:{}", metric));
    const simdjson::dom::object want_series = want["series"];
    ASSERT_EQ(all.get_array().size(), want_series.size());
    std::vector<std::string> names;
    for (const simdjson::dom::element one : all) {
      names.push_back(SeriesName(one));
      SCOPED_TRACE(names.back());
      CheckSeries(one, want_series[names.back()]);
    }
    for (const std::string& name : names) {
      SCOPED_TRACE(name);
      CheckHourlyAverages(metric, name, want_series[name]);
    }
    const simdjson::dom::element sum = Query(kWholeRange, fmt::format("sum:0all-sum:{}", metric));
    ExpectNear((*sum.at(0)["dps"].get_object().begin()).value.get_double(), want["sum"], "metric");
  }

  EXPECT_EQ(total_points_, kPoints);
  EXPECT_EQ(server_->End(SIGTERM), 0);
}

INSTANTIATE_TEST_SUITE_P(WaysIn,
                         RealMetricsTest,
                         testing::Values(WayIn::kTelnet, WayIn::kImport, WayIn::kHttp),
                         [](const auto& param_info) {
                           return param_info.param == WayIn::kTelnet   ? "Telnet"
                                  : param_info.param == WayIn::kImport ? "Import"
                                                                       : "Http";
                         });

}  // namespace
}  // namespace hourcell::real_metrics_test
