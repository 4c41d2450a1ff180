// The cost of points at a node: calls of the engine, and processor time compared with the same
// program on a directory. A short run checks the counts; HOURCELL_COST_SERIES and
// HOURCELL_COST_SECONDS give a longer one, whose figures are those in docs/benchmarks.md.

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/cluster/test_cluster.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::cluster_cost_test {
namespace {

constexpr int64_t kStartS = 1356998400;
constexpr int kStepS = 10;
constexpr int kBatchPoints = 1000;
constexpr int64_t kAnswerMs = 60'000;

int SizeOf(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

// Processor time of a process so far.
double CpuSeconds(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::istringstream fields(all.substr(all.rfind(')') + 1));
  std::string word;
  int64_t user = 0;
  int64_t system = 0;
  for (int skipped = 0; skipped < 11; ++skipped)
    fields >> word;
  fields >> user >> system;
  return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// Puts a point of each series at each step of [from, to); returns how many.
int64_t PutSeries(uint16_t port, int series, int from_s, int to_s) {
  std::string body;
  int64_t points = 0;
  int batched = 0;
  const auto send = [&] {
    if (batched == 0) return;
    body.back() = ']';
    EXPECT_EQ(HttpCall(port, "POST", "/api/put", body).status, 204);
    points += batched;
    batched = 0;
  };
  for (int second = from_s; second < to_s; second += kStepS) {
    for (int i = 0; i < series; ++i) {
      if (batched == 0) body = "[";
      body += fmt::format(
          R"({{"metric":"cpu","timestamp":{},"value":{},"tags":{{"host":"h{}","dc":"d{}"}}}},)",
          kStartS + second, (i * 7 + second) % 1000, i, i % 10);
      if (++batched == kBatchPoints) send();
    }
  }
  send();
  return points;
}

// Counts of calls by name.
using Counts = std::map<std::string, int64_t>;

Counts CountsOf(TestCluster* cluster) {
  Counts counts;
  std::istringstream words(cluster->CountCalls());
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    counts[word.substr(0, equals)] = std::atoll(word.c_str() + equals + 1);
  }
  return counts;
}

Counts Difference(const Counts& after, const Counts& before) {
  Counts result;
  for (const auto& [name, count] : after)
    result[name] = count - before.at(name);
  return result;
}

void PrintCounts(const char* what, const Counts& counts) {
  std::printf("%-22s", what);
  for (const auto& [name, count] : counts)
    std::printf(" %s %lld", name.c_str(), static_cast<long long>(count));
  std::printf("\n");
}

class ClusterCostTest : public testing::Test {
 protected:
  static std::vector<std::string> Settings() { return {"tsd.storage.seal_grace=86400"}; }

  void StartNode() {
    cluster_.StartNode(0);
    ASSERT_TRUE(cluster_.AnswersWithin(0, kAnswerMs)) << cluster_.LogOf(0);
  }
  uint16_t port() const { return cluster_.port(0); }
  double Cpu() { return CpuSeconds(cluster_.process(0)->pid()); }

  // The counts of the calls of a step.
  Counts CallsOf(const char* what, const std::function<void()>& step) {
    const Counts before = CountsOf(&cluster_);
    step();
    Counts calls = Difference(CountsOf(&cluster_), before);
    PrintCounts(what, calls);
    return calls;
  }

  const int series_ = SizeOf("HOURCELL_COST_SERIES", 50);
  const int seconds_ = SizeOf("HOURCELL_COST_SECONDS", 600);
  // Beats so seldom that they count for little.
  TestCluster cluster_{{.settings = Settings(), .lease_ms = 10'000, .nodes = 0}};
};

TEST_F(ClusterCostTest, PointsAreFewCalls) {
  StartNode();
  const Counts made = CallsOf("new series", [&] { PutSeries(port(), series_, 0, kStepS); });
  int64_t points = 0;
  const double cpu_before = Cpu();
  const Counts puts =
      CallsOf("points", [&] { points = PutSeries(port(), series_, kStepS, seconds_); });
  const double cpu = Cpu() - cpu_before;
  const Counts seal = CallsOf(
      "seal", [&] { EXPECT_EQ(HttpCall(port(), "POST", "/api/admin/seal", "{}").status, 200); });
  std::printf("%lld points: %.3f s of processor time, %.0f mutations per million\n",
              static_cast<long long>(points), cpu,
              static_cast<double>(puts.at("mutations") + seal.at("mutations")) * 1e6 /
                  static_cast<double>(points));

  // A few calls a batch, however many of its series are new, and the heartbeats of some seconds.
  EXPECT_LE(made.at("mutate_rows"), 20 + series_ / 100);
  EXPECT_LE(made.at("read_rows"), 20 + series_ / 100);
  // One call a batch, the heartbeats of some seconds, and the rest of the index of series.
  EXPECT_EQ(puts.at("check_and_mutate"), (points + kBatchPoints - 1) / kBatchPoints);
  EXPECT_LE(puts.at("mutate_rows"), 10 + points / 100'000 + series_ / 100);
  // A row an hour of a series, and some of the store's.
  EXPECT_LE(seal.at("rows_written"), series_ + 20);
  EXPECT_LE(seal.at("mutate_rows"), 20 + series_ / 100);
}

TEST_F(ClusterCostTest, APointCostsLittleMoreThanInADirectory) {
  if (std::getenv("HOURCELL_COST_SERIES") == nullptr) GTEST_SKIP() << "takes a larger load";
  const TempDir directory;
  const auto report = [](const char* engine, const char* what, double cpu, int64_t points) {
    std::printf("%-10s %-8s %.3f s of processor time, %.3f per million points\n", engine, what, cpu,
                cpu * 1e6 / static_cast<double>(points));
  };
  int64_t points = 0;
  {
    std::vector<std::string> settings;
    for (const std::string& setting : Settings())
      settings.insert(settings.end(), {"--set", setting});
    auto embedded = std::make_unique<ServerProcess>(directory.path(), settings);
    PutSeries(embedded->port(), series_, 0, kStepS);
    const double before = CpuSeconds(embedded->pid());
    points = PutSeries(embedded->port(), series_, kStepS, seconds_);
    report("directory", "put", CpuSeconds(embedded->pid()) - before, points);
    embedded->End(SIGKILL);
    embedded = std::make_unique<ServerProcess>(directory.path(), settings);
    report("directory", "replay", CpuSeconds(embedded->pid()), points);
  }
  StartNode();
  PutSeries(port(), series_, 0, kStepS);
  const double before = Cpu();
  PutSeries(port(), series_, kStepS, seconds_);
  report("bigtable", "put", Cpu() - before, points);
  cluster_.KillNode(0);
  StartNode();
  report("bigtable", "replay", Cpu(), points);
}

TEST_F(ClusterCostTest, ANodeAtRestMakesThreeCallsASecond) {
  StartNode();
  constexpr int kSeconds = 2;
  const Counts calls = CallsOf(
      "2 seconds at rest", [&] { std::this_thread::sleep_for(std::chrono::seconds(kSeconds)); });
  EXPECT_LE(calls.at("read_rows"), 2 * kSeconds + 3);
  EXPECT_LE(calls.at("mutate_rows"), kSeconds + 2);
  EXPECT_EQ(calls.at("check_and_mutate"), 0);
  EXPECT_EQ(calls.at("sample_row_keys"), 0);
}

}  // namespace
}  // namespace hourcell::cluster_cost_test
