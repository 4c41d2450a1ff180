// The dashboard and the alert rules of docs/monitoring: each name in them is one of /metrics.

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include <absl/strings/ascii.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "server/monitor/metrics_handler.h"
#include "tests/server/monitor/metrics_parser.h"
#include "tests/server/running_server.h"
#include "tests/support/source_dir.h"

namespace hourcell::monitoring_files_test {
namespace {

using testing::IsEmpty;

constexpr std::string_view kDashboard = "docs/monitoring/grafana-dashboard.json";
constexpr std::string_view kRules = "docs/monitoring/prometheus-alerts.yml";

std::string ReadText(std::string_view path) {
  std::ifstream file(SourcePath(path));
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The names of metrics in a text.
std::set<std::string> NamesIn(const std::string& text) {
  std::set<std::string> names;
  for (const std::string_view prefix : {"hourcell_", "process_"}) {
    for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at + 1)) {
      size_t end = at;
      while (end < text.size() &&
             (absl::ascii_isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) {
        ++end;
      }
      names.insert(text.substr(at, end - at));
    }
  }
  return names;
}

class MonitoringFilesTest : public RunningServerTest {};

TEST_F(MonitoringFilesTest, EachNameIsAMetric) {
  Start();
  PutPoints();
  // Made by tsd.forward alone: ForwardTest has them of a server with it.
  tsdb_->stats().AddCount("forward.points", {{"type", "dropped"}}, [] { return 0; });
  tsdb_->stats().AddGauge("forward.lag", {}, [] { return 0; });
  const HttpResponse page =
      MetricsHandler(tsdb_.get(), Clock::System(), {.regions_max = 100}).Handle({});
  const ParsedMetrics metrics = ParseMetrics(page.body, MetricsFormat::kPrometheus);
  std::set<std::string> given;
  for (const ParsedFamily& family : metrics.families) {
    for (const ParsedSample& sample : family.samples)
      given.insert(sample.name);
  }

  for (const std::string_view path : {kDashboard, kRules}) {
    const std::set<std::string> names = NamesIn(ReadText(path));
    EXPECT_GT(names.size(), 8u) << path;
    for (const std::string& name : names) {
      // Named in a sentence, as a whole.
      const bool is_histogram = given.contains(name + "_bucket");
      EXPECT_TRUE(given.contains(name) || is_histogram) << path << ": " << name;
    }
  }
}

TEST_F(MonitoringFilesTest, TheDashboardIsJsonWithAQueryInEachPanel) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  ASSERT_FALSE(parser.parse(ReadText(kDashboard)).get(document));
  size_t panels = 0;
  for (const auto panel : document["panels"]) {
    ++panels;
    for (const auto target : panel["targets"])
      EXPECT_FALSE(std::string_view(target["expr"]).empty());
  }
  EXPECT_GT(panels, 10u);
}

TEST_F(MonitoringFilesTest, PromtoolTakesTheRules) {
  if (std::system("command -v promtool >/dev/null") != 0) {
    GTEST_SKIP() << "promtool is not installed: install the package prometheus";
  }
  const std::string faults = dir_.file("faults");
  const int status = std::system(
      fmt::format("promtool check rules {} >{} 2>&1", SourcePath(kRules), faults).c_str());
  std::ifstream said(faults);
  EXPECT_EQ(status, 0) << said.rdbuf();
}

}  // namespace
}  // namespace hourcell::monitoring_files_test
