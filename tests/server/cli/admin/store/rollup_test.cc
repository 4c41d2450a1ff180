#include "server/cli/admin/store/rollup.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/server/http/scripted_server.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rollup_command_test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class RollupCommandTest : public testing::Test {
 protected:
  StoreOptions store() const {
    return {.data = dir_.file("store"), .settings = {"tsd.rollups.rules=m 1h (sum)"}};
  }
  int Run(std::vector<std::string> words, const std::string& url = "", bool json = false) {
    return RunRollup({.store = store(), .url = url, .json = json, .words = std::move(words)},
                     terminal_.get());
  }
  // A point a minute of two series, on each of the last two days.
  void Fill() {
    const auto tsdb = OpenStore(store(), StoreUse::kCreate);
    ASSERT_OK(tsdb);
    const int64_t now_s = Clock::System()->NowMs() / 1000;
    for (int64_t minute = 0; minute < 2 * 1440; ++minute) {
      for (const char* const tags : {"host=a", "host=b"}) {
        OwnedPoint point("m", tags, now_s - minute * 60, minute);
        ASSERT_OK((*tsdb)->points().Put(point.view()));
      }
    }
    ASSERT_OK((*tsdb)->maintenance().ComputeRollups());
    ASSERT_OK((*tsdb)->Close());
  }

  TempDir dir_;
  CapturedTerminal terminal_{Clock::System()->NowMs()};
};

TEST_F(RollupCommandTest, APlanHasThePointsAndTheirLevels) {
  Fill();
  EXPECT_EQ(Run({"plan", "* raw for 30d, 1m (count) for 1y, 1h (sum)"}), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("m series=2 points=2880 "));
  EXPECT_THAT(terminal_.out(), HasSubstr("_rollup/1m-count/m series=2 points=2880 "));
  EXPECT_THAT(terminal_.out(), HasSubstr("_rollup/1h-sum/m series=2 points=48 "));
  EXPECT_THAT(terminal_.out(), HasSubstr("kept without a limit"));
}

TEST_F(RollupCommandTest, APlanNamesLevelsThatSaveNoSpace) {
  Fill();
  EXPECT_EQ(Run({"plan", "* 1m (sum min max), 1h (sum)"}), kExitOk);
  EXPECT_THAT(terminal_.out(), ContainsRegex("_rollup/1m-max/m .*\nm: level 1m saves no space: "
                                             "[0-9]+ bytes a day; the points take [0-9]+\n"
                                             "_rollup/1h-sum/m "));
  EXPECT_THAT(terminal_.out(), Not(HasSubstr("level 1h")));
}

TEST_F(RollupCommandTest, TheRulesOfTheSettingsArePlannedByDefault) {
  Fill();
  EXPECT_EQ(Run({"plan"}), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("_rollup/1h-sum/m "));
}

TEST_F(RollupCommandTest, LevelsAreShownAndRebuilt) {
  Fill();
  EXPECT_EQ(Run({"status"}), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("m until="));
  EXPECT_THAT(terminal_.out(), HasSubstr(" 1h(sum)\n"));
  EXPECT_EQ(Run({"rebuild", "m"}), kExitOk);
  CapturedTerminal after;
  EXPECT_EQ(RunRollup({.store = store(), .words = {"status"}}, after.get()), kExitOk);
  EXPECT_THAT(after.out(), HasSubstr("m until="));
  EXPECT_EQ(Run({"rebuild", "no.such"}), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("no.such"));
}

TEST_F(RollupCommandTest, AServerIsAskedForItsStatus) {
  const std::string body =
      R"j({"metrics":[{"metric":"m","levels":"1h(sum)","until":1356998400,"changed":2},)j"
      R"j({"metric":"n","levels":"","until":0,"changed":0}]})j";
  ScriptedServer server({{HttpReplyText(200, body)}, {HttpReplyText(200, body)}});
  EXPECT_EQ(Run({"status"}, server.url()), kExitOk);
  EXPECT_EQ(Run({"status"}, server.url(), /*json=*/true), kExitOk);

  EXPECT_EQ(terminal_.out(),
            "m until=2013/01/01-00:00 changed=2 1h(sum)\nn until=1970/01/01-00:00 changed=0 \n" +
                body + "\n");
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_THAT(server.requests()[0], StartsWith("GET /api/admin/rollups HTTP/1.1\r\n"));
}

TEST_F(RollupCommandTest, OtherAnswersOfAServerAreFailures) {
  const std::string no_rules = R"({"error":{"code":409,"message":"rollups: no rules"}})";
  ScriptedServer server({{HttpReplyText(200, "[]")},
                         {HttpReplyText(200, R"({"metrics":[{"metric":"m","levels":""}]})")},
                         {HttpReplyText(409, no_rules)}});
  EXPECT_EQ(Run({"status"}, server.url()), kExitFailure);
  EXPECT_EQ(Run({"status"}, server.url()), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("expected an object with metrics"));
  EXPECT_EQ(Run({"status"}, server.url()), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("409 rollups: no rules"));
  EXPECT_THAT(terminal_.out(), IsEmpty());
}

TEST_F(RollupCommandTest, OnlyStatusIsAskedOfAServer) {
  for (const char* const action : {"plan", "rebuild"}) {
    EXPECT_EQ(Run({action, "m 1h"}, "http://localhost:1"), kExitUsage);
    EXPECT_EQ(Run({action, "m 1h"}, "", /*json=*/true), kExitUsage);
  }
  EXPECT_THAT(terminal_.err(), AllOf(HasSubstr("--url: only status takes it"),
                                     HasSubstr("--json: only status takes it")));
}

TEST_F(RollupCommandTest, WrongWordsAndRulesAreUsageErrors) {
  EXPECT_EQ(Run({}), kExitUsage);
  EXPECT_EQ(Run({"stop"}), kExitUsage);
  EXPECT_EQ(Run({"status", "m"}), kExitUsage);
  EXPECT_EQ(Run({"plan", "* 7m"}), kExitUsage);
  EXPECT_THAT(terminal_.err(), HasSubstr("rule 1: interval"));
  EXPECT_EQ(Run({"rebuild", "m", "yesterday"}), kExitUsage);
  EXPECT_THAT(terminal_.out(), IsEmpty());
}

}  // namespace
}  // namespace hourcell::rollup_command_test
