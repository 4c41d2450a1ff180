#include "server/monitor/metrics_handler.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/monitor/metric_names.h"
#include "tests/server/monitor/metrics_parser.h"
#include "tests/server/raw_client.h"
#include "tests/server/running_server.h"

namespace hourcell::metrics_handler_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr MetricsFormat kFormats[] = {MetricsFormat::kPrometheus, MetricsFormat::kOpenMetrics};

// The statistics of a whole server: listeners, users and all.
class MetricsHandlerTest : public RunningServerTest {
 protected:
  HttpResponse Scrape(MetricsFormat format = MetricsFormat::kPrometheus,
                      int64_t regions_max = 100) {
    MetricsHandler handler(tsdb_.get(), &clock_, {.regions_max = regions_max});
    HttpRequest request;
    request.method = "GET";
    request.headers = {{"accept", std::string(ContentTypeOf(format))}};
    return handler.Handle(request);
  }
  // Of a request after which the server closes the connection.
  std::string Answer(std::string_view request) const {
    RawClient client(port());
    client.Send(request);
    return client.ReadAll();
  }
  ParsedMetrics Parsed(MetricsFormat format = MetricsFormat::kPrometheus) {
    return ParseMetrics(Scrape(format).body, format);
  }

  ManualClock clock_{1'357'300'800'000};
};

TEST_F(MetricsHandlerTest, EachLineIsOfTheFormat) {
  Start();
  PutPoints();
  for (const MetricsFormat format : kFormats) {
    const HttpResponse response = Scrape(format);
    EXPECT_EQ(response.content_type, ContentTypeOf(format));
    const ParsedMetrics metrics = ParseMetrics(response.body, format);
    EXPECT_THAT(metrics.faults, IsEmpty());
    EXPECT_GT(metrics.families.size(), 40u);
  }
}

TEST_F(MetricsHandlerTest, GivesEachStatisticWithItsHelp) {
  Start();
  PutPoints();
  const std::vector<StatSample> samples = tsdb_->stats().Snapshot();
  const ParsedMetrics metrics = Parsed();

  for (const StatSample& sample : samples) {
    const MetricName* const row = FindMetricName(sample.name, sample.kind);
    ASSERT_NE(row, nullptr) << sample.name << " has no row in metric_names.cc";
    const bool is_counter = sample.kind == StatKind::kCounter;
    const std::string name = FamilyName(sample.name, row) + (is_counter ? "_total" : "");
    const ParsedFamily* const family = metrics.Family(name);
    ASSERT_NE(family, nullptr) << name;
    EXPECT_EQ(family->type, is_counter ? "counter" : "gauge") << name;
    EXPECT_EQ(family->help, row->help);
    const std::map<std::string, std::string> labels(sample.tags.begin(), sample.tags.end());
    EXPECT_GE(metrics.Value(name, labels), 0) << name;
  }
}

TEST_F(MetricsHandlerTest, EachRowOfTheTableIsAStatistic) {
  Start();
  std::set<std::string> names;
  for (const StatSample& sample : tsdb_->stats().Snapshot())
    names.insert(sample.name);
  for (const HistogramSample& sample : tsdb_->stats().Histograms())
    names.insert(sample.name);
  // Made by settings and events that this test lacks: a file of users, points of the server's own,
  // tsd.forward, a store that is followed, tsd.rollups.rules.
  for (const std::string_view later :
       {"auth.logins", "auth.reloads", "stats.self_errors", "forward.lag", "forward.points",
        "forward.spool_bytes", "forward.unsynced", "follow.blocks", "follow.catch_ups",
        "follow.loads", "follow.memory_bytes", "rollups.errors", "rollups.points"})
    names.emplace(later);

  for (const MetricName& row : MetricNames())
    EXPECT_TRUE(names.contains(std::string(row.stat))) << row.stat;
}

TEST_F(MetricsHandlerTest, AStatisticWithoutARowIsGivenAllTheSame) {
  tsdb_->stats().counter("new.thing-x", {{"kind", "a"}})->Add(3);
  EXPECT_EQ(Parsed().Value("hourcell_new_thing_x_total", {{"kind", "a"}}), 3);
}

TEST_F(MetricsHandlerTest, ValuesAreThoseOfTheStatistics) {
  Start();
  PutPoints();
  const ParsedMetrics metrics = Parsed();

  EXPECT_EQ(metrics.Value("hourcell_datapoints_added_total", {{"type", "all"}}),
            kSeries * kPointsPerSeries);
  EXPECT_EQ(metrics.Value("hourcell_open_rows_series"), kSeries);
  EXPECT_EQ(metrics.Value("hourcell_regions", {{"table", "data"}}), 1);
  EXPECT_EQ(metrics.Value("hourcell_connectionmgr_open_connections", {{"type", "open"}}), 0);
  EXPECT_EQ(metrics.Value("process_start_time_seconds"), 1'357'300'800);
  EXPECT_GT(metrics.Value("process_resident_memory_bytes"), 1 << 20);
  EXPECT_GT(metrics.Value("hourcell_journal_write_seconds_count"), 0);
}

TEST_F(MetricsHandlerTest, RequestsAreInTheHistogramOfTheirKind) {
  Start();
  const std::string point =
      R"({"metric":"m","timestamp":1356998400,"value":1,"tags":{"host":"another"}})";
  EXPECT_THAT(Answer(fmt::format("POST /api/put HTTP/1.0\r\nContent-Length: {}\r\n\r\n{}",
                                 point.size(), point)),
              StartsWith("HTTP/1.1 204"));
  EXPECT_THAT(Answer("GET /api/query?start=1356998400&m=sum:m HTTP/1.0\r\n\r\n"),
              StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Answer("GET /metrics HTTP/1.0\r\n\r\n"), HasSubstr("text/plain; version=0.0.4"));

  const ParsedMetrics metrics = Parsed();
  for (const std::string kind : {"put", "query", "other"}) {
    EXPECT_EQ(metrics.Value("hourcell_http_request_seconds_count", {{"kind", kind}}), 1) << kind;
  }
}

TEST_F(MetricsHandlerTest, RegionsAreListedUpToALimit) {
  ASSERT_OK(
      tsdb_->maintenance().regions()->RollingSplit("data", "keys:\\x00\\x00\\x01,\\x00\\x00\\x02"));
  const ParsedMetrics all = ParseMetrics(Scrape().body, MetricsFormat::kPrometheus);
  const ParsedFamily* const sizes = all.Family("hourcell_region_file_bytes");
  ASSERT_NE(sizes, nullptr);
  EXPECT_EQ(sizes->samples.size(), 4u);  // three of data, one of annotation

  const HttpResponse fewer = Scrape(MetricsFormat::kPrometheus, /*regions_max=*/2);
  const ParsedMetrics some = ParseMetrics(fewer.body, MetricsFormat::kPrometheus);
  EXPECT_THAT(some.faults, IsEmpty());
  EXPECT_EQ(some.Family("hourcell_region_file_bytes")->samples.size(), 1u);
  EXPECT_EQ(some.Value("hourcell_regions", {{"table", "data"}}), 3);

  EXPECT_THAT(Scrape(MetricsFormat::kPrometheus, /*regions_max=*/0).body,
              Not(HasSubstr("hourcell_region_file_bytes")));
}

// The figures of regions are those of ten seconds ago at most; the rest is of now.
TEST_F(MetricsHandlerTest, AsksForTheRegionsNowAndThenOnly) {
  MetricsHandler handler(tsdb_.get(), &clock_, {.regions_max = 100});
  const auto regions = [&] {
    const std::string page = handler.Handle({}).body;
    return ParseMetrics(page, MetricsFormat::kPrometheus)
        .Family("hourcell_region_file_bytes")
        ->samples.size();
  };
  EXPECT_EQ(regions(), 2u);
  ASSERT_OK(tsdb_->maintenance().regions()->Split({.region = "1", .at = "\\x00\\x00\\x01"}));
  EXPECT_EQ(regions(), 2u);
  clock_.Advance(kRegionFiguresMs);
  EXPECT_EQ(regions(), 3u);
}

TEST_F(MetricsHandlerTest, PromtoolFindsNoFault) {
  if (std::system("command -v promtool >/dev/null") != 0) {
    GTEST_SKIP() << "promtool is not installed: install the package prometheus";
  }
  Start();
  PutPoints();
  const std::string page = dir_.file("metrics");
  std::ofstream(page) << Scrape().body;
  const std::string faults = dir_.file("faults");
  const int status =
      std::system(fmt::format("promtool check metrics <{} >{} 2>&1", page, faults).c_str());
  std::ifstream said(faults);
  EXPECT_EQ(status, 0) << said.rdbuf();
}

}  // namespace
}  // namespace hourcell::metrics_handler_test
