#include "engine/rocks/rocks_storage.h"

#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rocks_storage_test {
namespace {

TEST(RocksStorageTest, TheLockIsHeldUntilTheTablesAreClosed) {
  const TempDir directory;
  RocksStorage storage(TinyOptions(directory.path()));
  const absl::StatusOr<OpenedStorage> first = storage.Open({});
  ASSERT_OK(first);
  EXPECT_EQ(first->role, nullptr);
  EXPECT_THAT(storage.Open({}), StatusIs(absl::StatusCode::kUnavailable));

  ASSERT_OK(first->tables->Close());

  EXPECT_OK(storage.Open({}));
}

TEST(RocksStorageTest, AJournalThatWasMadeAndIsGoneIsDamage) {
  const TempDir directory;
  RocksStorage storage(TinyOptions(directory.path()));
  const absl::StatusOr<OpenedStorage> opened = storage.Open({});
  ASSERT_OK(opened);

  EXPECT_THAT(opened->journal_place->Open(/*low_mark=*/0), StatusIs(absl::StatusCode::kDataLoss));

  ASSERT_OK(opened->journal_place->Make());
  EXPECT_OK(opened->journal_place->Open(/*low_mark=*/0));
}

TEST(RocksStorageTest, TheJournalGoesOnAtTheLowMark) {
  const TempDir directory;
  RocksStorage storage(TinyOptions(directory.path()));
  const absl::StatusOr<OpenedStorage> opened = storage.Open({});
  ASSERT_OK(opened);
  ASSERT_OK(opened->journal_place->Make());

  const auto journal = opened->journal_place->Open(/*low_mark=*/7);

  ASSERT_OK(journal);
  EXPECT_EQ((*journal)->next_sequence(), 7u);
}

TEST(RocksStorageTest, AMissingStoreIsNotMadeWithoutPermission) {
  const TempDir directory;
  Options options = TinyOptions(directory.file("none"));
  options.create_if_missing = false;

  EXPECT_THAT(RocksStorage(options).Open({}), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace hourcell::rocks_storage_test
