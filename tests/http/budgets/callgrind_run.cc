#include "tests/http/budgets/callgrind_run.h"

#include <sched.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace hourcell {
namespace {

constexpr std::string_view kAllocators[] = {"malloc", "calloc", "realloc", "aligned_alloc",
                                            "posix_memalign"};

double NumberAfter(std::string_view line, std::string_view start) {
  double number = 0;
  const std::string_view rest = line.substr(start.size());
  std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return number;
}

// A file of callgrind names a function once, as "(12) malloc", and from then on as "(12)". A line
// "cfn=" is the function that is called, the line "calls=" after it how often.
WorkCost CostIn(std::istream* file) {
  WorkCost cost;
  std::set<std::string, std::less<>> allocators;
  bool is_allocator = false;
  for (std::string line; std::getline(*file, line);) {
    const std::string_view text = line;
    if (text.starts_with("summary:")) cost.instructions = NumberAfter(text, "summary: ");
    if (text.starts_with("fn=") || text.starts_with("cfn=")) {
      const std::string_view name = text.substr(text.find('=') + 1);
      const std::string_view id = name.substr(0, name.find(')') + 1);
      const std::string_view called = name.size() > id.size() ? name.substr(id.size() + 1) : "";
      for (const std::string_view allocator : kAllocators)
        if (called == allocator) allocators.emplace(id);
      is_allocator = text.starts_with("cfn=") && allocators.contains(id);
    }
    if (is_allocator && text.starts_with("calls=")) cost.allocations += NumberAfter(text, "calls=");
  }
  return cost;
}

std::vector<std::string> WithAutoMetric(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "--auto-metric");
  return arguments;
}

// Two of the processors that this process may use, or the one there is.
std::string TwoProcessors() {
  cpu_set_t allowed;
  EXPECT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  std::string list;
  for (size_t i = 0, found = 0; i < CPU_SETSIZE && found < 2; ++i) {
    if (!CPU_ISSET(i, &allowed)) continue;
    list += fmt::format("{}{}", found++ == 0 ? "" : ",", i);
  }
  return list;
}

// libc and simdjson choose variants of their functions by the features of the processor: here those
// that each processor has.
std::vector<std::string> UnderCallgrind(const TempDir& dir) {
  return {"/usr/bin/env",
          "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX,-AVX2,-AVX512F,-AVX512VL,-AVX512BW,-BMI2,-ERMS,"
          "-FSRM,-MOVBE,-LZCNT,-RTM",
          "SIMDJSON_FORCE_IMPLEMENTATION=westmere",
          "/usr/bin/taskset",
          "-c",
          TwoProcessors(),
          "/usr/bin/valgrind",
          "-q",
          "--tool=callgrind",
          "--vgdb-prefix=" + dir.file("vgdb"),
          "--callgrind-out-file=" + dir.file("counts"),
          "--log-file=" + dir.file("log")};
}

}  // namespace

bool HasCallgrind() {
  return std::ifstream("/usr/bin/valgrind").good() && std::ifstream("/usr/bin/vgdb").good();
}

CallgrindServer::CallgrindServer(const std::vector<std::string>& arguments)
    : server_(dir_.file("store"), WithAutoMetric(arguments), {}, UnderCallgrind(dir_)) {
  EXPECT_NE(server_.port(), 0);
}

CallgrindServer::~CallgrindServer() {
  EXPECT_EQ(server_.End(SIGTERM), 0);
}

void CallgrindServer::Tell(const std::string& command) const {
  const std::string line =
      fmt::format("vgdb --vgdb-prefix={} --pid={} {} >{} 2>&1", dir_.file("vgdb"), server_.pid(),
                  command, dir_.file("told"));
  EXPECT_EQ(std::system(line.c_str()), 0) << line;  // NOLINT: the test's own command
}

CallgrindServer::Counted CallgrindServer::Count(const std::function<void()>& work) {
  Tell("zero");
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  Tell("dump");
  std::ifstream file(dir_.file(fmt::format("counts.{}", ++dumps_)));
  const WorkCost cost = CostIn(&file);
  EXPECT_GT(cost.instructions, 0) << "no summary in dump " << dumps_;
  return {.cost = cost, .seconds = seconds.count()};
}

// Background threads have work left for seconds after points were put: series get their index rows,
// files are merged.
WorkCost CallgrindServer::WaitUntilIdle() {
  constexpr double kIdleInstructionsMax = 400'000;  // of a window; work that is left takes millions
  constexpr int kIdleWindows = 5;
  constexpr int kWindowsMax = 200;
  constexpr auto kWindow = std::chrono::milliseconds(400);
  WorkCost sum;
  double seconds = 0;
  for (int i = 0, idle = 0; i < kWindowsMax && idle < kIdleWindows; ++i, ++idle) {
    const Counted window = Count([kWindow] { std::this_thread::sleep_for(kWindow); });
    if (window.cost.instructions > kIdleInstructionsMax) {
      sum = {};
      seconds = 0;
      idle = -1;
      continue;
    }
    sum.instructions += window.cost.instructions;
    sum.allocations += window.cost.allocations;
    seconds += window.seconds;
  }
  EXPECT_GT(seconds, 0) << "the server is never idle";
  return {.instructions = sum.instructions / seconds, .allocations = sum.allocations / seconds};
}

WorkCost CallgrindServer::CostOf(const std::function<void()>& work) {
  const WorkCost idle_second = WaitUntilIdle();
  const Counted busy = Count(work);
  return {.instructions = busy.cost.instructions - idle_second.instructions * busy.seconds,
          .allocations = busy.cost.allocations - idle_second.allocations * busy.seconds};
}

}  // namespace hourcell
