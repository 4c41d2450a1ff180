// A node takes over from one that died. The lease is longer than a test may last.

#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cluster/test_cluster.h"
#include "tests/http/server_process.h"

namespace hourcell::cluster_takeover_test {
namespace {

constexpr int64_t kLeaseMs = 600'000;
constexpr int64_t kStartMs = 20'000;

HttpResult Put(uint16_t port, int value) {
  return HttpCall(port, "POST", "/api/put",
                  fmt::format(R"({{"metric":"m","timestamp":{},"value":{},"tags":{{"h":"a"}}}})",
                              1356998400 + value, value));
}

// Two nodes, and the first of them writes.
class ClusterTakeoverTest : public testing::Test {
 protected:
  ClusterTakeoverTest() {
    cluster_.StartNode(0);
    EXPECT_TRUE(cluster_.AnswersWithin(0, kStartMs));
    EXPECT_EQ(Put(cluster_.port(0), 1).status, 204);
    cluster_.StartNode(1);
    EXPECT_TRUE(ListensWithin(cluster_.port(1), kStartMs));
    // It is seen by the first once it waits.
    EXPECT_EQ(Put(cluster_.port(1), 2).status, 204);
  }

  TestCluster cluster_{{.lease_ms = kLeaseMs, .nodes = 0, .fronts = false}};
};

TEST_F(ClusterTakeoverTest, AKilledWriterIsReplacedAtOnce) {
  cluster_.KillNode(0);
  EXPECT_EQ(Put(cluster_.port(1), 3).status, 204) << cluster_.LogOf(1);
  const std::string all = "/api/query?start=1356998400&end=1356998410&m=sum:m";
  EXPECT_THAT(HttpCall(cluster_.port(1), "GET", all).body,
              testing::HasSubstr(R"({"1356998401":1,"1356998402":2,"1356998403":3})"));
}

}  // namespace
}  // namespace hourcell::cluster_takeover_test
