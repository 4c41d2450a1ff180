#include "tests/cluster/test_cluster.h"

#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/cluster/engine_program.h"
#include "tests/http/server_process.h"

namespace hourcell {
namespace {

// Of a start, a stop or an answer, on a machine that does much else.
constexpr int64_t kLongMs = 20'000;
constexpr int64_t kAnswerMs = 2000;
constexpr int64_t kTendMs = 50;
constexpr const char* kFakeTime = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";

}  // namespace

TestCluster::TestCluster(ClusterSetup setup) : setup_(std::move(setup)), fake_port_(FreePort()) {
  StartFake();
  for (int node = 0; node < kClusterNodes; ++node) {
    ports_.at(static_cast<size_t>(node)) = FreePort();
    At(node).proxy = std::make_unique<CutProxy>(fake_port_);
    At(node).front = std::make_unique<CutProxy>(port(node));
    if (node < setup_.nodes) StartNode(node);
  }
}

void TestCluster::StartFake() {
  if (fake_ != nullptr && !fake_->HasEnded()) return;
  std::vector<std::string> words = EngineWords(setup_.service, fake_port_);
  if (setup_.service == BigtableService::kFake) {
    words.insert(words.end(), {"--data", directory_.file("rows")});
    words.insert(words.end(), setup_.fake_arguments.begin(), setup_.fake_arguments.end());
  }
  fake_ =
      std::make_unique<ChildProcess>(words, std::vector<std::string>{}, directory_.file("fake"));
  EXPECT_TRUE(ListensWithin(fake_port_, kLongMs));
}

void TestCluster::StartNode(int node, const std::string& kill_at) {
  std::vector<std::string> words = {ProgramPath(), "serve", "--port",
                                    fmt::format("{}", port(node))};
  const std::vector<std::string> engine = EngineFlags();
  words.insert(words.end(), engine.begin(), engine.end());
  for (const std::string& setting : setup_.settings)
    words.insert(words.end(), {"--set", setting});
  const uint16_t found_at = setup_.fronts ? At(node).front->port() : port(node);
  words.insert(words.end(), {"--set", fmt::format("tsd.network.advertise=127.0.0.1:{}", found_at)});
  std::vector<std::string> environment = {EngineAddress(node)};
  At(node).process.reset();  // its port is free now
  if (!kill_at.empty()) environment.push_back("HOURCELL_KILL_AT=" + kill_at);
  if (CanStepClocks()) {
    const std::string clock = directory_.file(fmt::format("clock{}", node));
    if (!std::filesystem::exists(clock)) StepClock(node, 0);
    // Only the wall clock steps. It is looked up each second.
    environment.insert(environment.end(),
                       {std::string("LD_PRELOAD=") + kFakeTime, "FAKETIME_TIMESTAMP_FILE=" + clock,
                        "FAKETIME_CACHE_DURATION=1", "FAKETIME_DONT_FAKE_MONOTONIC=1"});
  }
  At(node).process = std::make_unique<ChildProcess>(words, environment,
                                                    directory_.file(fmt::format("node{}", node)));
}

bool TestCluster::CanStepClocks() const {
  // A sanitizer's library must be loaded first, and the program of another build may have one.
  return setup_.clocks_step && std::getenv("HOURCELL_PROGRAM") == nullptr &&
         std::filesystem::exists(kFakeTime);
}

void TestCluster::StepClock(int node, int hours) {
  const std::string path = directory_.file(fmt::format("clock{}", node));
  std::ofstream(path + ".new") << fmt::format("{:+}h\n", hours);
  std::filesystem::rename(path + ".new", path);  // atomically
}

std::vector<std::string> TestCluster::EngineFlags() const {
  std::vector<std::string> flags;
  for (const std::string& setting :
       {std::string("engine=bigtable"), std::string("bigtable.project=p"),
        std::string("bigtable.instance=i"), fmt::format("bigtable.lease={}", setup_.lease_ms)}) {
    flags.insert(flags.end(), {"--set", "tsd.storage." + setting});
  }
  return flags;
}

void TestCluster::KillFake() {
  fake_->Signal(SIGKILL);
  fake_->EndWithin(kLongMs);
}

void TestCluster::KillNode(int node) {
  SignalNode(node, SIGKILL);
  At(node).process->EndWithin(kLongMs);
}

void TestCluster::TerminateNode(int node) {
  SignalNode(node, SIGTERM);
  At(node).process->EndWithin(kLongMs);
}

void TestCluster::SignalNode(int node, int signal) {
  At(node).process->Signal(signal);
}

bool TestCluster::HasEnded(int node) {
  return At(node).process->HasEnded();
}

void TestCluster::TendOnce() {
  for (int node = 0; node < setup_.nodes; ++node) {
    if (!HasEnded(node)) {
      TcpClient client(port(node), kAnswerMs);
      if (!client.is_connected() || HttpCallOn(&client, "GET", "/healthz").status != 503) continue;
      KillNode(node);
    }
    StartNode(node);
  }
}

void TestCluster::Tend(int64_t ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  do {
    TendOnce();
    std::this_thread::sleep_for(std::chrono::milliseconds(kTendMs));
  } while (std::chrono::steady_clock::now() < end);
}

bool TestCluster::Answers(int node) const {
  TcpClient client(port(node), kAnswerMs);
  if (!client.is_connected()) return false;
  const int status =
      HttpCallOn(&client, "GET", "/api/query?start=1356998400&end=1357084800&m=sum:m").status;
  // 400: nothing was ever put.
  return status == 200 || status == 400;
}

bool TestCluster::AnswersWithin(int node, int64_t ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  while (!Answers(node)) {
    if (HasEnded(node) || std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

bool TestCluster::TendUntilOneAnswers(int64_t ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  while (std::chrono::steady_clock::now() < end) {
    Tend(0);
    for (int node = 0; node < setup_.nodes; ++node) {
      if (Answers(node)) return true;
    }
  }
  return false;
}

std::string TestCluster::ReadLog(const std::string& name) const {
  std::ifstream file(directory_.file(name));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string TestCluster::CountCalls() {
  const size_t before = FakeLog().size();
  fake_->Signal(SIGUSR1);
  std::string line;
  while (!line.ends_with('\n')) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    line = FakeLog().substr(before);
  }
  line.pop_back();
  return line;
}

}  // namespace hourcell
