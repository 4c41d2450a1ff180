// A region that lags with merging its files, next to others that do not.

#include "engine/rocks/regions/rocks_region.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/rocks/rocks_table_store.h"
#include "tests/support/builders.h"
#include "tests/support/paused_lsm_compactions.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rocks_region_test {
namespace {

constexpr TableId kTable = TableId::kData;

class RegionLaggingTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = OpenRocksTableStore(directory_.file("db"), TinyOptions(directory_.path()));
    ASSERT_OK(opened);
    store_ = *std::move(opened);
    ASSERT_OK(store_->regions()->Presplit(kTable, {.keys = {"m"}}));
  }

  static Mutation Row(const std::string& key) {
    return {kTable, Mutation::Kind::kSet, key, "value"};
  }
  absl::Status Write(const std::vector<Mutation>& group) { return store_->ApplyUnlogged(group); }

  // A file of level 0 for each.
  void PileUpFiles(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      ASSERT_OK(Write({Row(fmt::format("a{}", i % 3))}));
      ASSERT_OK(store_->Flush(kTable));
    }
  }

  // Looked at every few milliseconds.
  bool IsAfterSoon(const std::string& key, bool wanted) {
    for (int i = 0; i < 2000 && store_->IsLagging(kTable, key) != wanted; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return store_->IsLagging(kTable, key);
  }

  TempDir directory_;
  std::unique_ptr<TableStore> store_;
};

TEST_F(RegionLaggingTest, ItsWritesWaitAndThoseOfOthersDoNot) {
  if (!PausedLsmCompactions::kWorks) GTEST_SKIP() << "not under ThreadSanitizer";
  std::optional<PausedLsmCompactions> paused(std::in_place);
  ASSERT_NO_FATAL_FAILURE(PileUpFiles(RegionBacklog::kYoungFilesMax));
  ASSERT_TRUE(IsAfterSoon("a", true));
  EXPECT_FALSE(store_->IsLagging(kTable, "z"));
  EXPECT_OK(Write({Row("z1"), Row("z2")}));

  const std::vector<Mutation> after = {Row("a7")};
  EXPECT_THAT(store_->ApplyAtOnce(after, /*sync=*/false), StatusIs(absl::StatusCode::kAborted));

  std::atomic<int> done = 0;
  std::jthread alone([&] {
    EXPECT_OK(Write({Row("a9")}));
    ++done;
  });
  std::jthread with_another([&] {
    EXPECT_OK(Write({Row("a8"), Row("z")}));
    ++done;
  });
  for (int i = 0; i < 20; ++i) {
    EXPECT_OK(Write({Row(fmt::format("z{}", i))}));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(done, 0);
  EXPECT_THAT(store_->Snapshot()->Get(kTable, "z"), IsOkAndHolds(std::nullopt)) << "a part of it";
  paused.reset();
  alone.join();
  with_another.join();
  EXPECT_EQ(done, 2);
  EXPECT_FALSE(IsAfterSoon("a", false));
  const auto uses = store_->RegionUses(kTable);
  ASSERT_OK(uses);
  EXPECT_GE(uses->at(0).rows_blocked, 2u);
  EXPECT_EQ(uses->at(0).rows_written, RegionBacklog::kYoungFilesMax + 2);
  EXPECT_EQ(uses->at(1).rows_blocked, 0u);
  EXPECT_EQ(uses->at(1).rows_written, 2u + 20 + 1);
}

TEST_F(RegionLaggingTest, ADaughterLagsIfItHasTheFiles) {
  if (!PausedLsmCompactions::kWorks) GTEST_SKIP() << "not under ThreadSanitizer";
  PausedLsmCompactions paused;
  ASSERT_NO_FATAL_FAILURE(PileUpFiles(RegionBacklog::kYoungFilesMax));
  ASSERT_TRUE(IsAfterSoon("a", true));
  ASSERT_OK(store_->regions()->Split(kTable, {.keys = {"b"}}));
  EXPECT_TRUE(IsAfterSoon("a", true)) << "it has all of the files";
  EXPECT_FALSE(store_->IsLagging(kTable, "b"));
}

}  // namespace
}  // namespace hourcell::rocks_region_test
