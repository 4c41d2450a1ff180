// Stores and backups of every release: this program reads them, answers about them as their release
// did, writes to them, and restores them.

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include "engine/options.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/table/table_store.h"
#include "server/config/version.h"
#include "tests/golden/golden_set.h"
#include "tests/http/server_process.h"
#include "tests/support/source_dir.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::golden_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* kFiles[] = {"closed.tar.gz", "closed.txt",     "killed.tar.gz",
                                  "killed.txt",    "backups.tar.gz", "backup-1.txt",
                                  "settings.txt",  "commands.txt",   "endpoints.txt"};

// Differences are named by their question.
void ExpectSame(const std::vector<GoldenAnswer>& got, const std::vector<GoldenAnswer>& want) {
  ASSERT_EQ(got.size(), want.size());
  ASSERT_THAT(want, SizeIs(Ge(10u)));
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_EQ(got[i].text, want[i].text) << want[i].question;
}

class GoldenTest : public testing::Test {
 protected:
  // The store of a set in a separate directory.
  std::string Store(const std::string& version, const std::string& name) {
    return Unpack(version, name + ".tar.gz", dir_.file(version + "-" + name));
  }

  void ExpectOk(const std::vector<std::string>& words, std::string_view input = {}) {
    const ProgramResult result = RunProgram(words, input);
    EXPECT_EQ(result.exit_code, 0) << words[0] << ": " << result.out << result.err;
  }

  TempDir dir_;
};

TEST_F(GoldenTest, EveryReleaseHasASmallSet) {
  EXPECT_THAT(GoldenVersions(), Contains(std::string(kHourcellVersion)))
      << "scripts/golden makes the set of a release";
  for (const std::string& version : GoldenVersions()) {
    uint64_t bytes = 0;
    for (const char* const file : kFiles)
      bytes += std::filesystem::file_size(GoldenPath(version, file));
    EXPECT_LT(bytes, 300'000u) << version;
  }
}

TEST_F(GoldenTest, WordsOfAQuestionAreThoseOfAShell) {
  EXPECT_THAT(WordsOf("query  -m 'sum:m{h=*}' x"), ElementsAre("query", "-m", "sum:m{h=*}", "x"));
}

TEST_F(GoldenTest, AClosedStoreAnswersAsItsReleaseDid) {
  for (const std::string& version : GoldenVersions()) {
    SCOPED_TRACE(version);
    const std::vector<GoldenAnswer> want = ReadTranscript(version, "closed.txt");
    ExpectSame(AskAgain(want, Store(version, "closed")), want);
  }
}

TEST_F(GoldenTest, AKilledStoreAnswersAsItsReleaseDid) {
  for (const std::string& version : GoldenVersions()) {
    SCOPED_TRACE(version);
    const std::vector<GoldenAnswer> want = ReadTranscript(version, "killed.txt");
    ExpectSame(AskAgain(want, Store(version, "killed")), want);
  }
}

TEST_F(GoldenTest, EveryTableHasRowsUnderItsFrozenName) {
  for (const std::string& version : GoldenVersions()) {
    const std::string store = Store(version, "closed");
    std::vector<std::string> families;
    ASSERT_TRUE(rocksdb::DB::ListColumnFamilies({}, store + "/db", &families).ok());
    Options options;
    options.create_if_missing = false;
    const auto tables = OpenRocksTableStore(store + "/db", options);
    ASSERT_OK(tables);

    for (const TableSpec& table : kTableSpecs) {
      SCOPED_TRACE(fmt::format("{} {}", version, table.name));
      const std::string begin = fmt::format("{}{}", table.name, table.has_regions() ? "." : "");
      EXPECT_THAT(families, Contains(StartsWith(begin)));
      const std::unique_ptr<TableView> view = (*tables)->Snapshot();
      const std::unique_ptr<RowCursor> row = view->NewCursor(table.id, {});
      row->Seek({});
      EXPECT_TRUE(row->valid()) << row->status();
    }
  }
}

// Old hours, which have cells, and new ones; twice, so that written points are read and merged.
TEST_F(GoldenTest, AnUpgradedStoreTakesPointsAndKeepsItsOwn) {
  for (const std::string& version : GoldenVersions()) {
    for (const std::string name : {"closed", "killed"}) {
      SCOPED_TRACE(version + " " + name);
      const std::string store = Store(version, name);
      ExpectOk({"import", "--data", store, "-"}, "sys.integers 1356998430 77 host=h9 dc=new\n");
      ExpectOk({"import", "--data", store, "-"}, "sys.new 1700000000 1 host=h0\n");
      ExpectOk({"store", "compact", "--data", store});

      ExpectOk({"fsck", "--data", store});
      const std::string lines =
          RunProgram({"scan", "--import", "2013/01/01", "2023/12/01", "--data", store}).out;
      EXPECT_THAT(lines, HasSubstr("sys.integers 1356998430 77 host=h9 dc=new\n"));
      EXPECT_THAT(lines, HasSubstr("sys.new 1700000000 1 host=h0\n"));
      for (const GoldenAnswer& golden : ReadTranscript(version, name + ".txt")) {
        if (!golden.question.starts_with("scan --hex") && !golden.question.starts_with("query")) {
          continue;
        }
        if (golden.question.find("sum sys.integers") != std::string::npos) continue;
        EXPECT_EQ(AskAgain({golden}, store)[0].text, golden.text) << golden.question;
      }
    }
  }
}

TEST_F(GoldenTest, ABackupIsVerifiedRestoredAndContinued) {
  for (const std::string& version : GoldenVersions()) {
    SCOPED_TRACE(version);
    const std::string backups = Store(version, "backups");
    ExpectOk({"backup", "verify", backups});
    ExpectOk({"restore", backups, dir_.file("newest")});
    ExpectOk({"restore", "--id", "1", backups, dir_.file("first")});

    const std::vector<GoldenAnswer> newest = ReadTranscript(version, "closed.txt");
    ExpectSame(AskAgain(newest, dir_.file("newest")), newest);
    const std::vector<GoldenAnswer> first = ReadTranscript(version, "backup-1.txt");
    ExpectSame(AskAgain(first, dir_.file("first")), first);

    ExpectOk({"backup", backups, "--data", dir_.file("newest")});
    ExpectOk({"backup", "verify", backups});
    ExpectOk({"restore", backups, dir_.file("again")});
    ExpectSame(AskAgain(newest, dir_.file("again")), newest);
  }
}

TEST_F(GoldenTest, TheScriptMakesASetOfThisProgram) {
  const std::string set = dir_.file("set");
  const std::string command = fmt::format("'{}' '{}' '{}' >'{}' 2>&1", SourcePath("scripts/golden"),
                                          HOURCELL_BINARY, set, dir_.file("log"));
  ASSERT_EQ(std::system(command.c_str()), 0) << std::ifstream(dir_.file("log")).rdbuf();
  for (const char* const file : kFiles)
    EXPECT_TRUE(std::filesystem::exists(set + "/" + file)) << file;
}

}  // namespace
}  // namespace hourcell::golden_test
