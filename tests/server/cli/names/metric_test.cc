#include "server/cli/names/metric.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/server/http/scripted_server.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::metric_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class MetricTest : public testing::Test {
 protected:
  void PutPoints() {
    const auto tsdb = OpenStore(store(), StoreUse::kCreate);
    ASSERT_OK(tsdb);
    for (const char* const metric : {"u", "s"}) {
      OwnedPoint point(metric, "host=a", 1356998400, 1);
      ASSERT_OK((*tsdb)->points().Put(point.view()));
    }
    ASSERT_OK((*tsdb)->Close());
  }

  StoreOptions store() const { return {.data = dir_.file("store")}; }
  int Run(std::vector<std::string> words,
          std::optional<double> missing = {},
          const std::string& url = "") {
    return RunMetricCommand(
        {.store = store(), .url = url, .missing = missing, .words = std::move(words)},
        terminal_.get());
  }

  TempDir dir_;
  CapturedTerminal terminal_;
};

TEST_F(MetricTest, ADirectorysMetricsAreDefinedListedAndDropped) {
  PutPoints();
  EXPECT_EQ(Run({"list"}), kExitOk);
  EXPECT_EQ(terminal_.out(), "");

  EXPECT_EQ(Run({"define", "busy", "sum:u{host=*}+sum:s{host=*}"}, 0.0), kExitOk);
  EXPECT_EQ(terminal_.out(), "busy = sum:u{host=*}+sum:s{host=*}  (missing: 0.0)\n");

  CapturedTerminal json;
  EXPECT_EQ(RunMetricCommand({.store = store(), .json = true, .words = {"list"}}, json.get()),
            kExitOk);
  EXPECT_EQ(json.out(),
            "{\"metrics\":[{\"metric\":\"busy\",\"expression\":\"sum:u{host=*}+sum:s{host=*}\","
            "\"missing\":0.0}]}\n");

  CapturedTerminal dropped;
  EXPECT_EQ(RunMetricCommand({.store = store(), .words = {"drop", "busy"}}, dropped.get()),
            kExitOk);
  EXPECT_EQ(dropped.out(), "");
}

TEST_F(MetricTest, AServersMetricsAreDefinedListedAndDropped) {
  constexpr const char* kAnswer = R"({"metrics":[{"metric":"v","expression":"none:u"}]})";
  ScriptedServer server({{HttpReplyText(200, kAnswer)},
                         {HttpReplyText(200, kAnswer)},
                         {HttpReplyText(200, R"({"metrics":[]})")}});

  EXPECT_EQ(Run({"define", "v", "none:u"}, 0.5, server.url()), kExitOk);
  EXPECT_EQ(Run({"list"}, {}, server.url()), kExitOk);
  EXPECT_EQ(Run({"drop", "v&w"}, {}, server.url()), kExitOk);

  EXPECT_EQ(terminal_.out(), "v = none:u\nv = none:u\n");
  ASSERT_EQ(server.requests().size(), 3u);
  EXPECT_THAT(server.requests()[0], StartsWith("POST /api/admin/metrics HTTP/1.1\r\n"));
  EXPECT_THAT(server.requests()[0],
              HasSubstr(R"({"metric":"v","expression":"none:u","missing":0.5})"));
  EXPECT_THAT(server.requests()[1], StartsWith("GET /api/admin/metrics HTTP/1.1\r\n"));
  EXPECT_THAT(server.requests()[2],
              StartsWith("DELETE /api/admin/metrics?metric=v%26w HTTP/1.1\r\n"));
}

TEST_F(MetricTest, AnAnswerOfAnotherFormFails) {
  ScriptedServer server({{HttpReplyText(200, "{}")},
                         {HttpReplyText(404, R"({"error":{"code":404,"message":"no m"}})")}});

  EXPECT_EQ(Run({"list"}, {}, server.url()), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("expected an object with metrics"));
  EXPECT_EQ(Run({"drop", "m"}, {}, server.url()), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("404 no m"));
}

TEST_F(MetricTest, WordsAreChecked) {
  PutPoints();
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {}, {"define", "x"}, {"drop"}, {"list", "x"}, {"nosuch"}}) {
    EXPECT_EQ(Run(words), kExitUsage);
  }
  EXPECT_THAT(terminal_.err(), HasSubstr("or drop NAME, got \"list x\""));
  EXPECT_EQ(Run({"define", "busy", "sum:u{host=*}", "+", "1"}), kExitUsage);
  EXPECT_THAT(terminal_.err(), HasSubstr("the expression in quotes, got 4 arguments"));
  EXPECT_EQ(Run({"define", "busy", "sum:u{host=*} +"}), kExitUsage);
  EXPECT_THAT(terminal_.err(), HasSubstr("expression: character 16"));
  EXPECT_EQ(Run({"list"}, 1.0), kExitUsage);
  EXPECT_THAT(terminal_.err(), HasSubstr("--missing: only define takes it"));
}

TEST_F(MetricTest, ARefusalFails) {
  PutPoints();
  EXPECT_EQ(Run({"define", "u", "sum:s{host=*}"}), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("has series"));
  EXPECT_EQ(Run({"drop", "u"}), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("not virtual"));
}

TEST_F(MetricTest, OptionsAreChecked) {
  CapturedTerminal terminal;
  EXPECT_EQ(MetricMain({"define", "x", "sum:u{host=*}", "--missing", "many"}, terminal.get()),
            kExitUsage);
  EXPECT_THAT(terminal.err(), HasSubstr("--missing: expected a number, got \"many\""));
  EXPECT_EQ(MetricMain({"--help"}, terminal.get()), kExitOk);
  EXPECT_THAT(terminal.out(), HasSubstr("Lists, defines and drops virtual metrics."));
}

}  // namespace
}  // namespace hourcell::metric_test
