// A backup and a restore that are killed at every step: the backups of before are whole, the store
// has every point, the next try succeeds; and no half of a store is ever called one.

#include <signal.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/crash/kill_points.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::backup_crash_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kUri = "/api/admin/backup?wait";

class KilledBackupTest : public KillPointTest {
 protected:
  std::vector<std::string> Arguments() const {
    std::vector<std::string> arguments = TinyBudgets("never");
    arguments.insert(arguments.end(),
                     {"--set", "tsd.storage.backup.directory=" + dir_.file("backups")});
    return arguments;
  }

  // How many points a backup of that id has.
  int CountRestored(uint64_t id) {
    const std::string target = dir_.file(fmt::format("restored{}", ++restored_));
    const ProgramResult restore =
        RunProgram({"restore", "--id", std::to_string(id), dir_.file("backups"), target});
    EXPECT_EQ(restore.exit_code, 0) << restore.err;
    ServerProcess server(target, TinyBudgets("never"));
    EXPECT_NE(server.port(), 0);
    return CountPoints(server.port());
  }

  // Under load; `*before` gets the number of points acknowledged before the backup.
  void KillOne(int* acknowledged, int* before) {
    ServerProcess server(dir_.file("store"), Arguments(), "HOURCELL_KILL_AT=" + GetParam());
    ASSERT_NE(server.port(), 0);
    const auto put = [&] {
      const std::string body = PutBody(*acknowledged, kBatch);
      if (HttpCall(server.port(), "POST", "/api/put", body).status != 204) return false;
      *acknowledged += kBatch;
      return true;
    };
    for (int i = 0; i < 20; ++i)
      ASSERT_TRUE(put());
    *before = *acknowledged;
    {
      const std::jthread backup([&] { HttpCall(server.port(), "POST", kUri); });
      while (put()) {
      }
    }
    EXPECT_EQ(server.Wait(), -SIGKILL);
  }

  TempDir dir_;
  int restored_ = 0;
};

TEST_P(KilledBackupTest, TheOthersAreWholeAndTheNextOneIs) {
  int acknowledged = 0;
  {
    ServerProcess server(dir_.file("store"), Arguments());
    ASSERT_EQ(HttpCall(server.port(), "POST", "/api/put", PutBody(0, kBatch)).status, 204);
    acknowledged = kBatch;
    if (GetParam() != "backup:directory") {
      ASSERT_EQ(HttpCall(server.port(), "POST", kUri).status, 200);
    }
    server.End(SIGTERM);
  }
  const uint64_t rounds = FromEnvironment("HOURCELL_BACKUP_KILLS", 1);
  for (uint64_t round = 0; round < rounds && !HasFailure(); ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    int before = 0;
    KillOne(&acknowledged, &before);
    if (HasFailure()) return;
    if (std::filesystem::exists(dir_.file("backups/backups"))) {
      const ProgramResult verify = RunProgram({"backup", "verify", dir_.file("backups")});
      EXPECT_EQ(verify.exit_code, 0) << verify.out << verify.err;
    }
    ServerProcess server(dir_.file("store"), Arguments());
    const int found = CountPoints(server.port());
    EXPECT_GE(found, acknowledged);
    EXPECT_LE(found, acknowledged + kBatch);
    ASSERT_EQ(HttpCall(server.port(), "POST", "/api/put", PutBody(acknowledged, kBatch)).status,
              204);
    acknowledged += kBatch;
    const HttpResult made = HttpCall(server.port(), "POST", kUri);
    EXPECT_EQ(made.status, 200) << made.body;
    EXPECT_THAT(made.body, StartsWith("{\"id\":"));
    const auto id = std::stoull(made.body.substr(6));
    EXPECT_EQ(CountRestored(id), acknowledged);
    // Killed once it had its name, it is a backup.
    const bool was_made = GetParam() == "backup:renamed" || GetParam() == "backup:done";
    if (was_made) {
      const int of_killed = CountRestored(id - 1);
      EXPECT_GE(of_killed, before);
      EXPECT_LE(of_killed, acknowledged);
      EXPECT_EQ(of_killed % kBatch, 0) << "a batch is in it or not";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledBackupTest,
                         testing::Values("backup:directory",
                                         "backup:pinned",
                                         "backup:copied",
                                         "backup:file",
                                         "backup:journal",
                                         "backup:files",
                                         "backup:manifest",
                                         "backup:renamed",
                                         "backup:done"),
                         KillPointName);

class KilledRestoreTest : public KillPointTest {};

TEST_P(KilledRestoreTest, LeavesNoStoreOrAWholeOne) {
  TempDir dir;
  const std::string store = dir.file("store");
  {
    ServerProcess server(store, TinyBudgets("never"));
    ASSERT_EQ(HttpCall(server.port(), "POST", "/api/put", PutBody(0, 500)).status, 204);
    server.End(SIGTERM);
  }
  ASSERT_EQ(RunProgram({"backup", dir.file("backups"), "--data", store}).exit_code, 0);
  const std::vector<std::string> restore = {"restore", dir.file("backups"), dir.file("target")};

  EXPECT_EQ(RunProgram(restore, {}, "HOURCELL_KILL_AT=" + GetParam()).exit_code, -SIGKILL);

  if (GetParam() != "restore:renamed") {
    EXPECT_FALSE(std::filesystem::exists(dir.file("target")));
    const ProgramResult again = RunProgram(restore);
    EXPECT_EQ(again.exit_code, 0) << again.err;
    EXPECT_THAT(again.out, HasSubstr("restored backup 1"));
  }
  EXPECT_FALSE(std::filesystem::exists(dir.file("target.restoring")));
  ServerProcess server(dir.file("target"), TinyBudgets("never"));
  EXPECT_EQ(CountPoints(server.port()), 500);
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledRestoreTest,
                         testing::Values("restore:directories",
                                         "restore:file",
                                         "restore:copied",
                                         "restore:whole",
                                         "restore:renamed"),
                         KillPointName);

class KilledPruneTest : public KillPointTest {};

TEST_P(KilledPruneTest, TheKeptOnesAreWhole) {
  TempDir dir;
  const std::string backups = dir.file("backups");
  for (int i = 0; i < 3; ++i) {
    {
      ServerProcess server(dir.file("store"), TinyBudgets("never"));
      ASSERT_EQ(HttpCall(server.port(), "POST", "/api/put", PutBody(i * 100, 100)).status, 204);
      server.End(SIGTERM);
    }
    ASSERT_EQ(RunProgram({"backup", backups, "--data", dir.file("store")}).exit_code, 0);
  }
  const std::vector<std::string> prune = {"backup", "prune", backups, "--keep", "1"};
  EXPECT_EQ(RunProgram(prune, {}, "HOURCELL_KILL_AT=" + GetParam()).exit_code, -SIGKILL);
  EXPECT_EQ(RunProgram({"backup", "verify", backups}).exit_code, 0);
  EXPECT_EQ(RunProgram(prune).exit_code, 0);
  EXPECT_THAT(RunProgram({"backup", "list", backups}).out, StartsWith("3 "));
  EXPECT_EQ(RunProgram({"backup", "verify", backups}).exit_code, 0);
  ASSERT_EQ(RunProgram({"restore", backups, dir.file("target")}).exit_code, 0);
  ServerProcess server(dir.file("target"), TinyBudgets("never"));
  EXPECT_EQ(CountPoints(server.port()), 300);
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledPruneTest,
                         testing::Values("prune:manifest", "prune:file"),
                         KillPointName);

}  // namespace
}  // namespace hourcell::backup_crash_test
