// C1: what was acknowledged is found after kill -9. Black box: a server under load is killed at any
// moment, again and again. White box: at every kill point, whatever was being done is done or not
// done, and the store opens and works.

#include <signal.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/http/load_writer.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

using testing::HasSubstr;

// A number of the environment, or what it is without one.
uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Budgets so small that hours are sealed, cells flushed and the journal trimmed all the time.
std::vector<std::string> TinyBudgets(std::string_view sync, int seal_grace_s = 1) {
  std::vector<std::string> arguments;
  for (const std::string& setting :
       {fmt::format("tsd.storage.sync={}", sync),
        fmt::format("tsd.storage.seal_grace={}", seal_grace_s),
        std::string("tsd.storage.sync_interval=20"), std::string("tsd.storage.open_hours=65536"),
        std::string("tsd.storage.journal=32768"),
        std::string("tsd.storage.journal.segment=4096")}) {
    arguments.insert(arguments.end(), {"--set", setting});
  }
  return arguments;
}

// A counter of a running server; 0 if it is gone.
int64_t StatOf(uint16_t port, std::string_view line_start) {
  const std::string body = HttpCall(port, "GET", "/stats").body;
  const size_t name = body.find(fmt::format("{} ", line_start));
  if (name == std::string::npos) return 0;
  const size_t time = body.find(' ', name) + 1;
  return std::atoll(body.c_str() + body.find(' ', time));
}

void ExpectCleanUids(const std::string& directory) {
  const ProgramResult fsck = RunProgram({"uid", "fsck", "--data", directory});
  EXPECT_EQ(fsck.exit_code, 0) << fsck.out << fsck.err;
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

constexpr int kBatch = 20;

// Points first to first + count; a new series every ten.
std::string PutBody(int first, int count) {
  std::string body = "[";
  for (int i = first; i < first + count; ++i) {
    body += fmt::format(R"({}{{"metric":"m","timestamp":{},"value":{},"tags":{{"host":"h{}"}}}})",
                        i == first ? "" : ",", 1356998400 + i, i, i / 10);
  }
  return body + "]";
}

// The points of metric m, counted by a query; -1 if the query fails.
int CountPoints(uint16_t port) {
  const HttpResult result =
      HttpCall(port, "GET", "/api/query?start=1356998400&end=1357084800&m=sum:0all-count:m");
  if (result.status != 200) return -1;
  const size_t at = result.body.find("\"1356998400\":");
  return at == std::string::npos ? -1 : std::atoi(result.body.c_str() + at + 13);
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

std::string TestName(const testing::TestParamInfo<std::string>& param_info) {
  std::string name = param_info.param;
  for (char& c : name) {
    if (!isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

// Kill points in the program; compiled in with HOURCELL_KILL_POINTS only.
class KillPointTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
#ifndef HOURCELL_KILL_POINTS
    GTEST_SKIP() << "built without HOURCELL_KILL_POINTS";
#endif
  }
};

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
                         TestName);

// A new store that is killed while its regions are made.
class KilledPresplitTest : public KillPointTest {};

TEST_P(KilledPresplitTest, TheNextStartMakesThemOrHasThem) {
  TempDir directory;
  std::vector<std::string> arguments = TinyBudgets("never");
  // Between the first metrics.
  arguments.insert(arguments.end(),
                   {"--set", R"(tsd.region.presplit=keys:\x00\x00\x02,\x00\x00\x03)"});
  {
    ServerProcess server(directory.path(), arguments, "HOURCELL_KILL_AT=" + GetParam());
    EXPECT_EQ(server.port(), 0);
    EXPECT_EQ(server.Wait(), -SIGKILL);
  }

  for (int round = 0; round < 2; ++round) {
    ServerProcess server(directory.path(), arguments);
    ASSERT_NE(server.port(), 0);
    EXPECT_EQ(HttpCall(server.port(), "POST", "/api/put", PutBody(round * kBatch, kBatch)).status,
              204);
    EXPECT_EQ(CountPoints(server.port()), (round + 1) * kBatch);
    EXPECT_EQ(server.End(round == 0 ? SIGKILL : SIGTERM), round == 0 ? -SIGKILL : 0);
  }
  ExpectCleanUids(directory.path());
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledPresplitTest,
                         testing::Values("presplit:families", "presplit:committed"),
                         TestName);

// A rolling split of a store with points that is killed between its cuts, and again, and again.
class KilledRollingSplitTest : public KillPointTest {};

TEST_P(KilledRollingSplitTest, TheNextOneGoesOn) {
  const std::string uri = "/api/admin/regions/rolling";
  // Between the series of the metric, 20 of them in one hour; twice a key that no row has.
  std::string keys;
  for (const int tagv : {4, 8, 12, 16, 20, 200, 201})
    keys += fmt::format(
        "{}\\\\x00\\\\x00\\\\x01P\\\\xE2'\\\\x00\\\\x00\\\\x00\\\\x01\\\\x00\\\\x00\\\\x{:02X}",
        keys.empty() ? "keys:" : ",", tagv);
  const std::string body = fmt::format(R"({{"split":"{}"}})", keys);
  TempDir directory;
  int deaths = 0;
  for (; deaths < 20; ++deaths) {
    ServerProcess server(directory.path(), TinyBudgets("never"), "HOURCELL_KILL_AT=" + GetParam());
    ASSERT_NE(server.port(), 0);
    if (deaths == 0) {
      ASSERT_EQ(HttpCall(server.port(), "POST", "/api/put", PutBody(0, 200)).status, 204);
      ASSERT_EQ(HttpCall(server.port(), "POST", "/api/admin/seal").status, 200);
    }
    EXPECT_EQ(CountPoints(server.port()), 200);
    // The first call says what is wanted, the others that it go on.
    const HttpResult rolled = HttpCall(server.port(), "POST", uri, deaths == 0 ? body : "{}");
    if (rolled.status == 200) {
      EXPECT_THAT(rolled.body, HasSubstr("\"keys\":7,"));
      EXPECT_THAT(rolled.body, HasSubstr("\"resumed\":true"));
      EXPECT_THAT(HttpCall(server.port(), "GET", "/api/admin/regions/check").body,
                  HasSubstr("\"findings\":[]"));
      EXPECT_EQ(server.End(SIGTERM), 0);
      break;
    }
    ASSERT_EQ(rolled.status, 0) << rolled.body;
    EXPECT_EQ(server.Wait(), -SIGKILL);
  }
  EXPECT_GE(deaths, 1);
  EXPECT_LT(deaths, 20) << "never through";

  ServerProcess server(directory.path());
  EXPECT_EQ(CountPoints(server.port()), 200);
  const std::string regions = HttpCall(server.port(), "GET", "/api/admin/regions").body;
  size_t count = 0;
  for (size_t at = 0; (at = regions.find("\"encoded\":", at)) != std::string::npos; ++at)
    ++count;
  EXPECT_EQ(count, 8u) << regions;
  EXPECT_EQ(regions.find("\"rolling\""), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledRollingSplitTest,
                         testing::Values("rolling:step", "rolling:step#3", "split:committed#2"),
                         TestName);

// Regions are split and merged by hand, one change after the other, until the server is gone.
void ChangeRegionsUntilGone(uint16_t port, uint64_t seed) {
  Random random(seed);
  const std::string uri = "/api/admin/regions";
  for (int i = 0; i < 4000; ++i) {
    const std::string regions = HttpCall(port, "GET", uri).body;
    if (regions.empty()) return;
    std::vector<std::string> ids;
    for (size_t at = 0; (at = regions.find("\"id\":", at)) != std::string::npos; ++at)
      ids.push_back(std::to_string(std::atoll(regions.c_str() + at + 5)));
    const size_t first = random.Below(ids.size());
    if (ids.size() > 3 || (first + 1 < ids.size() && random.Below(2) == 0)) {
      const size_t left = std::min(first, ids.size() - 2);
      HttpCall(port, "POST", uri + "/merge",
               fmt::format(R"({{"regions":["{}","{}"]}})", ids[left], ids[left + 1]));
    } else {
      // Between two series of the metric in the first hour, or between hours.
      HttpCall(port, "POST", uri + "/split",
               fmt::format(R"({{"region":"{}","at":"\\x00\\x00\\x01P\\xE2'\\x{:02X}"}})",
                           ids[first], random.Below(16)));
      HttpCall(port, "POST", uri + "/split", fmt::format(R"({{"region":"{}"}})", ids[first]));
    }
  }
}

// Splits, merges and trims are killed between their steps, under load.
class KilledRegionChangeTest : public KillPointTest {};

TEST_P(KilledRegionChangeTest, TheStoreHasTheRegionsOfBeforeOrAfter) {
  const uint64_t rounds = FromEnvironment("HOURCELL_REGION_KILLS", 1);
  TempDir directory;
  int acknowledged = 0;
  for (uint64_t round = 0; round < rounds && !HasFailure(); ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    ServerProcess server(directory.path(), TinyBudgets("never"),
                         fmt::format("HOURCELL_KILL_AT={}#{}", GetParam(), 1 + round % 5));
    ASSERT_NE(server.port(), 0);
    const std::jthread changer(
        [&] { ChangeRegionsUntilGone(server.port(), round * 100 + GetParam().size()); });
    for (int status = 204; status != 0 && acknowledged < 80'000;) {
      status = HttpCall(server.port(), "POST", "/api/put", PutBody(acknowledged, kBatch)).status;
      if (status == 204) acknowledged += kBatch;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(server.Wait(), -SIGKILL);

    ServerProcess next(directory.path());
    ASSERT_NE(next.port(), 0);
    const int found = acknowledged == 0 ? 0 : CountPoints(next.port());
    EXPECT_GE(found, acknowledged);
    EXPECT_LE(found, acknowledged + kBatch);
    EXPECT_THAT(HttpCall(next.port(), "GET", "/api/admin/regions/check").body,
                HasSubstr("\"findings\":[]"));
    EXPECT_EQ(next.End(SIGTERM), 0);
    EXPECT_FALSE(std::filesystem::exists(directory.path() + "/db.split"));
  }
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledRegionChangeTest,
                         testing::Values("split:intent",
                                         "split:flushed",
                                         "region:exported",
                                         "split:imported",
                                         "split:committed",
                                         "trim:rewritten",
                                         "trim:noted",
                                         "merge:intent",
                                         "merge:flushed",
                                         "merge:imported",
                                         "merge:committed"),
                         TestName);

// The salt of a store gets other buckets from the next hour on, is killed on the way, and the same
// again an hour later, under load.
class KilledSaltTest : public KillPointTest {
 protected:
  // Points are a second apart.
  static constexpr int kOfAnHour = 3600;
  static constexpr int kHoursOfAStore = 20;

  std::vector<std::string> Arguments() const {
    std::vector<std::string> arguments = TinyBudgets("never");
    arguments.insert(arguments.end(), {"--set", "tsd.storage.salt.width=1"});
    return arguments;
  }

  // Until a change is taken, and so the server gone: the next hours may have rows already.
  static void ChangeUntilGone(uint16_t port, int hour) {
    HttpResult changed;
    changed.status = 409;
    for (int64_t from = 1356998400 + 3600 * (hour + 1); changed.status == 409; from += 3600) {
      const std::string body = fmt::format(R"({{"buckets":{},"from":{}}})", 2 + hour * 7, from);
      changed = HttpCall(port, "POST", "/api/admin/salt", body);
    }
    EXPECT_EQ(changed.status, 0) << changed.body;
  }

  // Half of the points are of the hour, half of the next.
  void RunHour(const std::string& directory, int hour) {
    const int first = hour * kOfAnHour + kOfAnHour / 2;
    int acknowledged = 0;
    {
      ServerProcess server(directory, Arguments(), "HOURCELL_KILL_AT=" + GetParam());
      ASSERT_NE(server.port(), 0);
      const auto put = [&] {
        const std::string body = PutBody(first + acknowledged, kBatch);
        if (HttpCall(server.port(), "POST", "/api/put", body).status != 204) return false;
        acknowledged += kBatch;
        return true;
      };
      ASSERT_TRUE(put());
      const std::jthread changer([&] { ChangeUntilGone(server.port(), hour); });
      while (acknowledged < kOfAnHour && put())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_EQ(server.Wait(), -SIGKILL);
    }
    ServerProcess next(directory, Arguments());
    ASSERT_NE(next.port(), 0);
    const int found = CountPoints(next.port());
    EXPECT_GE(found, all_ + acknowledged);
    EXPECT_LE(found, all_ + acknowledged + kBatch);
    if (acknowledged < kOfAnHour) {
      const std::string body = PutBody(first + acknowledged, kBatch);
      EXPECT_EQ(HttpCall(next.port(), "POST", "/api/put", body).status, 204);
      acknowledged += kBatch;
    }
    all_ += acknowledged;
    EXPECT_EQ(CountPoints(next.port()), all_);
    EXPECT_EQ(HttpCall(next.port(), "POST", "/api/admin/seal").status, 200);
    EXPECT_EQ(CountPoints(next.port()), all_);
    EXPECT_EQ(next.End(hour % 2 == 0 ? SIGTERM : SIGKILL), hour % 2 == 0 ? 0 : -SIGKILL);
  }

  int all_ = 0;  // points that are there
};

TEST_P(KilledSaltTest, EveryPointIsFoundInTheBucketOfItsTime) {
  const uint64_t rounds = FromEnvironment("HOURCELL_REGION_KILLS", 2);
  std::unique_ptr<TempDir> directory;
  for (uint64_t round = 0; round < rounds && !HasFailure(); ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    if (round % kHoursOfAStore == 0) {
      directory = std::make_unique<TempDir>();
      all_ = 0;
    }
    RunHour(directory->path(), static_cast<int>(round % kHoursOfAStore));
  }
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledSaltTest,
                         testing::Values("change:sealed",
                                         "salt:checked",
                                         "salt:written",
                                         "change:done",
                                         "change:sealed_again"),
                         TestName);

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
                         TestName);

// A migration that is killed between its steps, and run again.
class KilledMigrationTest : public KillPointTest {};

TEST_P(KilledMigrationTest, TheNextOneIsWhole) {
  TempDir from;
  TempDir parent;
  const std::string to = parent.file("to");
  {
    ServerProcess server(from.path());
    for (int first = 0; first < 60'000; first += 3000) {
      const std::string body = PutBody(first, 3000);
      ASSERT_EQ(HttpCall(server.port(), "POST", "/api/put", body).status, 204);
    }
    server.End(SIGKILL);
  }

  const std::vector<std::string> migrate = {"migrate", from.path(), to, "--set",
                                            "tsd.storage.salt.width=1"};
  EXPECT_EQ(RunProgram(migrate, {}, "HOURCELL_KILL_AT=" + GetParam()).exit_code, -SIGKILL);
  EXPECT_TRUE(std::filesystem::exists(to + "/migration"));
  const ProgramResult again = RunProgram(migrate);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("migrated 60000 points"));
  EXPECT_THAT(again.out, HasSubstr("both stores have the same points"));
  EXPECT_FALSE(std::filesystem::exists(to + "/migration"));

  for (const std::string& directory : {from.path(), to}) {
    ServerProcess server(
        directory, {"--set", fmt::format("tsd.storage.salt.width={}", directory == to ? 1 : 0)});
    EXPECT_EQ(CountPoints(server.port()), 60'000);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Points,
    KilledMigrationTest,
    testing::Values("migrate:names", "migrate:batch#2", "migrate:points", "migrate:flushed"),
    TestName);

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
                         TestName);

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
                         TestName);

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
