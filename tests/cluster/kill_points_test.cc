// A node dies at each kill point of engine/bigtable: between the steps of a takeover, of a deletion
// of blocks, of a group and of a new ID range. The node after it has all that was acknowledged.

#include "tests/http/crash/kill_points.h"

#include <signal.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cluster/cluster_client.h"
#include "tests/cluster/history.h"
#include "tests/cluster/test_cluster.h"
#include "tests/http/server_process.h"

namespace hourcell::cluster_kill_points_test {
namespace {

constexpr int64_t kStartMs = 20'000;

class ClusterKillPointsTest : public testing::Test {
 protected:
  void SetUp() override {
#ifndef HOURCELL_KILL_POINTS
    GTEST_SKIP() << "built without HOURCELL_KILL_POINTS";
#endif
  }

  // One node at a time, so a short lease does no harm.
  static ClusterSetup OneNode() {
    return {.settings = {"tsd.http.query.allow_delete=true"}, .lease_ms = 100, .nodes = 0};
  }

  // Whether the node logged, after the first `logged` bytes, that it writes.
  static bool Writes(const TestCluster& cluster, size_t logged) {
    return cluster.LogOf(0).find("this process writes to the store", logged) != std::string::npos;
  }

  // Makes a node die at a kill point, at the latest when it stops.
  static void DieAt(const std::string& point, TestCluster* cluster, ClusterLoad* load) {
    SCOPED_TRACE(point);
    const size_t logged = cluster->LogOf(0).size();
    cluster->StartNode(0, point);
    ClusterClient client(load, point.size());
    ChildProcess* const node = cluster->process(0);
    // Until then it answers queries, and comes to no point.
    for (int64_t ms = 0; ms < kStartMs && !node->HasEnded() && !Writes(*cluster, logged); ms += 5)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (int steps = 0; steps < 40 && !node->HasEnded(); ++steps) {
      if (!client.Step()) ListensWithin(cluster->port(0), 5);
    }
    node->Signal(SIGTERM);
    EXPECT_TRUE(node->EndWithin(kStartMs));
    EXPECT_EQ(node->ended_by(), SIGKILL) << "it did not come to the point\n" << cluster->LogOf(0);
  }

  // The next node has all.
  static void Live(TestCluster* cluster, ClusterLoad* load) {
    cluster->StartNode(0);
    ASSERT_TRUE(cluster->AnswersWithin(0, kStartMs)) << cluster->LogOf(0);
    ClusterClient client(load, 1);
    EXPECT_TRUE(client.Read(0));
    for (int steps = 0; steps < 10; ++steps)
      client.Step();
    cluster->KillNode(0);
  }
};

TEST_F(ClusterKillPointsTest, ANodeThatDiesAtAnyOfThemLosesNothing) {
  History history;
  TestCluster cluster(OneNode());
  ClusterLoad load;
  load.history = &history;
  load.ports = {cluster.port(0)};
  Live(&cluster, &load);
  for (const std::string& point : KillPointsIn("engine/bigtable")) {
    if (point.starts_with("create:")) continue;
    DieAt(point, &cluster, &load);
    Live(&cluster, &load);
  }
  EXPECT_THAT(history.Faults(), testing::IsEmpty());
  EXPECT_GT(history.acknowledged(), 0U);
}

// A node dies while it creates a name. The rows of a name are not one atomic group, so its UID is
// wasted. The store is whole, but OpenTSDB's `uid fsck` reports an error.
TEST_F(ClusterKillPointsTest, FsckDeletesUidsThatWereWasted) {
  TestCluster cluster(OneNode());
  const auto put = [&](int name) {
    return HttpCall(
        cluster.port(0), "POST", "/api/put",
        fmt::format(R"({{"metric":"m","timestamp":1356998400,"value":{},"tags":{{"h":"s{}"}}}})",
                    name, name));
  };
  const auto fsck = [&](std::vector<std::string> words) {
    const std::vector<std::string> engine = cluster.EngineFlags();
    words.insert(words.end(), engine.begin(), engine.end());
    return RunProgram(words, {}, cluster.EngineAddress(0));
  };
  const auto start = [&](const std::string& kill_at) {
    cluster.StartNode(0, kill_at);
    cluster.AnswersWithin(0, kStartMs);
  };
  start("");
  ASSERT_EQ(put(0).status, 204);
  cluster.KillNode(0);
  constexpr int kNames = 6;
  for (int name = 1; name <= kNames; ++name) {
    // Later and later stages of the first put.
    start(fmt::format("group:stage#{}", name + 3));
    put(name);
    cluster.KillNode(0);
    start("");
    ASSERT_EQ(put(name).status, 204);
    cluster.KillNode(0);
  }

  start("");
  const ProgramResult whole =
      RunProgram({"fsck", "--url", fmt::format("http://127.0.0.1:{}", cluster.port(0))});
  EXPECT_EQ(whole.exit_code, 0) << whole.out << whole.err;
  EXPECT_THAT(whole.out, testing::ContainsRegex("UIDs? (is|are) unused"));
  cluster.KillNode(0);
  const ProgramResult found = fsck({"uid", "fsck"});
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_THAT(found.out, testing::HasSubstr("the forward mapping is"));
  EXPECT_THAT(fsck({"uid", "fsck", "fix"}).out, testing::HasSubstr("(repaired)"));
  EXPECT_EQ(fsck({"uid", "fsck"}).exit_code, 0);
  start("");
  const std::string all =
      HttpCall(cluster.port(0), "GET", "/api/query?start=1356998400&end=1356998401&m=none:m").body;
  for (int name = 0; name <= kNames; ++name)
    EXPECT_THAT(all, testing::HasSubstr(fmt::format("\"1356998400\":{}", name)));
}

TEST_F(ClusterKillPointsTest, AStoreThatIsHalfMadeIsMade) {
  // The first groups are the writes of a new store.
  std::vector<std::string> points = {"group:stage", "group:stage#2", "group:stage#3"};
  for (const std::string& point : KillPointsIn("engine/bigtable")) {
    if (point.starts_with("create:")) points.push_back(point);
  }
  for (const std::string& point : points) {
    History history;
    TestCluster cluster(OneNode());
    ClusterLoad load;
    load.history = &history;
    load.ports = {cluster.port(0)};
    DieAt(point, &cluster, &load);
    Live(&cluster, &load);
    EXPECT_THAT(history.Faults(), testing::IsEmpty());
  }
}

}  // namespace
}  // namespace hourcell::cluster_kill_points_test
