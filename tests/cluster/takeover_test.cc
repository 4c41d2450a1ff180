// A node takes over from one that died. The lease is longer than a test may last.

#include <signal.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cluster/test_cluster.h"
#include "tests/http/server_process.h"

namespace hourcell::cluster_takeover_test {
namespace {

using testing::HasSubstr;

constexpr int64_t kLeaseMs = 600'000;
constexpr int64_t kStartMs = 20'000;
constexpr std::string_view kAll = "/api/query?start=1356998400&end=1356998410&m=sum:m";
const std::string kThree = R"({"1356998401":1,"1356998402":2,"1356998403":3})";

HttpResult Put(uint16_t port, int value) {
  return HttpCall(port, "POST", "/api/put",
                  fmt::format(R"({{"metric":"m","timestamp":{},"value":{},"tags":{{"h":"a"}}}})",
                              1356998400 + value, value));
}

// Two nodes; the first one is the writer.
class ClusterTakeoverTest : public testing::TestWithParam<BigtableService> {
 protected:
  void SetUp() override {
    if (GetParam() == BigtableService::kGooglesEmulator) HOURCELL_WANT_EMULATOR();
    cluster_.emplace(
        ClusterSetup{.service = GetParam(), .lease_ms = kLeaseMs, .nodes = 0, .fronts = false});
    cluster().StartNode(0);
    ASSERT_TRUE(cluster().AnswersWithin(0, kStartMs)) << cluster().LogOf(0);
    ASSERT_EQ(Put(cluster().port(0), 1).status, 204);
    cluster().StartNode(1);
    ASSERT_TRUE(ListensWithin(cluster().port(1), kStartMs));
    // It is seen by the first once it waits.
    ASSERT_EQ(Put(cluster().port(1), 2).status, 204);
  }

  TestCluster& cluster() { return *cluster_; }

 private:
  std::optional<TestCluster> cluster_;
};

INSTANTIATE_TEST_SUITE_P(OnEach,
                         ClusterTakeoverTest,
                         testing::Values(BigtableService::kFake, BigtableService::kGooglesEmulator),
                         NameOfService);

TEST_P(ClusterTakeoverTest, AKilledWriterIsReplacedAtOnce) {
  cluster().KillNode(0);
  EXPECT_EQ(Put(cluster().port(1), 3).status, 204) << cluster().LogOf(1);
  EXPECT_THAT(HttpCall(cluster().port(1), "GET", kAll).body, HasSubstr(kThree));
}

// The writer is stopped, and no other node may take over.
TEST_P(ClusterTakeoverTest, AQueryNeedsNoWriter) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kStartMs);
  while (cluster().LogOf(1).find("queries are answered by this process") == std::string::npos) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << cluster().LogOf(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(Put(cluster().port(0), 3).status, 204);
  cluster().SignalNode(0, SIGSTOP);
  EXPECT_THAT(HttpCall(cluster().port(1), "GET", kAll).body, HasSubstr(kThree));
  EXPECT_THAT(HttpCall(cluster().port(1), "GET", "/q?start=1356998400&m=sum:m&ascii").body,
              HasSubstr("m 1356998403 3 "));
  cluster().SignalNode(0, SIGCONT);
}

}  // namespace
}  // namespace hourcell::cluster_takeover_test
