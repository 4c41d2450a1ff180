// Nodes of a cluster, and the engine, are killed, stopped, cut off and restarted, while clients
// put, overwrite, delete and read. Every answer has all points that were acknowledged before the
// question, and none that was never sent or was deleted. On Google's emulator, which keeps no rows,
// the engine is not killed.
//
// HOURCELL_CLUSTER_ROUNDS is the number of clusters (1), HOURCELL_CLUSTER_EVENTS the number of
// events in each (2), HOURCELL_TEST_SEED the first seed. A wrong history is written to a file in
// HOURCELL_CLUSTER_HISTORIES, or in the directory of temporary files.

#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/cluster/cluster_client.h"
#include "tests/cluster/history.h"
#include "tests/cluster/test_cluster.h"
#include "tests/http/crash/kill_points.h"
#include "tests/http/server_process.h"

namespace hourcell::cluster_history_test {
namespace {

constexpr int kClients = 8;
constexpr int64_t kLeaseMs = 1000;
constexpr int64_t kRecoveryMs = 30'000;

uint64_t NumberOf(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Google's emulator loses its rows when it ends, and cannot inject faults.
std::vector<std::string> FakeArguments(uint64_t seed) {
  if (seed % 2 == 0) return {};
  return {"--faults", fmt::format("{}", seed)};
}

// A life of a cluster.
class Round {
 public:
  Round(BigtableService service, uint64_t seed)
      : random_(seed),
        keeps_rows_(service == BigtableService::kFake),
        cluster_({.service = service,
                  .fake_arguments = FakeArguments(seed),
                  .settings = {"tsd.storage.seal_grace=1", "tsd.storage.journal.segment=65536",
                               "tsd.storage.journal=262144", "tsd.http.query.allow_delete=true"},
                  .lease_ms = kLeaseMs,
                  .clocks_step = true}) {
    if (!cluster_.CanStepClocks() && std::getenv("HOURCELL_PROGRAM") == nullptr) {
      fmt::print(
          "the clocks of the nodes do not step: `apt-get install faketime` (group bigtable "
          "of scripts/packages)\n");
    }
    load_.history = &history_;
    for (int node = 0; node < kClusterNodes; ++node)
      load_.ports.push_back(cluster_.port(node));
    for (int i = 0; i < kClients; ++i)
      clients_.emplace_back([this, client_seed = random_.Next()] { RunClient(client_seed); });
  }
  ~Round() { StopClients(); }
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;

  void Run(uint64_t events) {
    ASSERT_TRUE(cluster_.TendUntilOneAnswers(kRecoveryMs)) << Logs();
    for (; events > 0; --events) {
      cluster_.Tend(static_cast<int64_t>(random_.Below(800)));
      const auto ms = static_cast<int64_t>(random_.Below(2 * kLeaseMs + 500));
      const Undo undo = Disturb();
      const Undo other = random_.Below(3) == 0 ? Disturb() : [] {};
      std::this_thread::sleep_for(std::chrono::milliseconds(ms));
      undo();
      other();
      history_.AddEvent(fmt::format("over after {} ms", ms));
    }
    ASSERT_TRUE(cluster_.TendUntilOneAnswers(kRecoveryMs)) << Logs();
    StopClients();
    ReadAll("what is there at the end");
    for (int node = 0; node < kClusterNodes; ++node)
      cluster_.KillNode(node);
    ASSERT_TRUE(cluster_.TendUntilOneAnswers(kRecoveryMs)) << Logs();
    ReadAll("what is there after a restart of all");
    CheckStore();
  }

  const History& history() const { return history_; }
  // Of all answers, how often each.
  std::string Statuses() {
    MutexLock lock(&load_.mutex);
    std::string text;
    for (const auto& [status, count] : load_.statuses)
      text += fmt::format(" {}: {}", status, count);
    return text;
  }
  std::string Logs() const {
    std::string logs = cluster_.FakeLog();
    for (int node = 0; node < kClusterNodes; ++node)
      logs += fmt::format("node {}:\n{}", node, cluster_.LogOf(node));
    return logs;
  }

 private:
  using Undo = std::function<void()>;

  void RunClient(uint64_t seed) {
    ClusterClient client(&load_, seed);
    while (!is_over_) {
      const bool was_heard = client.Step();
      std::this_thread::sleep_for(std::chrono::milliseconds(was_heard ? 2 : 5));
    }
  }

  void StopClients() {
    is_over_ = true;
    for (std::thread& client : clients_)
      client.join();
    clients_.clear();
  }

  // Some node answers.
  void ReadAll(const std::string& what) {
    history_.AddEvent(what);
    ClusterClient client(&load_, 1);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kRecoveryMs);
    bool is_read = false;
    while (!is_read && std::chrono::steady_clock::now() < end) {
      for (int node = 0; node < kClusterNodes; ++node)
        is_read = client.Read(node) || is_read;
      cluster_.Tend(0);
    }
    EXPECT_TRUE(is_read) << what << Logs();
  }

  // Names, the index of series and rows agree. UIDs that a dying node wasted are allowed.
  void CheckStore() {
    const std::string url =
        fmt::format("http://127.0.0.1:{}", cluster_.port(load_.answering_node.load()));
    const ProgramResult fsck = RunProgram({"fsck", "--url", url});
    EXPECT_EQ(fsck.exit_code, 0) << fsck.out << fsck.err << Logs();
  }

  // A kill point that a node reaches in normal operation, or none. It may be the first time or a
  // later one.
  std::string NextKillPoint() {
#ifdef HOURCELL_KILL_POINTS
    const std::string& point = kill_points_[random_.Below(kill_points_.size())];
    if (random_.Below(2) == 0) return fmt::format("{}#{}", point, 1 + random_.Below(3));
#endif
    return {};
  }

  // Disturbs the cluster, and returns the action that ends the disturbance.
  Undo Disturb() {
    // Mostly the one that writes.
    const int node = random_.Below(3) == 0 ? static_cast<int>(random_.Below(kClusterNodes))
                                           : load_.answering_node.load();
    uint64_t which = random_.Below(cluster_.CanStepClocks() ? 12 : 11);
    if (!keeps_rows_ && (which == 4 || which == 5)) which -= 4;  // a node, in its place
    switch (which) {
      case 0:
        Say("kill -9", node);
        cluster_.KillNode(node);
        return [this, node] { cluster_.StartNode(node, NextKillPoint()); };
      case 1:
        Say("stop", node);
        cluster_.SignalNode(node, SIGSTOP);
        return [this, node] { cluster_.SignalNode(node, SIGCONT); };
      case 2:
        Say("stop, and a checkpoint", node);
        cluster_.SignalNode(node, SIGSTOP);
        return [this, node] { GoOnWithCheckpoint(node); };
      case 3:
        Say("terminate", node);
        cluster_.TerminateNode(node);
        return [this, node] { cluster_.StartNode(node); };
      case 4:
        Say("kill -9 the engine", node);
        cluster_.KillFake();
        return [this] { cluster_.StartFake(); };
      case 5:
        Say("kill -9 all", node);
        return KillAll();
      case 6:
        Say("delay", node);
        cluster_.proxy(node)->Delay(100);
        return [this, node] { cluster_.proxy(node)->Heal(); };
      case 7:
        return Cut("between nodes", node, cluster_.front(node));
      case 11:
        return StepClock(node);
      default:
        return Cut("from the engine", node, cluster_.proxy(node));
    }
  }

  // A writer that was stopped for minutes makes a checkpoint as soon as it continues, before its
  // next heartbeat. The request is there when it does.
  void GoOnWithCheckpoint(int node) {
    TcpClient client(cluster_.port(node), kLeaseMs);
    if (client.is_connected()) {
      client.Send("POST /api/admin/flush HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
    }
    cluster_.SignalNode(node, SIGCONT);
    if (client.is_connected()) client.ReadLines(1);
  }

  Undo KillAll() {
    for (int node = 0; node < kClusterNodes; ++node)
      cluster_.KillNode(node);
    cluster_.KillFake();
    return [this] {
      cluster_.StartFake();
      for (int node = 0; node < kClusterNodes; ++node)
        cluster_.StartNode(node);
    };
  }

  // The step stays: later events happen to nodes whose clocks differ.
  Undo StepClock(int node) {
    const int hours = static_cast<int>(random_.Below(49)) - 24;
    Say(fmt::format("the clock is {} hours off", hours), node);
    cluster_.StepClock(node, hours);
    return [] {};
  }

  Undo Cut(const std::string& where, int node, CutProxy* proxy) {
    const uint64_t which = random_.Below(3);
    Say((which == 0 ? "cut " : which == 1 ? "requests cut " : "answers cut ") + where, node);
    proxy->Cut(/*requests=*/which != 2, /*answers=*/which != 1);
    // A network that comes back may have forgotten its connections.
    const bool resets = random_.Below(2) == 0;
    return [proxy, resets] {
      if (resets) proxy->Reset();
      proxy->Heal();
    };
  }

  void Say(const std::string& what, int node) {
    history_.AddEvent(fmt::format("{}: node {}", what, node));
  }

  Random random_;
  const bool keeps_rows_;  // of the engine, when it is killed
  const std::vector<std::string> kill_points_ = KillPointsIn("engine");
  TestCluster cluster_;
  History history_;
  ClusterLoad load_;
  std::atomic<bool> is_over_{false};
  std::vector<std::thread> clients_;
};

// Where a history that is wrong goes: HOURCELL_CLUSTER_HISTORIES, or the directory of the caller.
std::string Written(const Round& round, uint64_t seed) {
  const char* const wanted = std::getenv("HOURCELL_CLUSTER_HISTORIES");
  const std::filesystem::path directory = wanted != nullptr ? wanted : ".";
  const std::filesystem::path path = directory / fmt::format("hourcell-history-{}", seed);
  std::ofstream(path) << round.history().Text() << "\n" << round.Logs();
  return path.string();
}

class ClusterHistoryTest : public testing::TestWithParam<BigtableService> {};

INSTANTIATE_TEST_SUITE_P(OnEach,
                         ClusterHistoryTest,
                         testing::Values(BigtableService::kFake, BigtableService::kGooglesEmulator),
                         NameOfService);

TEST_P(ClusterHistoryTest, AnswersHaveWhatWasAcknowledged) {
  if (GetParam() == BigtableService::kGooglesEmulator) HOURCELL_WANT_EMULATOR();
  const uint64_t first = NumberOf("HOURCELL_TEST_SEED", 1);
  const uint64_t rounds = NumberOf("HOURCELL_CLUSTER_ROUNDS", 1);
  const uint64_t events = NumberOf("HOURCELL_CLUSTER_EVENTS", 2);
  for (uint64_t seed = first; seed < first + rounds; ++seed) {
    std::printf("HOURCELL_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
    Round round(GetParam(), seed);
    round.Run(events);
    const std::vector<std::string> faults = round.history().Faults();
    std::printf("%zu acknowledged writes, %zu answers, %zu faults; statuses%s\n",
                round.history().acknowledged(), round.history().answers(), faults.size(),
                round.Statuses().c_str());
    std::fflush(stdout);
    EXPECT_GT(round.history().acknowledged(), 0U);
    EXPECT_GT(round.history().answers(), 0U);
    if (faults.empty() && !testing::Test::HasFailure()) continue;
    ADD_FAILURE() << "seed " << seed << ", history in " << Written(round, seed) << "\n"
                  << (faults.empty() ? "" : faults.front());
    return;
  }
}

}  // namespace
}  // namespace hourcell::cluster_history_test
