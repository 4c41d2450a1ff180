#include "server/cli/admin/backup.h"

#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/server/http/scripted_server.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::backup_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class BackupCommandTest : public testing::Test {
 protected:
  void PutOne(int64_t value) {
    const auto tsdb = OpenStore({.data = dir_.file("store")}, StoreUse::kCreate);
    ASSERT_OK(tsdb);
    OwnedPoint point("m", "host=a", 1356998400 + value, value);
    ASSERT_OK((*tsdb)->points().Put(point.view()));
    ASSERT_OK((*tsdb)->Close());
  }
  int Run(std::vector<std::string> words, std::optional<uint64_t> keep = {}) {
    return RunBackup(
        {.store = {.data = dir_.file("store")}, .keep = keep, .words = std::move(words)},
        terminal_.get());
  }
  int Restore(std::optional<uint64_t> id = {}) {
    return RunRestore({.from = backups_, .to = dir_.file("target"), .id = id}, terminal_.get());
  }

  TempDir dir_;
  const std::string backups_ = dir_.file("backups");
  CapturedTerminal terminal_;
};

TEST_F(BackupCommandTest, ADirectorysBackupsAreMadeListedVerifiedPrunedAndRestored) {
  PutOne(1);
  EXPECT_EQ(Run({backups_}), kExitOk);
  EXPECT_THAT(terminal_.out(), StartsWith("backup 1: "));
  PutOne(2);
  EXPECT_EQ(Run({backups_}), kExitOk);
  EXPECT_EQ(Run({"list", backups_}), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("\n2 20"));
  CapturedTerminal json;
  EXPECT_EQ(RunBackup({.json = true, .words = {"list", backups_}}, json.get()), kExitOk);
  EXPECT_THAT(json.out(), StartsWith("{\"id\":1,\"made_ms\":"));
  EXPECT_THAT(json.out(), HasSubstr("\n{\"id\":2,\"made_ms\":"));
  EXPECT_EQ(RunBackup({.json = true, .words = {"verify", backups_}}, json.get()), kExitUsage);
  EXPECT_EQ(Run({"verify", backups_}), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("verified 2 backups, "));
  EXPECT_THAT(terminal_.out(), HasSubstr(": 0 damaged\n"));
  EXPECT_EQ(Run({"verify", backups_, "1"}), kExitOk);
  EXPECT_EQ(Run({"verify", backups_, "3"}), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("no backup 3"));
  EXPECT_EQ(Run({"prune", backups_}, 1), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("pruned 1 backup, "));

  EXPECT_EQ(Restore(1), kExitFailure);
  EXPECT_EQ(Restore(), kExitOk) << terminal_.err();
  EXPECT_THAT(terminal_.out(), HasSubstr("restored backup 2 of 20"));
  const auto restored = OpenStore({.data = dir_.file("target")}, StoreUse::kExisting);
  ASSERT_OK(restored);
  int points = 0;
  EXPECT_OK((*restored)->queries().Scan({}, [&](const ScannedRow& row) {
    points += static_cast<int>(row.times.size());
    return true;
  }));
  EXPECT_EQ(points, 2);
  EXPECT_EQ(Restore(), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("expected an empty directory"));
}

TEST_F(BackupCommandTest, DamageIsAFailure) {
  PutOne(1);
  EXPECT_EQ(Run({backups_}), kExitOk);
  std::string sst;
  for (const auto& file : std::filesystem::directory_iterator(backups_ + "/files")) {
    if (file.path().string().find("CURRENT") != std::string::npos) sst = file.path().string();
  }
  WriteFile(sst, "MANIFEST-999999\n");
  EXPECT_EQ(Run({"verify", backups_}), kExitFailure);
  EXPECT_THAT(terminal_.out(), HasSubstr("damaged: "));
  EXPECT_THAT(terminal_.out(), HasSubstr("(db/CURRENT of backup 1)"));
  EXPECT_EQ(Restore(), kExitFailure);
  EXPECT_FALSE(std::filesystem::exists(dir_.file("target")));
  WriteFile(backups_ + "/backups/000001", "x");
  EXPECT_EQ(Run({"list", backups_}), kExitFailure);
  EXPECT_THAT(terminal_.out(), HasSubstr("1 damaged: "));
}

TEST_F(BackupCommandTest, AServerIsAsked) {
  ScriptedServer server(
      {{HttpReplyText(200, R"({"id":7,"files":3,"bytes":100,"copied_files":1,"copied_bytes":9})")},
       {HttpReplyText(409, R"({"error":{"code":409,"message":"No directory of backups"}})")},
       {HttpReplyText(200, "{}")}});
  const BackupCommandOptions options{.url = server.url()};
  EXPECT_EQ(RunBackup(options, terminal_.get()), kExitOk);
  EXPECT_EQ(terminal_.out(), "backup 7: 3 files, 100 bytes; copied 1 file, 9 bytes, in 0 ms\n");
  EXPECT_EQ(RunBackup(options, terminal_.get()), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("No directory of backups"));
  EXPECT_EQ(RunBackup(options, terminal_.get()), kExitFailure);
  EXPECT_THAT(server.requests()[0], StartsWith("POST /api/admin/backup?async&key="));
}

TEST_F(BackupCommandTest, WordsThatMakeNoSenseAreUsageErrors) {
  EXPECT_EQ(Run({}), kExitUsage);
  EXPECT_EQ(Run({"a", "b"}), kExitUsage);
  EXPECT_EQ(Run({"list"}), kExitUsage);
  EXPECT_EQ(Run({"list", "a", "b"}), kExitUsage);
  EXPECT_EQ(Run({"verify", "a", "b"}), kExitUsage);
  EXPECT_EQ(Run({"prune", "a"}), kExitUsage);
  EXPECT_EQ(Run({"prune", "a"}, 0), kExitUsage);
  EXPECT_EQ(RunBackup({.url = "http://localhost", .words = {"a"}}, terminal_.get()), kExitUsage);
  EXPECT_EQ(RunBackup({.url = "http://localhost", .words = {"list", "a"}}, terminal_.get()),
            kExitUsage);
  EXPECT_EQ(Run({"list", backups_}), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("no backups there"));
  EXPECT_EQ(Restore(), kExitFailure);
}

TEST(RestoreMainTest, WantsBothDirectories) {
  CapturedTerminal terminal;

  EXPECT_EQ(RestoreMain({"backups"}, terminal.get()), kExitUsage);

  EXPECT_THAT(terminal.err(), testing::HasSubstr("hourcell restore: STORE is required\n"));
}

// At each step, of which there are as many as files.
TEST_F(BackupCommandTest, ASignalEndsVerifyAndRestoreAndLeavesWhatTheirHelpSays) {
  PutOne(1);
  ASSERT_EQ(Run({backups_}), kExitOk);
  int interrupted = 0;
  // True: the command was done before so many looks at the clock; the first is before its work.
  const auto outruns = [&](int looks, const std::function<int()>& run) {
    const int signal = looks % 2 == 0 ? SIGTERM : SIGINT;
    SignallingClock clock(signal, looks);
    terminal_.get().clock = &clock;
    const int code = run();
    terminal_.get().clock = &terminal_.clock();
    EXPECT_TRUE(code == kExitOk || code == 128 + signal) << code;
    if (code != kExitOk) ++interrupted;
    return code == kExitOk;
  };
  for (int looks = 2; !outruns(looks, [&] { return Run({"verify", backups_}); }); ++looks) {
    EXPECT_THAT(terminal_.err(),
                HasSubstr("hourcell backup verify: interrupted; verify: ended with"));
  }
  EXPECT_GT(interrupted, 3);

  interrupted = 0;
  for (int looks = 2; !outruns(looks, [&] { return Restore(); }); ++looks) {
    EXPECT_THAT(terminal_.err(), HasSubstr("is still without a store"));
    EXPECT_FALSE(std::filesystem::exists(dir_.file("target")));
    EXPECT_TRUE(std::filesystem::exists(dir_.file("target.restoring")));
  }
  EXPECT_GT(interrupted, 3);
  EXPECT_FALSE(std::filesystem::exists(dir_.file("target.restoring")));
  EXPECT_OK(OpenStore({.data = dir_.file("target")}, StoreUse::kExisting));
}

TEST_F(BackupCommandTest, ASignalEndsABackupOfADirectory) {
  PutOne(1);
  SignallingClock clock(SIGTERM, 3);
  terminal_.get().clock = &clock;
  EXPECT_EQ(Run({backups_}), 143);
  EXPECT_THAT(terminal_.err(), HasSubstr("hourcell backup: interrupted; no backup was made"));
  terminal_.get().clock = &terminal_.clock();
  EXPECT_EQ(Run({backups_}), kExitOk);
  EXPECT_EQ(Run({"verify", backups_}), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("verified 1 backup, "));
}

TEST_F(BackupCommandTest, ProgressIsShownOnATerminal) {
  terminal_.get().is_tty = true;
  PutOne(1);
  ASSERT_EQ(Run({backups_}), kExitOk);
  ASSERT_EQ(Run({"verify", backups_}), kExitOk);
  ASSERT_EQ(Restore(), kExitOk);
  for (const char* const name : {"backup: 0 of ", "backup verify: 0 of ", "restore: 0 of "})
    EXPECT_THAT(terminal_.err(), HasSubstr(name));
  EXPECT_THAT(terminal_.err(), HasSubstr(" bytes (0 %)"));
}

}  // namespace
}  // namespace hourcell::backup_test
