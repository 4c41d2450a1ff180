#include <algorithm>
#include <csignal>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/budgets/budget_table.h"
#include "tests/http/budgets/callgrind_run.h"
#include "tests/http/budgets/system_calls.h"
#include "tests/http/budgets/work.h"
#include "tests/http/inputs/peer_program.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::budget_test {
namespace {

constexpr size_t kPoints = 100'000;

// Prints a count and its budget, so that a failure shows all that moved, and compares.
void Compare(std::string_view work, std::string_view count, double value) {
  const Budget* budget = std::ranges::find_if(
      kBudgets, [&](const Budget& row) { return row.work == work && row.count == count; });
  ASSERT_NE(budget, std::end(kBudgets)) << "no budget: " << work << ", " << count;
  fmt::print("{:16} {:18} {:10.2f} of {:10.2f}\n", work, count, value, budget->most);
  EXPECT_LE(value, budget->most * kSlack)
      << "more " << count << " for " << work << " than tests/http/budgets/budget_table.h allows";
}

class BudgetTest : public testing::Test {
 protected:
  void SetUp() override {
#ifndef HOURCELL_BUDGETS
    GTEST_SKIP() << "the budgets are for the build of preset dev";
#endif
  }

  // Compares the cost of one of `count` equal parts of `work`.
  static void CompareUnderCallgrind(std::string_view name,
                                    CallgrindServer* server,
                                    double count,
                                    const std::function<void()>& work) {
    const WorkCost cost = server->CostOf(work);
    Compare(name, "instructions", cost.instructions / count);
    Compare(name, "allocations", cost.allocations / count);
  }
};

// The calls that concern threads and sockets, per part of the work.
void CompareCalls(std::string_view work,
                  const std::map<std::string, int64_t>& calls,
                  double parts) {
  for (const std::string name : {"recvfrom", "epoll_wait", "futex"}) {
    const auto found = calls.find(name);
    Compare(work, name, found == calls.end() ? 0 : static_cast<double>(found->second) / parts);
  }
}

// The points for QueryKinds. The first answers bring the series of each metric into memory.
void PutForQueries(uint16_t port) {
  PutByTelnet(port, PutLines(0, kPoints / 10 * 4));
  PutByTelnet(port, FiveMetricLines());
  SealAndFlush(port);
  for (const QueryKind& kind : QueryKinds())
    Ask(port, kind.target, kind.status, 3);
}

// The first points of each series create it, before anything is counted. The count includes the
// seal of the hours of all points.
TEST_F(BudgetTest, InstructionsAndAllocationsOfPoints) {
  if (!HasCallgrind()) GTEST_SKIP() << "no valgrind on this machine";
  const std::string first = PutLines(0, 1'000);
  const std::string more = PutLines(1, kPoints);
  const auto compare = [&](std::string_view name, const std::function<void(uint16_t)>& send) {
    CallgrindServer server;
    PutByTelnet(server.port(), first);
    CompareUnderCallgrind(name, &server, kPoints, [&] {
      send(server.port());
      SealAll(server.port());
    });
  };
  compare("telnet", [&](uint16_t port) { PutByTelnet(port, more); });
  compare("http put", [&](uint16_t port) { PutByHttp(port, 1, kPoints); });
  compare("influx lines", [&](uint16_t port) { PutByInflux(port, 1, kPoints); });
  compare("remote write", [&](uint16_t port) { PutByRemoteWrite(port, 1, kPoints); });
}

// Fewer points, as each takes more. Samples of StatsD are added up; no point of theirs is written.
TEST_F(BudgetTest, InstructionsAndAllocationsOfPointsOfCollectors) {
  if (!HasCallgrind()) GTEST_SKIP() << "no valgrind on this machine";
  constexpr size_t kFewer = 20'000;
  const std::string first = PutLines(0, 1'000);
  const auto compare =
      [&](std::string_view name,
          const std::function<void(uint16_t port, uint16_t graphite_port, uint16_t statsd_port)>&
              send) {
        const uint16_t graphite_port = FreePort();
        const uint16_t statsd_port = FreePort();
        CallgrindServer server({"--set", fmt::format("tsd.graphite.port={}", graphite_port),
                                "--set", fmt::format("tsd.statsd.port={}", statsd_port), "--set",
                                "tsd.statsd.flush=3600"});
        PutByTelnet(server.port(), first);
        SendByStatsd(statsd_port, StatsdDatagrams(1));
        CompareUnderCallgrind(name, &server, kFewer,
                              [&] { send(server.port(), graphite_port, statsd_port); });
        EXPECT_THAT(HttpCall(server.port(), "GET", "/metrics").body,
                    testing::HasSubstr("hourcell_rpc_inputs_refused_total{type=\"statsd\"} 0\n"));
      };
  compare("otlp json", [&](uint16_t port, uint16_t, uint16_t) {
    PutByOtlp(port, 1, kFewer);
    SealAll(port);
  });
  const std::string lines = GraphiteLines(1, kFewer);
  compare("graphite", [&](uint16_t port, uint16_t graphite_port, uint16_t) {
    PutByGraphite(graphite_port, lines);
    SealAll(port);
  });
  const std::vector<std::string> more = StatsdDatagrams(kFewer / 1'000);
  compare("statsd", [&](uint16_t, uint16_t, uint16_t port) { SendByStatsd(port, more); });
}

// By the byte: a body of 64 MiB may come as 64 KB of gzip.
TEST_F(BudgetTest, InstructionsAndAllocationsOfBodiesThatStoreNothing) {
  if (!HasCallgrind()) GTEST_SKIP() << "no valgrind on this machine";
  constexpr size_t kTimes = 4;
  CallgrindServer server;
  for (const EmptyBody& empty : EmptyBodies()) {
    PostEmptyBody(server.port(), empty, 1);
    const auto bytes = static_cast<double>(kTimes * empty.body.size());
    CompareUnderCallgrind(empty.name, &server, bytes,
                          [&] { PostEmptyBody(server.port(), empty, kTimes); });
  }
}

TEST_F(BudgetTest, InstructionsAndAllocationsOfQueriesOfOpenHours) {
  if (!HasCallgrind()) GTEST_SKIP() << "no valgrind on this machine";
  CallgrindServer server;
  PutByTelnet(server.port(), PutLines(0, kPoints / 10 * 4));
  for (const QueryKind& kind : QueryKinds()) {
    const size_t times = kind.times_of_open_hours;
    if (times == 0) continue;
    Ask(server.port(), kind.target, kind.status, 3);  // the data is in memory now
    CompareUnderCallgrind(kind.name, &server, static_cast<double>(times),
                          [&] { Ask(server.port(), kind.target, kind.status, times); });
  }
}

TEST_F(BudgetTest, InstructionsAndAllocationsOfQueriesOfCells) {
  if (!HasCallgrind()) GTEST_SKIP() << "no valgrind on this machine";
  CallgrindServer server;
  PutForQueries(server.port());
  for (const QueryKind& kind : QueryKinds()) {
    const size_t times = kind.times_of_cells;
    if (times == 0) continue;
    CompareUnderCallgrind(fmt::format("{}, cells", kind.name), &server, static_cast<double>(times),
                          [&] { Ask(server.port(), kind.target, kind.status, times); });
  }
}

// For a client that repeats its request after each answer. The query threads and those that read
// connections wait for each other, or do not.
TEST_F(BudgetTest, SystemCallsSwitchesAndReadsOfQueries) {
  constexpr size_t kTimes = 500;
  TempDir dir;
  ServerProcess server(dir.file("store"));
  PutForQueries(server.port());
  for (const QueryKind& kind : QueryKinds()) {
    const auto ask = [&] { Ask(server.port(), kind.target, kind.status, kTimes); };
    Ask(server.port(), kind.target, kind.status, 3);  // the data is in memory now
    if (kind.status == 200) {
      const QueryReads reads = ReadsOf(server.port(), kind.target);
      Compare(kind.name, "rows", static_cast<double>(reads.rows));
      Compare(kind.name, "blocks", static_cast<double>(reads.blocks));
      Compare(kind.name, "cells", static_cast<double>(reads.cells));
    }
    const int64_t switches = VoluntarySwitches(server.pid());
    ask();
    Compare(kind.name, "context switches",
            static_cast<double>(VoluntarySwitches(server.pid()) - switches) / kTimes);
    const auto calls = CountSystemCalls(server.pid(), ask);
    if (!calls.has_value()) GTEST_SKIP() << "no strace on this machine, or it may not attach";
    CompareCalls(kind.name, *calls, kTimes);
  }
}

// Of a client that is always ahead of the server: it sends while the server is stopped.
TEST_F(BudgetTest, SystemCallsAndSwitchesOfTelnet) {
  constexpr size_t kRounds = 40;
  constexpr size_t kPointsOfRound = 5'000;
  TempDir dir;
  ServerProcess server(dir.file("store"));
  PutByTelnet(server.port(), PutLines(0, 1'000));
  size_t step = 1;
  const auto put = [&] {
    TcpClient client(server.port());
    for (size_t round = 0; round < kRounds; ++round, step += kPointsOfRound / 1'000)
      PutAhead(&client, server.pid(), PutLines(step, kPointsOfRound));
  };
  const double thousands = kRounds * kPointsOfRound / 1e3;
  const int64_t switches = VoluntarySwitches(server.pid());
  put();
  Compare("telnet ahead", "context switches",
          static_cast<double>(VoluntarySwitches(server.pid()) - switches) / thousands);
  const auto calls = CountSystemCalls(server.pid(), put);
  if (!calls.has_value()) GTEST_SKIP() << "no strace on this machine, or it may not attach";
  CompareCalls("telnet ahead", *calls, thousands);
}

}  // namespace
}  // namespace hourcell::budget_test
