#include "server/cli/cluster/top.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/server/http/scripted_server.h"
#include "tests/server/running_server.h"

namespace hourcell::top_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class TopTest : public RunningServerTest {
 protected:
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port()); }
};

TEST_F(TopTest, PrintsSnapshotsOfAServer) {
  Start();
  CapturedTerminal terminal;

  EXPECT_EQ(RunTop({.url = url(), .delay_ms = 1, .count = 2}, terminal.get()), kExitOk);

  const std::string out = terminal.out();
  EXPECT_THAT(out, StartsWith("hourcell at 127.0.0.1:" + std::to_string(port())));
  EXPECT_THAT(out, HasSubstr("   regions 1   disk free "));
  EXPECT_EQ(out.find("hourcell at", 1), out.find("\n\nhourcell at") + 2);
}

TEST_F(TopTest, JsonIsAnObjectForEachSnapshot) {
  Start();
  CapturedTerminal terminal;

  EXPECT_EQ(RunTop({.url = url(), .delay_ms = 1, .count = 3, .json = true}, terminal.get()),
            kExitOk);

  EXPECT_EQ(std::ranges::count(terminal.out(), '\n'), 3);
  EXPECT_THAT(terminal.out(), StartsWith("{\"server\":\"127.0.0.1:"));
}

TEST(TopRefusalTest, WhatTheServerRefusesFails) {
  const ScriptedServer server(
      {{.bytes = HttpReplyText(401, R"({"error":{"code":401,"message":"This needs a user"}})")}});
  CapturedTerminal terminal;

  EXPECT_EQ(RunTop({.url = server.url()}, terminal.get()), kExitFailure);

  EXPECT_THAT(terminal.err(), HasSubstr("401 This needs a user"));
}

TEST(TopRefusalTest, RegionsAreLeftOutForWhoMayNotSeeThem) {
  const ScriptedServer server(
      {{.bytes = HttpReplyText(200, "hourcell_regions{table=\"data\"} 5\n")},
       {.bytes = HttpReplyText(200, R"({"completed":[],"running":[]})")},
       {.bytes = HttpReplyText(403, R"({"error":{"code":403,"message":"no"}})")}});
  CapturedTerminal terminal;

  EXPECT_EQ(RunTop({.url = server.url(), .count = 1}, terminal.get()), kExitOk);

  EXPECT_THAT(terminal.out(), HasSubstr("regions 5"));
}

// The test starts without a server.
TEST(TopFlagsTest, NoSnapshotsAreShownAtOnce) {
  CapturedTerminal terminal;
  EXPECT_EQ(TopMain({"-n", "0", "--url", "http://127.0.0.1:1"}, terminal.get()), kExitOk);
  EXPECT_EQ(terminal.out() + terminal.err(), "");
}

TEST(TopFlagsTest, ADelayThatMakesNoSenseIsAUsageError) {
  for (const char* delay : {"0", "-1", "nan", "1e9"}) {
    CapturedTerminal terminal;
    EXPECT_EQ(TopMain({"-d", delay}, terminal.get()), kExitUsage) << delay;
  }
}

}  // namespace
}  // namespace hourcell::top_test
