#include "server/cli/cluster/cluster.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/server/cli/job_replies.h"
#include "tests/server/http/scripted_server.h"

namespace hourcell::cluster_test {
namespace {

using testing::HasSubstr;

constexpr std::string_view kTwo =
    R"({"engine":"bigtable","nodes":[{"address":"db1:4242","role":"writer","quiet_ms":0},)"
    R"({"address":"a:1","role":"waiting","quiet_ms":1234}],"journal":{"blocks":3,"bytes":456}})";

TEST(ClusterCommandTest, ListsTheNodes) {
  ScriptedServer server(
      {{HttpReplyText(200, std::string(kTwo))}, {HttpReplyText(200, std::string(kTwo))}});
  CapturedTerminal terminal;
  EXPECT_EQ(RunCluster({.url = server.url(), .words = {"status"}}, terminal.get()), kExitOk);
  EXPECT_EQ(terminal.out(),
            "address   role     last seen\n"
            "db1:4242  writer   now\n"
            "a:1       waiting  1.2 s ago\n"
            "engine bigtable; journal: 3 blocks, 456 bytes\n");

  CapturedTerminal json;
  EXPECT_EQ(RunCluster({.url = server.url(), .json = true, .words = {"status"}}, json.get()),
            kExitOk);
  EXPECT_EQ(json.out(), std::string(kTwo) + "\n");
}

TEST(ClusterCommandTest, SaysWhatIsWrong) {
  CapturedTerminal terminal;
  EXPECT_EQ(RunCluster({.url = "http://a", .words = {}}, terminal.get()), kExitUsage);
  EXPECT_EQ(RunCluster({.url = "http://a", .words = {"stop"}}, terminal.get()), kExitUsage);
  EXPECT_THAT(terminal.err(), HasSubstr("expected status, got \"stop\""));
  EXPECT_EQ(RunCluster({.words = {"status"}}, terminal.get()), kExitUsage);

  ScriptedServer server({{HttpReplyText(200, "{\"nodes\":[{}]}")}, {HttpReplyText(403, "no")}});
  const ClusterOptions options{.url = server.url(), .words = {"status"}};
  EXPECT_EQ(RunCluster(options, terminal.get()), kExitFailure);
  EXPECT_THAT(terminal.err(), HasSubstr("expected the nodes of a cluster"));
  EXPECT_EQ(RunCluster(options, terminal.get()), kExitFailure);
}

}  // namespace
}  // namespace hourcell::cluster_test
