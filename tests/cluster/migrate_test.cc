// `hourcell migrate` between a directory and tables of Bigtable.

#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cluster/engine_program.h"
#include "tests/http/server_process.h"

namespace hourcell::cluster_migrate_test {
namespace {

using testing::HasSubstr;

class ClusterMigrateTest : public EngineProgramTest {
 protected:
  // A command on the store in a directory, or on that in the tables.
  ProgramResult Run(std::vector<std::string> words,
                    const std::string& directory,
                    const std::string& environment = {},
                    const std::string& input = {}) const {
    if (!directory.empty()) {
      words.insert(words.end(), {"--data", directory});
    } else {
      AddTables(&words);
      words.insert(words.end(), {"--set", "tsd.storage.engine=bigtable"});
    }
    return RunProgram(words, input, environment);
  }

  // `arguments` are "--to-engine", an engine and a directory.
  static ProgramResult Migrate(const std::string& engine,
                               const std::string& directory,
                               const std::string& environment = {}) {
    std::vector<std::string> words = {"migrate", directory, "--to-engine", engine};
    AddTables(&words);
    return RunProgram(words, {}, environment);
  }

  // Points of three metrics, a TTL and their export.
  void Fill(const std::string& directory) const {
    std::string lines;
    for (int i = 0; i < 3000; ++i) {
      lines += fmt::format("m{} {} {} host=h{}\n", i % 3, 1356998400 + i * 7, i * 0.5, i % 40);
    }
    EXPECT_EQ(Run({"import", "-"}, directory, {}, lines).exit_code, 0);
  }
  std::string Export(const std::string& directory) const {
    const ProgramResult all = Run({"export"}, directory);
    EXPECT_EQ(all.exit_code, 0) << all.err;
    return all.out;
  }

 private:
  static void AddTables(std::vector<std::string>* words) {
    for (const std::string setting :
         {"bigtable.project=p", "bigtable.instance=i", "bigtable.lease=200"}) {
      words->insert(words->end(), {"--set", "tsd.storage." + setting});
    }
  }
};

INSTANTIATE_TEST_SUITE_P(OnEach,
                         ClusterMigrateTest,
                         testing::Values(BigtableService::kFake, BigtableService::kGooglesEmulator),
                         NameOfService);

TEST_P(ClusterMigrateTest, AStoreGoesThereAndBack) {
  const std::string from = directory_.file("from");
  const std::string back = directory_.file("back");
  Fill(from);
  const std::string exported = Export(from);

  const ProgramResult there = Migrate("bigtable", from);
  EXPECT_EQ(there.exit_code, 0) << there.err;
  EXPECT_THAT(there.out, HasSubstr("migrated 3000 points"));
  EXPECT_THAT(there.out, HasSubstr("both stores have the same points"));
  EXPECT_FALSE(std::filesystem::exists(from + ".migration"));
  EXPECT_EQ(Export(""), exported);
  EXPECT_EQ(Export(from), exported);

  const ProgramResult here = Migrate("rocksdb", back);
  EXPECT_EQ(here.exit_code, 0) << here.err;
  EXPECT_FALSE(std::filesystem::exists(back + "/migration"));
  EXPECT_EQ(Export(back), exported);
}

TEST_P(ClusterMigrateTest, AMigrationThatWasKilledGoesOn) {
  const std::string from = directory_.file("from");
  Fill(from);

  EXPECT_EQ(Migrate("bigtable", from, "HOURCELL_KILL_AT=migrate:batch#2").exit_code, -SIGKILL);
  EXPECT_TRUE(std::filesystem::exists(from + ".migration"));
  const ProgramResult again = Migrate("bigtable", from + "/");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("migrated 2000 points"));
  EXPECT_THAT(again.out,
              HasSubstr("1 metrics had been migrated before; both stores have the same"));
  EXPECT_EQ(Export(""), Export(from));
}

TEST_P(ClusterMigrateTest, TablesThatHaveMetricsAreLeftAlone) {
  const std::string from = directory_.file("from");
  Fill(from);
  EXPECT_EQ(Run({"mkmetric", "mine"}, "").exit_code, 0);

  const ProgramResult refused = Migrate("bigtable", from);

  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("p/i/hourcell: has metrics"));
}

}  // namespace
}  // namespace hourcell::cluster_migrate_test
