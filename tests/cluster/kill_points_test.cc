// A node dies at each kill point of engine/bigtable: between the steps of a takeover, of a deletion
// of blocks, of a group and of a claim of numbers. The node after it has all that was acknowledged.

#include <signal.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cluster/cluster_client.h"
#include "tests/cluster/history.h"
#include "tests/cluster/test_cluster.h"
#include "tests/http/server_process.h"
#include "tests/support/source_dir.h"

namespace hourcell::cluster_kill_points_test {
namespace {

constexpr int64_t kStartMs = 20'000;

// All of engine/bigtable, ascending.
std::set<std::string> BigtableKillPoints() {
  constexpr std::string_view kCall = "HOURCELL_KILL_POINT(\"";
  std::set<std::string> points;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(SourcePath("engine/bigtable"))) {
    if (entry.path().extension() != ".cc") continue;
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    for (size_t at = 0; (at = text.find(kCall, at)) != std::string::npos;) {
      at += kCall.size();
      points.insert(text.substr(at, text.find('"', at) - at));
    }
  }
  return points;
}

class ClusterKillPointsTest : public testing::Test {
 protected:
  void SetUp() override {
#ifndef HOURCELL_KILL_POINTS
    GTEST_SKIP() << "built without HOURCELL_KILL_POINTS";
#endif
  }

  // One node at a time, so a short lease is nobody's loss.
  static ClusterSetup OneNode() {
    return {.settings = {"tsd.http.query.allow_delete=true"}, .lease_ms = 100, .nodes = 0};
  }

  // A node that dies at a point, at the latest when it is told to stop.
  static void DieAt(const std::string& point, TestCluster* cluster, ClusterLoad* load) {
    SCOPED_TRACE(point);
    cluster->StartNode(0, point);
    ClusterClient client(load, point.size());
    ChildProcess* const node = cluster->process(0);
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
    ASSERT_TRUE(ListensWithin(cluster->port(0), kStartMs)) << cluster->LogOf(0);
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
  for (const std::string& point : BigtableKillPoints()) {
    if (point.starts_with("create:")) continue;
    DieAt(point, &cluster, &load);
    Live(&cluster, &load);
  }
  EXPECT_THAT(history.Faults(), testing::IsEmpty());
  EXPECT_GT(history.acknowledged(), 0U);
}

TEST_F(ClusterKillPointsTest, AStoreThatIsHalfMadeIsMade) {
  for (const std::string& point : BigtableKillPoints()) {
    if (!point.starts_with("create:")) continue;
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
