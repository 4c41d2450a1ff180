// C1: what was acknowledged is found after kill -9. Black box: a server under load is killed at any
// moment, again and again. White box: at every kill point, whatever was being done is done or not
// done, and the store opens and works.

#include <signal.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/http/kill_points.h"
#include "tests/http/load_writer.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

using testing::HasSubstr;

// A counter of a running server; 0 if it is gone.
int64_t StatOf(uint16_t port, std::string_view line_start) {
  const std::string body = HttpCall(port, "GET", "/stats").body;
  const size_t name = body.find(fmt::format("{} ", line_start));
  if (name == std::string::npos) return 0;
  const size_t time = body.find(' ', name) + 1;
  return std::atoll(body.c_str() + body.find(' ', time));
}

// One life of a store after the other, each under load over both protocols and ended by kill -9.
class KillLoopTest : public testing::Test {
 protected:
  KillLoopTest() {
    std::printf("HOURCELL_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed_));
    using Protocol = LoadWriter::Protocol;
    for (uint64_t i = 0; i < writers_.size(); ++i) {
      writers_[i] = std::make_unique<LoadWriter>(i % 2 == 0 ? Protocol::kTelnet : Protocol::kHttp,
                                                 fmt::format("m{}", i), seed_ * 100 + i);
    }
  }

  void RunRound(uint64_t round) {
    const auto arguments = TinyBudgets(std::array{"never", "interval", "always"}[round % 3],
                                       static_cast<int>(round % 2));
    if (random_.Below(2) == 0) KillWhileItOpens(arguments);
    ServerProcess server(directory_.path(), arguments);
    ASSERT_NE(server.port(), 0);
    Settle(server.port());
    replayed_ += StatOf(server.port(), "tsd.journal.replayed_points");

    std::vector<std::jthread> threads;
    for (const auto& writer : writers_) {
      threads.emplace_back(
          [&writer, port = server.port(), series = 3 + round] { writer->Run(port, series); });
    }
    WaitForBatches(40 + static_cast<int>(random_.Below(400)));
    sealed_ += StatOf(server.port(), "tsd.seal.points");
    checkpoints_ += StatOf(server.port(), "tsd.journal.checkpoints");
    EXPECT_EQ(server.End(SIGKILL), -SIGKILL);
  }

  // Every point is found as it was acknowledged, or as it was sent after that.
  void Settle(uint16_t port) {
    for (const auto& writer : writers_)
      EXPECT_EQ(writer->Settle(port), "");
  }

  // So many batches more are acknowledged, or a writer has stopped, or much time has gone by.
  void WaitForBatches(int more) {
    const auto count = [this] {
      int sum = 0;
      for (const auto& writer : writers_)
        sum += writer->acknowledged();
      return sum;
    };
    const int enough = count() + more;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (count() < enough && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    batches_ = count();
  }

  void KillWhileItOpens(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"serve", "--port", "0", "--data", directory_.path()});
    RunAndKill(arguments, static_cast<int64_t>(random_.Below(80)));
  }

  const uint64_t seed_ = FromEnvironment("HOURCELL_TEST_SEED", 1);
  TempDir directory_;
  Random random_{seed_};
  std::array<std::unique_ptr<LoadWriter>, 4> writers_;
  // Over all rounds.
  int batches_ = 0;
  int64_t replayed_ = 0;  // points
  int64_t sealed_ = 0;    // points
  int64_t checkpoints_ = 0;
};

TEST_F(KillLoopTest, WhatWasAcknowledgedIsFoundAndNothingElse) {
  const uint64_t rounds = FromEnvironment("HOURCELL_CRASH_ROUNDS", 5);
  for (uint64_t round = 0; round < rounds && !HasFailure(); ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    RunRound(round);
    if (round % 4 == 3) ExpectCleanUids(directory_.path());
  }
  // Without budgets of note, so that nothing is sealed any more before it is asked for.
  ServerProcess server(directory_.path());
  ASSERT_NE(server.port(), 0);
  Settle(server.port());
  EXPECT_EQ(HttpCall(server.port(), "POST", "/api/admin/compact").status, 200);
  Settle(server.port());
  EXPECT_EQ(server.End(SIGTERM), 0);
  ExpectCleanUids(directory_.path());

  std::printf("%d batches acknowledged; points: %lld sealed, %lld replayed; %lld checkpoints\n",
              batches_, static_cast<long long>(sealed_), static_cast<long long>(replayed_),
              static_cast<long long>(checkpoints_));
  EXPECT_GT(sealed_, 0);
  EXPECT_GT(replayed_, 0);
  EXPECT_GT(checkpoints_, 0);
}

// Puts batches until the server is gone, in no hurry after a while, as some of what is waited for
// happens once a second. Returns how many points were acknowledged.
int PutUntilGone(uint16_t port) {
  int acknowledged = 0;
  while (acknowledged < 40'000) {
    const int status = HttpCall(port, "POST", "/api/put", PutBody(acknowledged, kBatch)).status;
    if (status == 204) {
      acknowledged += kBatch;
      if (acknowledged > 20'000) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    } else if (status == 503) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } else {
      EXPECT_EQ(status, 0);
      return acknowledged;
    }
  }
  ADD_FAILURE() << "never passed the kill point";
  return acknowledged;
}

TEST_P(KillPointTest, TheStoreOpensAndKeepsWhatWasAcknowledged) {
  TempDir directory;
  int acknowledged = 0;
  {
    ServerProcess server(directory.path(), TinyBudgets("interval"),
                         "HOURCELL_KILL_AT=" + GetParam());
    if (server.port() != 0) acknowledged = PutUntilGone(server.port());
    EXPECT_EQ(HasFailure() ? server.End(SIGKILL) : server.Wait(), -SIGKILL);
  }

  ServerProcess server(directory.path());
  ASSERT_NE(server.port(), 0);
  const int found = acknowledged == 0 ? 0 : CountPoints(server.port());
  EXPECT_GE(found, acknowledged);
  EXPECT_LE(found, acknowledged + kBatch);  // those in flight may be there or not

  const int all = acknowledged + kBatch;
  EXPECT_EQ(HttpCall(server.port(), "POST", "/api/put", PutBody(acknowledged, kBatch)).status, 204);
  EXPECT_EQ(CountPoints(server.port()), all);
  EXPECT_EQ(server.End(SIGTERM), 0);
  ExpectCleanUids(directory.path());
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KillPointTest,
                         testing::Values("create:tables",
                                         "create:meta",
                                         "series:before_commit",
                                         "series:after_commit",
                                         "series:before_commit#3",
                                         "series:after_commit#7",
                                         "series:before_indexed",
                                         "series:after_indexed",
                                         "journal:before_write",
                                         "journal:before_write#20",
                                         "journal:after_write",
                                         "journal:after_write#20",
                                         "journal:block",
                                         "journal:block#20",
                                         "journal:segment",
                                         "journal:segment#3",
                                         "journal:synced_files",
                                         "journal:synced_files#3",
                                         "journal:trimmed",
                                         "journal:trimmed#3",
                                         "seal:frozen",
                                         "seal:frozen#3",
                                         "seal:cells_written",
                                         "seal:cells_written#3",
                                         "checkpoint:flushed",
                                         "checkpoint:flushed#2",
                                         "checkpoint:low_mark",
                                         "checkpoint:low_mark#2",
                                         "checkpoint:trimmed",
                                         "checkpoint:trimmed#2"),
                         KillPointName);

// A tool that is killed while it seals and flushes what it replayed.
class KilledToolTest : public KillPointTest {};

TEST_P(KilledToolTest, TheNextOneFindsEverything) {
  TempDir directory;
  {
    ServerProcess server(directory.path());
    ASSERT_EQ(HttpCall(server.port(), "POST", "/api/put", PutBody(0, 500)).status, 204);
    server.End(SIGKILL);
  }

  const std::vector<std::string> compact = {"store", "compact", "--data", directory.path()};
  EXPECT_EQ(RunProgram(compact, {}, "HOURCELL_KILL_AT=" + GetParam()).exit_code, -SIGKILL);
  EXPECT_EQ(RunProgram(compact, {}, "HOURCELL_KILL_AT=" + GetParam() + "#9").exit_code, 0);

  ServerProcess server(directory.path());
  EXPECT_EQ(CountPoints(server.port()), 500);
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledToolTest,
                         testing::Values("seal:frozen",
                                         "seal:cells_written",
                                         "checkpoint:flushed",
                                         "checkpoint:low_mark",
                                         "checkpoint:trimmed"),
                         KillPointName);

// The body of the bulk write number `i`: the global annotation there and the one before it.
std::string AnnotationBody(int i) {
  return fmt::format(R"([{{"startTime":{},"notes":"{}"}},{{"startTime":{},"description":"{}"}}])",
                     1356998400 + i, i, 1356998400 + i + 1, i);
}

// How many global annotations there are; -1 if they cannot be read.
int CountAnnotations(uint16_t port) {
  const HttpResult result =
      HttpCall(port, "GET", "/api/annotations?start_time=1356998400&end_time=1357998400");
  if (result.status != 200) return -1;
  int count = 0;
  for (size_t at = 0; (at = result.body.find("startTime", at)) != std::string::npos; ++at)
    ++count;
  return count;
}

// A write or delete of annotations that is killed.
class KilledAnnotationTest : public KillPointTest {};

TEST_P(KilledAnnotationTest, WhatWasAcknowledgedIsThereAndAWriteIsWhole) {
  TempDir directory;
  int acknowledged = 0;
  {
    ServerProcess server(directory.path(), TinyBudgets("never"), "HOURCELL_KILL_AT=" + GetParam());
    while (acknowledged < 100 &&
           HttpCall(server.port(), "POST", "/api/annotation/bulk", AnnotationBody(acknowledged))
                   .status == 200) {
      ++acknowledged;
    }
    EXPECT_EQ(acknowledged < 100 ? server.Wait() : server.End(SIGKILL), -SIGKILL);
  }
  ASSERT_LT(acknowledged, 100) << "never passed the kill point";

  ServerProcess server(directory.path());
  const int found = CountAnnotations(server.port());
  // Each write adds one to the one before; the first makes two.
  EXPECT_GE(found, acknowledged == 0 ? 0 : acknowledged + 1);
  EXPECT_LE(found, acknowledged + 2);
  EXPECT_NE(found, 1) << "half of a write";
  EXPECT_EQ(HttpCall(server.port(), "DELETE", "/api/annotation/bulk?start_time=1&global").status,
            200);
  EXPECT_EQ(CountAnnotations(server.port()), 0);
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledAnnotationTest,
                         testing::Values("annotation:before_write",
                                         "annotation:before_write#7",
                                         "annotation:after_write",
                                         "annotation:after_write#7"),
                         KillPointName);

class KilledAnnotationDeleteTest : public KillPointTest {};

TEST_P(KilledAnnotationDeleteTest, GoesOnWhereItStopped) {
  TempDir directory;
  {
    ServerProcess server(directory.path(), {}, "HOURCELL_KILL_AT=" + GetParam());
    std::string body;
    for (int i = 0; i < 2500; ++i)
      body +=
          fmt::format(R"({}{{"startTime":{},"notes":"n"}})", i == 0 ? "[" : ",", 1356998400 + i);
    ASSERT_EQ(HttpCall(server.port(), "POST", "/api/annotation/bulk", body + "]").status, 200);
    HttpCall(server.port(), "DELETE", "/api/annotation/bulk?start_time=1&global");
    EXPECT_EQ(server.Wait(), -SIGKILL);
  }

  ServerProcess server(directory.path());
  const int left = CountAnnotations(server.port());
  EXPECT_TRUE(left == 1500 || left == 500 || left == 0) << left;
  EXPECT_THAT(HttpCall(server.port(), "DELETE", "/api/annotation/bulk?start_time=1&global").body,
              HasSubstr(fmt::format("\"totalDeleted\":{}}}", left)));
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledAnnotationDeleteTest,
                         testing::Values("annotation:deleted",
                                         "annotation:deleted#2",
                                         "annotation:deleted#3"),
                         KillPointName);

TEST(CrashTest, EveryPointIsThereAfterKillNineTenTimesInARow) {
  TempDir directory;
  int acknowledged = 0;
  for (int round = 0; round < 10; ++round) {
    ServerProcess server(directory.path());
    ASSERT_NE(server.port(), 0);
    if (round > 0) {
      ASSERT_EQ(CountPoints(server.port()), acknowledged) << "round " << round;
    }

    const HttpResult put = HttpCall(server.port(), "POST", "/api/put", PutBody(acknowledged, 500));
    ASSERT_EQ(put.status, 204);
    acknowledged += 500;

    EXPECT_EQ(server.End(SIGKILL), -SIGKILL);
  }
  ServerProcess server(directory.path());
  EXPECT_EQ(CountPoints(server.port()), acknowledged);
}

TEST(CrashTest, TelnetPutsBeforeABarrierSurvive) {
  TempDir directory;
  {
    ServerProcess server(directory.path(), {"--set", "tsd.storage.sync=never"});
    TcpClient client(server.port());
    std::string lines;
    for (int i = 0; i < 5000; ++i)
      lines += fmt::format("put m {} {} host=h\n", 1356998400 + i, i);
    client.Send(lines + "version\n");
    EXPECT_THAT(client.ReadLines(1), HasSubstr("hourcell"));
    server.End(SIGKILL);
  }

  ServerProcess server(directory.path());

  EXPECT_EQ(CountPoints(server.port()), 5000);
}

}  // namespace
}  // namespace hourcell
