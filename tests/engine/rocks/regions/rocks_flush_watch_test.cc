#include "engine/rocks/regions/rocks_flush_watch.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/rocks/rocks_table_store.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rocks_flush_watch_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class FlushObserver : public StoreObserver {
 public:
  void AfterFlush(const FlushedRegion& region) override {
    MutexLock lock(&mutex);
    texts.push_back(fmt::format("{} {}: {} rows, {} bytes", region.table, region.region,
                                region.rows, region.bytes));
    told.NotifyAll();
  }
  // A flush may return before RocksDB's thread has reported it. False after a minute.
  bool WaitForOneOf(std::string_view table) {
    const auto is_of = [&](const std::string& text) { return text.starts_with(table); };
    MutexLock lock(&mutex);
    while (std::ranges::none_of(texts, is_of))
      if (!told.WaitFor(&mutex, 60'000)) return false;
    return true;
  }
  Mutex mutex;
  CondVar told;
  std::vector<std::string> texts;
};

class RocksFlushWatchTest : public testing::Test {
 protected:
  void Open() {
    store_.reset();
    Options options = TinyOptions(directory_.path());
    options.observers = {&observer_};
    store_ = *OpenRocksTableStore(directory_.file("db"), options);
  }
  void Set(TableId table, const std::string& key) {
    const Mutation row{table, Mutation::Kind::kSet, key, "value"};
    ASSERT_OK(store_->ApplyUnlogged({&row, 1}));
  }
  // The reports, once RocksDB's threads are done.
  std::vector<std::string> Close() {
    EXPECT_OK(store_->Close());
    store_.reset();
    MutexLock lock(&observer_.mutex);
    return std::exchange(observer_.texts, {});
  }

  TempDir directory_;
  FlushObserver observer_;
  std::unique_ptr<TableStore> store_;
};

constexpr size_t kRowBytes = 1 + 8 + 5;  // key, RocksDB's sequence number and kind, value

TEST_F(RocksFlushWatchTest, TellsTheTableAndWhatTheFileHas) {
  Open();
  Set(TableId::kUid, "a");
  Set(TableId::kData, "b");
  Set(TableId::kData, "c");
  ASSERT_OK(store_->Flush(TableId::kData));
  ASSERT_OK(store_->Flush(TableId::kUid));
  ASSERT_OK(store_->Flush(TableId::kSeries));  // empty

  EXPECT_THAT(Close(),
              testing::UnorderedElementsAre(fmt::format("data 1: 2 rows, {} bytes", 2 * kRowBytes),
                                            fmt::format("uid 1: 1 rows, {} bytes", kRowBytes)));
}

TEST_F(RocksFlushWatchTest, TellsTheRegionAlsoOfAFamilyThatChangedHands) {
  Open();
  ASSERT_OK(store_->regions()->Split(TableId::kData, {.keys = {"m"}}));
  const uint64_t upper = store_->regions()->Regions(TableId::kData)[1].id.value;
  Set(TableId::kData, "x");
  ASSERT_OK(store_->Flush(TableId::kData));
  ASSERT_TRUE(observer_.WaitForOneOf("data "));
  // One of the two has rows, so that its family continues as that of the merged region.
  const std::vector<RegionInfo> regions = store_->regions()->Regions(TableId::kData);
  ASSERT_OK(store_->regions()->MergeRegions(TableId::kData,
                                            std::vector<RegionId>{regions[0].id, regions[1].id}));
  const RegionInfo merged = store_->regions()->Regions(TableId::kData)[0];
  ASSERT_EQ(merged.column_family, fmt::format("data.{}", upper));
  Set(TableId::kData, "y");
  ASSERT_OK(store_->Flush(TableId::kData));

  const std::vector<std::string> told = Close();
  EXPECT_THAT(told, Contains(fmt::format("data {}: 1 rows, {} bytes", upper, kRowBytes)));
  EXPECT_THAT(told, Contains(fmt::format("data {}: 1 rows, {} bytes", merged.id.value, kRowBytes)));
}

TEST_F(RocksFlushWatchTest, WhatASplitFlushesIsTheParents) {
  Open();
  Set(TableId::kData, "a");
  ASSERT_OK(store_->regions()->Split(TableId::kData, {.keys = {"m"}}));

  EXPECT_THAT(Close(), Contains(fmt::format("data 1: 1 rows, {} bytes", kRowBytes)));
}

}  // namespace
}  // namespace hourcell::rocks_flush_watch_test
