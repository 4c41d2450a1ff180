#include "server/cli/names/uid.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/support/temp_dir.h"

namespace hourcell::uid_test {
namespace {

using testing::HasSubstr;

struct Outcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

class UidToolTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(Uid({"assign", "metrics", "cpu.user", "cpu.system"}).exit_code, kExitOk);
    ASSERT_EQ(Uid({"assign", "tagk", "host"}).exit_code, kExitOk);
  }
  Outcome Uid(std::vector<std::string> words, bool ignore_case = false) {
    CapturedTerminal terminal;
    const int exit_code = RunUid(
        {.store = store_, .ignore_case = ignore_case, .words = std::move(words)}, terminal.get());
    return {exit_code, terminal.out(), terminal.err()};
  }

  TempDir dir_;
  StoreOptions store_ = {.data = dir_.file("store")};
};

TEST_F(UidToolTest, AssignPrintsTheMappingAndKeepsKnownNames) {
  const Outcome outcome = Uid({"assign", "metrics", "mem", "cpu.user"});

  EXPECT_EQ(outcome.exit_code, kExitOk);
  EXPECT_EQ(outcome.out, "metrics mem: [0, 0, 3]\nmetrics cpu.user: [0, 0, 1]\n");
}

TEST_F(UidToolTest, AssignStopsWithThreeAtAnIllegalName) {
  const Outcome outcome = Uid({"assign", "tagv", "ok", "not\nok", "never"});

  EXPECT_EQ(outcome.exit_code, kExitAssignFailed);
  EXPECT_EQ(outcome.out, "tagv ok: [0, 0, 1]\n");
  EXPECT_THAT(outcome.err, HasSubstr("illegal character"));
}

TEST_F(UidToolTest, AnIllegalNameIsQuoted) {
  const std::string says = "hourcell uid: name \"b\\x01\": illegal character \"\\x01\"\n";
  EXPECT_EQ(Uid({"rename", "metrics", "cpu.user", "b\x01"}).err, says);
  EXPECT_EQ(Uid({"assign", "metrics", "b\x01"}).err, says);
}

TEST_F(UidToolTest, AStoreOfAnyNamesRefusesControlCharacters) {
  EXPECT_EQ(Uid({"assign", "metrics", "b c"}).exit_code, kExitOk);
  EXPECT_THAT(Uid({"assign", "metrics", "b\nc"}).err, HasSubstr("illegal character"));
}

TEST(UidWithoutStoreTest, NothingIsMadeForWhatCannotBeDone) {
  TempDir dir;
  const StoreOptions store = {.data = dir.file("none"), .settings = {"tsd.storage.names=utf8"}};
  CapturedTerminal terminal;
  EXPECT_EQ(RunMkmetric({.store = store, .words = {"good", "b c"}}, terminal.get()),
            kExitAssignFailed);
  EXPECT_THAT(terminal.err(), HasSubstr("hourcell uid: name \"b c\": illegal character \" \"\n"));
  EXPECT_EQ(RunUid({.store = store, .words = {"import", dir.file("nope")}}, terminal.get()),
            kExitFailure);
  std::ofstream(dir.file("log")) << "a line of a log\n";
  std::ofstream(dir.file("bad")) << "metrics cpu\n";
  for (const std::string& path : {dir.file("log"), dir.file("bad"), dir.path()})
    EXPECT_EQ(RunUid({.store = store, .words = {"import", path}}, terminal.get()), kExitFailure);
  EXPECT_FALSE(std::filesystem::exists(dir.file("none")));

  EXPECT_EQ(RunMkmetric({.store = store, .words = {"good"}}, terminal.get()), kExitOk);
  EXPECT_TRUE(std::filesystem::exists(dir.file("none")));
}

TEST_F(UidToolTest, GrepFindsByKindOrInAll) {
  EXPECT_EQ(Uid({"grep", "metrics", "^cpu.s"}).out, "metrics cpu.system: [0, 0, 2]\n");
  EXPECT_EQ(Uid({"grep", "us|os"}).out, "metrics cpu.user: [0, 0, 1]\ntagk host: [0, 0, 1]\n");
}

TEST_F(UidToolTest, JsonIsAnObjectForEachMapping) {
  const auto run = [this](std::vector<std::string> words) {
    CapturedTerminal terminal;
    const int exit_code =
        RunUid({.store = store_, .json = true, .words = std::move(words)}, terminal.get());
    return Outcome{exit_code, terminal.out(), terminal.err()};
  };
  EXPECT_EQ(run({"grep", "^cpu"}).out,
            "{\"kind\":\"metrics\",\"name\":\"cpu.system\",\"uid\":\"000002\"}\n"
            "{\"kind\":\"metrics\",\"name\":\"cpu.user\",\"uid\":\"000001\"}\n");
  EXPECT_EQ(run({"host"}).out, "{\"kind\":\"tagk\",\"name\":\"host\",\"uid\":\"000001\"}\n");
  EXPECT_EQ(run({"fsck"}).exit_code, kExitUsage);
}

TEST(UidWithoutStoreTest, TheMetaDataNeedsNoUpkeep) {
  TempDir dir;
  for (const std::string subcommand : {"metasync", "metapurge"}) {
    CapturedTerminal terminal;
    const UidCommandOptions options = {.store = {.data = dir.file("none")}, .words = {subcommand}};
    EXPECT_EQ(RunUid(options, terminal.get()), kExitOk);
    EXPECT_THAT(terminal.out(), HasSubstr(subcommand + ": nothing to do; "));
    EXPECT_EQ(RunUid({.store = options.store, .words = {subcommand, "x"}}, terminal.get()),
              kExitUsage);
  }
  EXPECT_FALSE(std::filesystem::exists(dir.file("none")));
}

TEST(UidWithoutStoreTest, TreesNeedNoSync) {
  CapturedTerminal terminal;
  EXPECT_EQ(RunUid({.words = {"treesync"}}, terminal.get()), kExitOk);
  EXPECT_THAT(terminal.out(), HasSubstr("treesync: nothing to do; branches"));
  EXPECT_EQ(RunUid({.words = {"treepurge", "1"}}, terminal.get()), kExitOk);
  EXPECT_THAT(terminal.out(), HasSubstr("treepurge: nothing to do; branches"));
  for (const std::string tree : {"0", "65536", "x", "-1"})
    EXPECT_EQ(RunUid({.words = {"treepurge", tree}}, terminal.get()), kExitUsage);
  EXPECT_EQ(RunUid({.words = {"treepurge", "1", "no"}}, terminal.get()), kExitUsage);
  EXPECT_THAT(terminal.err(), HasSubstr("expected true or nothing"));
}

TEST_F(UidToolTest, GrepWithoutAMatchExitsOne) {
  EXPECT_EQ(Uid({"grep", "tagv", "."}).exit_code, kExitFailure);
  EXPECT_EQ(Uid({"grep", "CPU"}).exit_code, kExitFailure);
  EXPECT_EQ(Uid({"grep", "CPU"}, /*ignore_case=*/true).exit_code, kExitOk);
}

TEST_F(UidToolTest, LookupByNameAndByNumber) {
  EXPECT_EQ(Uid({"metrics", "cpu.system"}).out, "metrics cpu.system: [0, 0, 2]\n");
  EXPECT_EQ(Uid({"metrics", "2"}).out, "metrics cpu.system: [0, 0, 2]\n");
  EXPECT_EQ(Uid({"host"}).out, "tagk host: [0, 0, 1]\n");
  EXPECT_EQ(Uid({"1"}).out, "metrics cpu.user: [0, 0, 1]\ntagk host: [0, 0, 1]\n");
}

TEST_F(UidToolTest, LookupOfNothingExitsOne) {
  EXPECT_EQ(Uid({"metrics", "disk"}).exit_code, kExitFailure);
  EXPECT_EQ(Uid({"99"}).exit_code, kExitFailure);
  EXPECT_THAT(Uid({"disk"}).err, HasSubstr("disk: no such name of any kind"));
}

TEST_F(UidToolTest, RenameMovesTheUidAndRefusesATakenName) {
  const Outcome outcome = Uid({"rename", "metrics", "cpu.user", "cpu.usr"});
  EXPECT_EQ(outcome.exit_code, kExitOk);
  EXPECT_EQ(outcome.out, "metrics cpu.user -> cpu.usr\n");
  EXPECT_EQ(Uid({"metrics", "1"}).out, "metrics cpu.usr: [0, 0, 1]\n");

  EXPECT_EQ(Uid({"rename", "metrics", "cpu.usr", "cpu.system"}).exit_code, kExitFailure);
  EXPECT_EQ(Uid({"rename", "metrics", "none", "other"}).exit_code, kExitFailure);
}

TEST_F(UidToolTest, DeleteRemovesAndRefusesTheUnknown) {
  EXPECT_EQ(Uid({"delete", "metrics", "cpu.user"}).out, "UID metrics cpu.user deleted.\n");

  EXPECT_EQ(Uid({"metrics", "cpu.user"}).exit_code, kExitFailure);
  EXPECT_EQ(Uid({"delete", "metrics", "cpu.user"}).exit_code, kExitFailure);
}

TEST_F(UidToolTest, FsckOfAGoodStoreFindsNothing) {
  const Outcome outcome = Uid({"fsck"});

  EXPECT_EQ(outcome.exit_code, kExitOk);
  EXPECT_THAT(outcome.out, HasSubstr(" KVs analyzed in "));
  EXPECT_THAT(outcome.out, testing::EndsWith("No errors found.\n"));
  EXPECT_EQ(Uid({"fsck", "fix"}).exit_code, kExitOk);
}

TEST_F(UidToolTest, WordsThatMakeNoSenseAreUsageErrors) {
  const std::vector<std::vector<std::string>> bad = {{},
                                                     {"grep"},
                                                     {"grep", "names", "x"},
                                                     {"assign", "metrics"},
                                                     {"assign", "names", "x"},
                                                     {"rename", "metrics", "a"},
                                                     {"delete", "metrics", "a", "b"},
                                                     {"fsck", "now"},
                                                     {"names", "x"},
                                                     {"metrics", "a", "b"}};
  for (const std::vector<std::string>& words : bad) {
    SCOPED_TRACE(testing::PrintToString(words));
    EXPECT_EQ(Uid(words).exit_code, kExitUsage);
  }
}

TEST_F(UidToolTest, MkmetricAssignsMetrics) {
  CapturedTerminal terminal;

  EXPECT_EQ(RunMkmetric({.store = store_, .words = {"a", "b"}}, terminal.get()), kExitOk);
  EXPECT_EQ(RunMkmetric({.store = store_}, terminal.get()), kExitUsage);

  EXPECT_EQ(terminal.out(), "metrics a: [0, 0, 3]\nmetrics b: [0, 0, 4]\n");
}

}  // namespace
}  // namespace hourcell::uid_test
