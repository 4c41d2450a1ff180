#include "server/cluster/storage_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::storage_choice_test {
namespace {

using absl::StatusCode;
using testing::AnyOf;
using testing::HasSubstr;

TEST(StorageChoiceTest, ADirectoryUnlessSaidOtherwise) {
  Config config;
  ASSERT_OK(config.Set("tsd.storage.directory", "/data"));
  const auto choice = StorageChoiceOf(config, OtherWriter::kRefuse);
  ASSERT_OK(choice);
  EXPECT_EQ(choice->engine, nullptr);
  EXPECT_EQ(choice->name, "/data");
}

TEST(StorageChoiceTest, BigtableNeedsAProject) {
  Config config;
  ASSERT_OK(config.Set("tsd.storage.engine", "bigtable"));
  EXPECT_THAT(StorageChoiceOf(config, OtherWriter::kRefuse),
              StatusIs(StatusCode::kInvalidArgument,
                       AnyOf(HasSubstr("tsd.storage.bigtable.project: missing"),
                             HasSubstr("this program was built without Bigtable"))));
}

TEST(StorageChoiceTest, ToTakeOverTablesTheyMustBeNamed) {
  Config config;
  EXPECT_THAT(
      AdoptingChoiceOf(config),
      StatusIs(
          StatusCode::kInvalidArgument,
          HasSubstr(
              "tsd.storage.engine: expected bigtable, to share OpenTSDB's tables, got rocksdb")));
  ASSERT_OK(config.Set("tsd.storage.engine", "bigtable"));
  ASSERT_OK(config.Set("tsd.storage.bigtable.project", "p"));
  ASSERT_OK(config.Set("tsd.storage.bigtable.instance", "i"));
  EXPECT_THAT(AdoptingChoiceOf(config),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("tsd.storage.bigtable.data_table: missing")));
}

TEST(StorageChoiceTest, AnExportDoesNotWriteTheStoresOwnTables) {
  Config config;
  ASSERT_OK(config.Set("tsd.storage.bigtable.data_table", "hourcell-data"));
  EXPECT_OK(ExportedStoreOf(config));  // the store is in a directory
  ASSERT_OK(config.Set("tsd.storage.engine", "bigtable"));
  ASSERT_OK(config.Set("tsd.storage.bigtable.project", "p"));
  ASSERT_OK(config.Set("tsd.storage.bigtable.instance", "i"));
  EXPECT_THAT(ExportedStoreOf(config),
              StatusIs(StatusCode::kInvalidArgument,
                       AnyOf(HasSubstr("tsd.storage.bigtable.data_table: expected a table of "
                                       "OpenTSDB, got hourcell-data"),
                             HasSubstr("this program was built without Bigtable"))));
}

TEST(StorageChoiceTest, TablesOfAnOpenTsdbNeedAProject) {
  EXPECT_THAT(OpenTsdbTablesOf(Config()),
              StatusIs(StatusCode::kInvalidArgument,
                       AnyOf(HasSubstr("tsd.storage.bigtable.project: missing"),
                             HasSubstr("this program was built without Bigtable"))));
}

TEST(StorageChoiceTest, CredentialsThatCannotBeReadAreNamed) {
  Config config;
  ASSERT_OK(config.Set("tsd.storage.engine", "bigtable"));
  ASSERT_OK(config.Set("tsd.storage.bigtable.project", "p"));
  ASSERT_OK(config.Set("tsd.storage.bigtable.instance", "i"));
  ASSERT_OK(config.Set("tsd.storage.bigtable.credentials", "/none/key.json"));
  EXPECT_THAT(StorageChoiceOf(config, OtherWriter::kRefuse).status().message(),
              AnyOf(HasSubstr("tsd.storage.bigtable.credentials: /none/key.json: cannot be read"),
                    HasSubstr("this program was built without Bigtable")));
}

// A directory is none of its settings, so that they may stay in a file.
TEST(StorageChoiceTest, SettingsOfBigtableAloneChangeNothing) {
  Config config;
  ASSERT_OK(config.Set("tsd.storage.bigtable.project", "p"));
  const auto choice = StorageChoiceOf(config, OtherWriter::kWaitFor);
  ASSERT_OK(choice);
  EXPECT_EQ(choice->engine, nullptr);
}

TEST(OptionsOfStoreTest, HaveTheSettingsAndThePlace) {
  Config config;
  ASSERT_OK(config.Set("tsd.storage.directory", "/data"));
  ASSERT_OK(config.Set("tsd.storage.ttl", "60"));
  const absl::StatusOr<Options> options = OptionsOfStore(config);
  ASSERT_OK(options);
  EXPECT_EQ(options->path, "/data");
  EXPECT_EQ(options->ttl_s, 60);
}

TEST(OptionsOfStoreTest, ErrorsOfTheSettingsAndOfTheStorageAreReported) {
  Config settings;
  ASSERT_OK(settings.Set("tsd.core.timezone", "Nowhere"));
  EXPECT_THAT(OptionsOfStore(settings),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("tsd.core.timezone")));
  Config storage;
  ASSERT_OK(storage.Set("tsd.storage.engine", "bigtable"));
  EXPECT_THAT(OptionsOfStore(storage), StatusIs(StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace hourcell::storage_choice_test
