// C1 for histograms: a write or a delete that is killed is done or not done, and acknowledged
// histograms are found.

#include <signal.h>

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/crash/kill_points.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::histogram_crash_test {
namespace {

std::vector<std::string> Arguments() {
  return {"--set", R"(tsd.core.histograms.config={"simple": 0})", "--set",
          "tsd.http.query.allow_delete=true"};
}

// `count` histograms of two series, one a second.
std::string HistogramsBody(int first, int count) {
  std::string body = "[";
  for (int i = first; i < first + count; ++i) {
    body += fmt::format(
        R"({}{{"metric":"m","timestamp":{},"tags":{{"h":"{}"}},"buckets":{{"0,1":1}}}})",
        i == first ? "" : ",", 1356998400 + i, i % 2);
  }
  return body + "]";
}

// How many histograms there are; 0 before the first one of the metric.
int CountHistogramsOf(uint16_t port) {
  const HttpResult result =
      HttpCall(port, "GET", "/api/query?start=1356998400&end=1357998400&m=none:percentiles[50]:m");
  int count = 0;
  for (size_t at = 0; (at = result.body.find("\":0.5", at)) != std::string::npos; ++at)
    ++count;
  return count;
}

class KilledHistogramTest : public KillPointTest {};

TEST_P(KilledHistogramTest, AcknowledgedHistogramsAreThereAndAWriteIsWhole) {
  constexpr int kAWrite = 3;
  constexpr int kWritesMax = 100;
  TempDir directory;
  int acknowledged = 0;
  {
    ServerProcess server(directory.path(), Arguments(), "HOURCELL_KILL_AT=" + GetParam());
    while (acknowledged < kWritesMax * kAWrite &&
           HttpCall(server.port(), "POST", "/api/histogram", HistogramsBody(acknowledged, kAWrite))
                   .status == 204) {
      acknowledged += kAWrite;
    }
    EXPECT_EQ(acknowledged < kWritesMax * kAWrite ? server.Wait() : server.End(SIGKILL), -SIGKILL);
  }
  ASSERT_LT(acknowledged, kWritesMax * kAWrite) << "never passed the kill point";

  ServerProcess server(directory.path(), Arguments());
  const int found = CountHistogramsOf(server.port());
  EXPECT_GE(found, acknowledged);
  EXPECT_LE(found, acknowledged + kAWrite);
  EXPECT_EQ(found % kAWrite, 0) << "a part of a write";
  EXPECT_EQ(HttpCall(server.port(), "POST", "/api/histogram", HistogramsBody(0, 300)).status, 204);
  EXPECT_EQ(CountHistogramsOf(server.port()), 300);
  EXPECT_EQ(server.End(SIGTERM), 0);
  ExpectCleanUids(directory.path());
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledHistogramTest,
                         testing::Values("histogram:before_write",
                                         "histogram:before_write#7",
                                         "histogram:after_write",
                                         "histogram:after_write#7"),
                         KillPointName);

class KilledHistogramDeleteTest : public KillPointTest {};

TEST_P(KilledHistogramDeleteTest, TheNextOneContinues) {
  const std::string uri = "/api/query?start=1356998400&end=1357998400&m=none:m";
  TempDir directory;
  {
    ServerProcess server(directory.path(), Arguments(), "HOURCELL_KILL_AT=" + GetParam());
    ASSERT_EQ(HttpCall(server.port(), "POST", "/api/histogram", HistogramsBody(0, 2500)).status,
              204);
    EXPECT_EQ(HttpCall(server.port(), "DELETE", uri).status, 0);
    EXPECT_EQ(server.Wait(), -SIGKILL);
  }

  ServerProcess server(directory.path(), Arguments());
  const int left = CountHistogramsOf(server.port());
  EXPECT_TRUE(left == 1500 || left == 500 || left == 0) << left;
  EXPECT_EQ(HttpCall(server.port(), "DELETE", uri).status, 200);
  EXPECT_EQ(CountHistogramsOf(server.port()), 0);
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledHistogramDeleteTest,
                         testing::Values("histogram:deleted",
                                         "histogram:deleted#2",
                                         "histogram:deleted#3"),
                         KillPointName);

}  // namespace
}  // namespace hourcell::histogram_crash_test
