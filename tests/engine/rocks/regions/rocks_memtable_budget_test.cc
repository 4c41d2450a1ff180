#include "engine/rocks/regions/rocks_memtable_budget.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/rocks/rocks_table_store.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rocks_memtable_budget_test {
namespace {

using testing::_;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;

constexpr TableId kTable = TableId::kData;

// Regions a to f, of a letter each.
class RocksMemtableBudgetTest : public testing::Test {
 protected:
  void Open(const Options& options) {
    auto opened = OpenRocksTableStore(directory_.file("db"), options);
    ASSERT_OK(opened);
    store_ = *std::move(opened);
    ASSERT_OK(store_->regions()->Presplit(kTable, {.keys = {"b", "c", "d", "e", "f"}}));
  }

  // Rows of a kilobyte.
  void Write(char region, int rows) {
    for (int i = 0; i < rows; ++i) {
      const Mutation row{kTable, Mutation::Kind::kSet, fmt::format("{}{:03}", region, i),
                         std::string(1000, 'v')};
      ASSERT_OK(store_->ApplyUnlogged({&row, 1}));
    }
  }

  std::vector<size_t> Files() {
    std::vector<size_t> files;
    const absl::StatusOr<std::vector<RegionUse>> uses = store_->RegionUses(kTable);
    EXPECT_OK(uses);
    if (!uses.ok()) return files;
    for (const RegionUse& use : *uses)
      files.push_back(use.files);
    return files;
  }

  // Once that region has one: a flush is only begun by a write. A busy disk may take long to sync
  // it.
  std::vector<size_t> FilesOnceFlushed(char region) {
    const auto index = static_cast<size_t>(region - 'a');
    for (int i = 0; i < 24'000 && Files().at(index) == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return Files();
  }

  TempDir directory_;
  std::unique_ptr<TableStore> store_;
};

TEST_F(RocksMemtableBudgetTest, TheLargestIsFlushedNotTheOldest) {
  ASSERT_NO_FATAL_FAILURE(Open(TinyOptions(directory_.path())));  // 64 KiB each, 256 KiB all
  ASSERT_NO_FATAL_FAILURE(Write('a', 1));
  ASSERT_NO_FATAL_FAILURE(Write('b', 30));
  ASSERT_NO_FATAL_FAILURE(Write('c', 48));
  ASSERT_NO_FATAL_FAILURE(Write('d', 40));
  ASSERT_NO_FATAL_FAILURE(Write('e', 40));
  EXPECT_THAT(Files(), Each(0)) << "they have not reached the budget yet";

  ASSERT_NO_FATAL_FAILURE(Write('f', 40));

  // The next largest may go too, if writes are quicker than the flush. The oldest stay.
  EXPECT_THAT(FilesOnceFlushed('c'), ElementsAre(0, 0, 1, _, _, _));
}

TEST_F(RocksMemtableBudgetTest, ARegionIsFlushedAtItsFlushSize) {
  Options options = TinyOptions(directory_.path());
  options.write_buffer_bytes = 8 << 20;
  options.regions.split.flush_bytes = 64 << 10;
  ASSERT_NO_FATAL_FAILURE(Open(options));
  ASSERT_NO_FATAL_FAILURE(Write('a', 1));

  ASSERT_NO_FATAL_FAILURE(Write('b', 100));

  EXPECT_THAT(FilesOnceFlushed('b'), ElementsAre(0, Ge(1), 0, 0, 0, 0));
}

}  // namespace
}  // namespace hourcell::rocks_memtable_budget_test
