#include "engine/regions/live/initial_regions.h"

#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/rocks/rocks_table_store.h"
#include "engine/table/region_store.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::initial_regions_test {
namespace {

constexpr uint64_t kNowMs = 1'700'000'000'000;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<std::string> StartsOf(RegionStore* tables) {
  std::vector<std::string> starts;
  for (const RegionInfo& region : tables->Regions(TableId::kData))
    starts.push_back(region.range.start);
  return starts;
}

TEST(PresplitNewTest, CutsATableThatIsEmpty) {
  MemTableStore tables;
  ASSERT_OK(PresplitIfNew("", Layout(), kNowMs, "memory", &tables));
  EXPECT_THAT(StartsOf(&tables), SizeIs(1));

  ASSERT_OK(PresplitIfNew("keys:b,a", Layout(), kNowMs, "memory", &tables));
  EXPECT_THAT(StartsOf(&tables), ElementsAre("", "a", "b"));
  ASSERT_OK(PresplitIfNew("keys:c", Layout(), kNowMs, "memory", &tables));
  EXPECT_THAT(StartsOf(&tables), ElementsAre("", "a", "b"));
}

TEST(PresplitNewTest, LeavesATableWithRowsAsItIs) {
  MemTableStore tables;
  const Mutation row{TableId::kData, Mutation::Kind::kSet, "k", "v"};
  ASSERT_OK(tables.Apply({&row, 1}, false));

  ASSERT_OK(PresplitIfNew("hex:4", Layout(), kNowMs, "memory", &tables));

  EXPECT_THAT(StartsOf(&tables), SizeIs(1));
}

TEST(PresplitNewTest, ReadsKeysFromAFile) {
  const TempDir directory;
  const std::string path = directory.file("splits");
  std::ofstream(path) << "0002|\n0001|\n";
  MemTableStore tables;

  ASSERT_OK(PresplitIfNew("file:" + path, Layout(), kNowMs, "memory", &tables));

  EXPECT_THAT(StartsOf(&tables), ElementsAre("", "0001|", "0002|"));
}

TEST(PresplitNewTest, SaysWhatIsWrong) {
  MemTableStore tables;
  for (const char* const wrong : {"hex:0", "salt", "sausage", "file:/nowhere/splits"}) {
    EXPECT_THAT(PresplitIfNew(wrong, Layout(), kNowMs, "memory", &tables),
                StatusIs(absl::StatusCode::kInvalidArgument))
        << wrong;
  }
  EXPECT_THAT(PresplitIfNew("file:/nowhere/splits", Layout(), kNowMs, "memory", &tables),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("/nowhere/splits")));
}

// Divides no table.
class UndividedTables : public MemTableStore {
 public:
  RegionStore* regions() override { return nullptr; }
};

TEST(PresplitNewTest, AStoreWithoutRegionsRefusesKeys) {
  UndividedTables tables;
  EXPECT_OK(PresplitIfNew("", Layout(), kNowMs, "own", &tables));
  EXPECT_THAT(
      PresplitIfNew("keys:b", Layout(), kNowMs, "own", &tables),
      StatusIs(absl::StatusCode::kUnimplemented, "own: the service divides tables by itself"));
}

// The regions stay, and so do their points, over restarts with and without the setting.
TEST(PresplitNewTest, AStoreKeepsItsRegions) {
  const TempDir directory;
  Options options = TinyOptions(directory.file("store"));
  options.layout.salt_width = 1;
  options.layout.salt_buckets = 4;
  options.presplit = "salt";
  const QuerySpec all = MakeQuery(Aggregator::kNone, "m", {}, 1356998400, 1356998400 + 10 * 3600);
  for (int round = 0; round < 3; ++round) {
    const auto tsdb = Tsdb::Open(options);
    ASSERT_OK(tsdb);
    for (int i = 0; i < 40; ++i) {
      OwnedPoint point("m", fmt::format("host=h{}", i), 1356998400 + round * 3600, i);
      ASSERT_OK((*tsdb)->points().Put(point.view()));
    }
    ASSERT_OK((*tsdb)->maintenance().Seal());
    const auto result = (*tsdb)->queries().Query(all);
    ASSERT_OK(result);
    ASSERT_THAT(result->series, SizeIs(40));
    for (const ResultSeries& series : result->series)
      EXPECT_THAT(series.points, SizeIs(round + 1));
    ASSERT_OK((*tsdb)->Close());
    if (round == 1) options.presplit.clear();
  }
  const auto tables = OpenRocksTableStore(options.path + "/db", options);
  ASSERT_OK(tables);
  EXPECT_THAT(StartsOf((*tables)->regions()), ElementsAre("", "\x01", "\x02", "\x03"));
}

}  // namespace
}  // namespace hourcell::initial_regions_test
