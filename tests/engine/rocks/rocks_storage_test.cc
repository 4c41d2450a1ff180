#include "engine/rocks/rocks_storage.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "engine/fsck.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
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

// The bytes of each file below a directory, and "/" for each directory.
std::map<std::string, std::string> FilesOf(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    std::ifstream file(entry.path(), std::ios::binary);
    files[entry.path().string()] =
        entry.is_directory()
            ? "/"
            : std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  return files;
}

class RocksReaderTest : public testing::Test {
 protected:
  static constexpr int kPoints = 500;

  // A copy as after kill -9 of a store with points in files and points in the journal.
  void SetUp() override {
    Options options = TinyOptions(directory_.path());
    options.seal_in_background = false;
    auto opened = Tsdb::Open(options);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
    for (int i = 0; i < kPoints; ++i) {
      if (i == kPoints / 2) {
        ASSERT_OK(tsdb_->maintenance().Flush());
      }
      const std::string host = fmt::format("h{}", i % 50 + (i < kPoints / 2 ? 0 : 1));
      const TagView tag{"host", host};
      ASSERT_OK(tsdb_->points().Put({.metric = "m",
                                     .tags = {&tag, 1},
                                     .timestamp = {.ms = (1'356'998'400 + i) * int64_t{1000}},
                                     .value = Value::Integer(i)}));
    }
    copy_ = CopyStore(directory_.path(), copies_);
    options_ = TinyOptions(copy_);
    options_.follow = true;
    options_.check_layout = false;
  }

  static int PointsOf(Tsdb* tsdb) {
    int points = 0;
    EXPECT_OK(tsdb->queries().Scan({}, [&](const ScannedRow& row) {
      points += static_cast<int>(row.times.size());
      return true;
    }));
    return points;
  }

  TempDir directory_;
  TempDir copies_;
  std::string copy_;
  Options options_;
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(RocksReaderTest, ReadsPointsOfFilesAndOfTheJournalAndChangesNoFile) {
  const std::map<std::string, std::string> before = FilesOf(copy_);
  const auto reader = Tsdb::Open(options_);
  ASSERT_OK(reader);

  EXPECT_EQ(PointsOf(reader->get()), kPoints);
  const QuerySpec count =
      MakeQuery(Aggregator::kCount, "m", {}, 1'356'998'400, 1'356'998'400 + kPoints);
  const auto answer = (*reader)->queries().Query(count);
  ASSERT_OK(answer);
  EXPECT_EQ(answer->series[0].points.size(), size_t{kPoints});
  EXPECT_OK((*reader)->names().FindUid(UidKind::kTagv, "h50"));

  const TagView tag{"host", "h1"};
  EXPECT_THAT((*reader)->points().Put(
                  {.metric = "m", .tags = {&tag, 1}, .timestamp = {.ms = 1000}, .value = {}}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_OK((*reader)->Close());
  EXPECT_EQ(FilesOf(copy_), before);
}

TEST_F(RocksReaderTest, AStoreWithoutItsLockFileIsRead) {
  std::filesystem::remove(copy_ + "/LOCK");
  const auto reader = Tsdb::Open(options_);
  ASSERT_OK(reader);

  EXPECT_EQ(PointsOf(reader->get()), kPoints);
  EXPECT_FALSE(std::filesystem::exists(copy_ + "/LOCK"));
}

TEST_F(RocksReaderTest, ReadersExcludeAWriterAndShareTheStore) {
  Options of_writer = options_;
  of_writer.follow = false;
  {
    const auto writer = Tsdb::Open(of_writer);
    ASSERT_OK(writer);
    EXPECT_THAT(Tsdb::Open(options_), StatusIs(absl::StatusCode::kUnavailable));
  }
  const auto reader = Tsdb::Open(options_);
  ASSERT_OK(reader);
  EXPECT_OK(Tsdb::Open(options_));
  EXPECT_THAT(Tsdb::Open(of_writer), StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(RocksReaderTest, AMissingStoreIsNotMade) {
  options_.path = copies_.file("none");

  EXPECT_THAT(Tsdb::Open(options_), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_FALSE(std::filesystem::exists(options_.path));
}

// A power loss can tear the end. An open to write takes it out.
TEST_F(RocksReaderTest, ATornJournalIsRefusedAndNotRepaired) {
  std::filesystem::path last;
  for (const auto& entry : std::filesystem::directory_iterator(copy_ + "/journal"))
    if (entry.path().extension() == ".log" && entry.path() > last) last = entry.path();
  std::ofstream(last, std::ios::binary | std::ios::app) << "torn";
  const std::map<std::string, std::string> before = FilesOf(copy_);

  EXPECT_THAT(Tsdb::Open(options_), StatusIs(absl::StatusCode::kDataLoss,
                                             testing::HasSubstr("is not repaired: open it once")));
  EXPECT_EQ(FilesOf(copy_), before);
}

TEST_F(RocksReaderTest, AJournalThatIsGoneIsDamage) {
  std::filesystem::remove_all(copy_ + "/journal");

  EXPECT_THAT(Tsdb::Open(options_), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(RocksReaderTest, FsckChecksAStoreWithoutAChange) {
  const std::map<std::string, std::string> before = FilesOf(copy_);

  const auto report = RunFsck(options_, {});

  ASSERT_OK(report);
  EXPECT_EQ(report->faults(), 0U);
  EXPECT_EQ(FilesOf(copy_), before);
}

}  // namespace
}  // namespace hourcell::rocks_storage_test
