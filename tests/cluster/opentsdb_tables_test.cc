// `hourcell opentsdb export` and `adopt` on tables of Bigtable.

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cluster/engine_program.h"
#include "tests/http/server_process.h"

namespace hourcell::cluster_opentsdb_tables_test {
namespace {

using testing::HasSubstr;

class ClusterOpenTsdbTablesTest : public EngineProgramTest {
 protected:
  // A command on a store in tables of this prefix, whose data table is of the other name if it has
  // one.
  static ProgramResult Run(std::vector<std::string> words,
                           const std::string& prefix,
                           const std::string& data_table = {},
                           const std::string& uid_table = {},
                           const std::string& input = {}) {
    const auto set = [&](const std::string& setting) {
      words.insert(words.end(), {"--set", "tsd.storage." + setting});
    };
    set("engine=bigtable");
    set("bigtable.project=p");
    set("bigtable.instance=i");
    set("bigtable.lease=200");
    set("bigtable.tables=" + prefix);
    if (!data_table.empty()) set("bigtable.data_table=" + data_table);
    if (!uid_table.empty()) set("bigtable.uid_table=" + uid_table);
    return RunProgram(words, input);
  }

  // A store whose tables have this prefix.
  static void Fill(const std::string& prefix) {
    std::string lines;
    for (int i = 0; i < 3000; ++i)
      lines += fmt::format("m{} {} {} host=h{}\n", i % 3, 1356998400 + i * 7, i * 0.5, i % 40);
    EXPECT_EQ(Run({"import", "-"}, prefix, {}, {}, lines).exit_code, 0);
  }
};

INSTANTIATE_TEST_SUITE_P(OnEach,
                         ClusterOpenTsdbTablesTest,
                         testing::Values(BigtableService::kFake, BigtableService::kGooglesEmulator),
                         NameOfService);

TEST_P(ClusterOpenTsdbTablesTest, TablesOfItsOwnAreExportedAndAdopted) {
  Fill("own");
  const ProgramResult all = Run({"export"}, "own");
  EXPECT_EQ(all.exit_code, 0) << all.err;

  const ProgramResult exported = Run({"opentsdb", "export"}, "own", "tsdb", "tsdb-uid");
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_THAT(exported.out, HasSubstr("exported 3000 points"));
  const ProgramResult adopted = Run({"opentsdb", "adopt"}, "other", "tsdb", "tsdb-uid");
  EXPECT_EQ(adopted.exit_code, 0) << adopted.err;
  EXPECT_THAT(adopted.out, HasSubstr("the store has as many points"));

  EXPECT_EQ(Run({"export"}, "other", "tsdb").out, all.out);
  // In place: its points are in these rows.
  const ProgramResult again = Run({"opentsdb", "export"}, "other", "tsdb", "tsdb-uid");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("; 0 rows and annotations were written"));
}

TEST_P(ClusterOpenTsdbTablesTest, NoStoreIsMadeBesideTablesThatCannotBeRead) {
  Fill("own");
  EXPECT_EQ(Run({"opentsdb", "export"}, "own", "tsdb", "tsdb-uid").exit_code, 0);
  EXPECT_NE(Run({"opentsdb", "adopt"}, "other", "tsdb", "none-uid").exit_code, 0);

  const ProgramResult exported = Run({"opentsdb", "export"}, "other", "copy", "copy-uid");
  EXPECT_NE(exported.exit_code, 0);
  EXPECT_THAT(exported.err, HasSubstr("no store in the tables other-*"));
}

// A store that shares a table is exported to others as well.
TEST_P(ClusterOpenTsdbTablesTest, ASharedTableIsExportedToAnother) {
  Fill("own");
  EXPECT_EQ(Run({"opentsdb", "export"}, "own", "tsdb", "tsdb-uid").exit_code, 0);
  EXPECT_EQ(Run({"opentsdb", "adopt"}, "other", "tsdb", "tsdb-uid").exit_code, 0);

  const ProgramResult exported = Run({"opentsdb", "export"}, "other", "copy", "copy-uid");
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_THAT(exported.out, HasSubstr("exported 3000 points"));
  EXPECT_EQ(Run({"opentsdb", "adopt"}, "third", "copy", "copy-uid").exit_code, 0);
  EXPECT_EQ(Run({"export"}, "third", "copy").out, Run({"export"}, "own").out);
}

TEST_P(ClusterOpenTsdbTablesTest, AnExportIntoTheStoresOwnTablesIsRefused) {
  Fill("own");
  const ProgramResult data = Run({"opentsdb", "export"}, "own", "own-data", "tsdb-uid");
  EXPECT_NE(data.exit_code, 0);
  EXPECT_THAT(data.err, HasSubstr("own-data"));
  const ProgramResult names = Run({"opentsdb", "export"}, "own", "tsdb", "own-uid");
  EXPECT_NE(names.exit_code, 0);
  EXPECT_THAT(names.err, HasSubstr("own-uid"));
}

}  // namespace
}  // namespace hourcell::cluster_opentsdb_tables_test
