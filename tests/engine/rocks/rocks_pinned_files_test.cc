#include "engine/rocks/rocks_pinned_files.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "engine/rocks/rocks_table_store.h"
#include "engine/table/table_store.h"
#include "tests/engine/journal/journal_testing.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rocks_pinned_files_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

Mutation Row(const std::string& key) {
  return {.table = TableId::kUid, .kind = Mutation::Kind::kSet, .key = key, .value = "value"};
}

class RocksPinnedFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = OpenRocksTableStore(dir_.file("db"), TinyOptions(dir_.path()));
    ASSERT_OK(opened);
    tables_ = *std::move(opened);
  }

  void SetRow(const std::string& key) {
    const Mutation row = Row(key);
    ASSERT_OK(tables_->Apply({&row, 1}, /*sync=*/false));
  }

  TempDir dir_;
  std::unique_ptr<TableStore> tables_;
};

TEST_F(RocksPinnedFilesTest, FilesStayWhileTheyArePinnedAndAreOfThatMoment) {
  SetRow("in a file");
  ASSERT_OK(tables_->Flush(TableId::kUid));
  SetRow("in a log");
  absl::StatusOr<std::unique_ptr<PinnedFiles>> pinned = tables_->PinFiles();
  ASSERT_OK(pinned);
  SetRow("later");
  ASSERT_OK(tables_->Flush(TableId::kUid));
  ASSERT_OK(tables_->Compact(TableId::kUid));

  std::filesystem::create_directory(dir_.file("copy"));
  std::vector<std::string> sst_files;
  for (const PinnedFile& file : (*pinned)->files()) {
    const std::string content =
        file.content.has_value() ? *file.content : ReadFile(file.path).substr(0, file.bytes);
    ASSERT_EQ(content.size(), file.bytes) << file.path;
    WriteFile(dir_.file("copy/" + file.name), content);
    if (file.name.ends_with(".sst")) sst_files.push_back(file.path);
  }
  ASSERT_FALSE(sst_files.empty());
  pinned->reset();
  ASSERT_OK(tables_->Close());
  tables_.reset();
  for (const std::string& path : sst_files)
    EXPECT_FALSE(std::filesystem::exists(path)) << path;

  auto copy = OpenRocksTableStore(dir_.file("copy"), TinyOptions(dir_.path()));
  ASSERT_OK(copy);
  const auto view = (*copy)->Snapshot();
  EXPECT_THAT(view->Get(TableId::kUid, "in a file"), IsOkAndHolds(testing::Ne(std::nullopt)));
  EXPECT_THAT(view->Get(TableId::kUid, "in a log"), IsOkAndHolds(testing::Ne(std::nullopt)));
  EXPECT_THAT(view->Get(TableId::kUid, "later"), IsOkAndHolds(testing::Eq(std::nullopt)));
}

TEST_F(RocksPinnedFilesTest, DamageInASstFileIsFound) {
  for (int i = 0; i < 1000; ++i)
    SetRow(std::to_string(i));
  ASSERT_OK(tables_->Flush(TableId::kUid));
  const auto pinned = tables_->PinFiles();
  ASSERT_OK(pinned);
  size_t files = 0;
  for (const PinnedFile& file : (*pinned)->files()) {
    if (!file.name.ends_with(".sst")) continue;
    ++files;
    const std::string copy = dir_.file("copy.sst");
    WriteFile(copy, ReadFile(file.path));
    EXPECT_OK(CheckSstFile(rocksdb::Env::Default(), copy));
    Damage(copy, 100);
    EXPECT_THAT(CheckSstFile(rocksdb::Env::Default(), copy),
                StatusIs(StatusCode::kDataLoss, HasSubstr("copy.sst")));
  }
  EXPECT_GE(files, 1u);
}

}  // namespace
}  // namespace hourcell::rocks_pinned_files_test
