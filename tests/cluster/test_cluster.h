// TestCluster: three nodes of the real program on one engine, which is a program, too. Each node
// reaches the engine through its own proxy, and other nodes reach the node through a second one.
// Both can be cut.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/cluster/child_process.h"
#include "tests/cluster/cut_proxy.h"
#include "tests/engine/bigtable/bigtable_service.h"
#include "tests/support/temp_dir.h"

namespace hourcell {

inline constexpr int kClusterNodes = 3;

struct ClusterSetup {
  BigtableService service = BigtableService::kFake;
  std::vector<std::string> fake_arguments = {};  // of the fake, such as --faults
  std::vector<std::string> settings = {};        // of all nodes
  int64_t lease_ms = 1000;
  int nodes = kClusterNodes;  // that are started at once
  bool fronts = true;         // other nodes speak with a node through a proxy
  bool clocks_step = false;   // StepClock is called
};

// Thread-compatible; port() is thread-safe.
class TestCluster {
 public:
  // Starts the engine and the nodes.
  explicit TestCluster(ClusterSetup setup);

  // Where a node listens, whether it runs or not.
  uint16_t port(int node) const { return ports_.at(static_cast<size_t>(node)); }

  // Unless it runs.
  void StartFake();
  // Starts a node, with a kill point of its program or none; kills it if it runs.
  void StartNode(int node, const std::string& kill_at = {});
  // kill -9. REQUIRES: it is the fake, which keeps its rows.
  void KillFake();
  void KillNode(int node);
  // SIGTERM; kill -9 if that takes too long.
  void TerminateNode(int node);
  void SignalNode(int node, int signal);
  // Whether StepClock can be called: Debian's package `faketime` is there.
  bool CanStepClocks() const;
  // Within a second, the wall clock of a node is `hours` before or after the machine's. A restart
  // of the node keeps the step. REQUIRES: CanStepClocks().
  void StepClock(int node, int hours);
  bool HasEnded(int node);
  // Whether a node answers a query within `ms`, and does not end before.
  bool AnswersWithin(int node, int64_t ms);
  CutProxy* proxy(int node) { return At(node).proxy.get(); }
  // Of the connections that other nodes pass on to it.
  CutProxy* front(int node) { return At(node).front.get(); }

  // For `ms`, restarts nodes that ended, or that report that only a restart helps.
  void Tend(int64_t ms);
  // Does so until a node answers a query; false: no node does within `ms`.
  bool TendUntilOneAnswers(int64_t ms);

  // The flags of a command that works on the store: --set and the settings of the engine.
  std::vector<std::string> EngineFlags() const;
  // "NAME=value" of the engine's address for a node, or a command in its place.
  std::string EngineAddress(int node) {
    return "BIGTABLE_EMULATOR_HOST=127.0.0.1:" + std::to_string(At(node).proxy->port());
  }

  // The output of the programs.
  std::string LogOf(int node) const { return ReadLog("node" + std::to_string(node)); }
  std::string FakeLog() const { return ReadLog("fake"); }
  // The fake's counts of calls so far.
  std::string CountCalls();
  ChildProcess* process(int node) { return At(node).process.get(); }

 private:
  struct Node {
    std::unique_ptr<CutProxy> proxy;
    std::unique_ptr<CutProxy> front;
    std::unique_ptr<ChildProcess> process;
  };

  Node& At(int node) { return nodes_.at(static_cast<size_t>(node)); }
  std::string ReadLog(const std::string& name) const;
  void TendOnce();
  bool Answers(int node) const;

  const TempDir directory_;
  const ClusterSetup setup_;
  const uint16_t fake_port_;
  std::unique_ptr<ChildProcess> fake_;
  std::array<Node, kClusterNodes> nodes_;
  std::array<uint16_t, kClusterNodes> ports_ = {};
};

}  // namespace hourcell
