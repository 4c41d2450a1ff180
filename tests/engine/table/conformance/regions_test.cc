// The promises of regions, and of counts of bytes.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/engine/table/conformance/conformance.h"
#include "tests/support/region_trim.h"

namespace hourcell {
namespace {

using testing::ElementsAre;
using testing::Optional;

std::vector<std::string> StartsOf(const std::vector<RegionInfo>& regions) {
  std::vector<std::string> starts;
  for (const RegionInfo& region : regions)
    starts.push_back(region.range.start);
  return starts;
}

TEST_P(TableStoreTest, ATableIsOneRegionUntilItIsCut) {
  for (const TableId table : kTableIds) {
    const absl::StatusOr<std::vector<RegionUse>> uses = store_->RegionUses(table);
    ASSERT_OK(uses);
    ASSERT_EQ(uses->size(), 1u);
    const RegionInfo& region = uses->front().region;
    EXPECT_EQ(region.range, RegionRange());
    EXPECT_EQ(region.table, TableName(table));
    EXPECT_EQ(region.state, RegionState::kOpen);
  }
}

TEST_P(TableStoreTest, RegionsAreListedWithTheirUse) {
  HOURCELL_WANT_REGIONS();
  ASSERT_OK(store_->regions()->Presplit(TableId::kData, {.keys = {"b", "d"}}));
  const absl::StatusOr<std::vector<RegionUse>> uses = store_->RegionUses(TableId::kData);
  ASSERT_OK(uses);
  std::vector<RegionInfo> regions;
  for (const RegionUse& use : *uses)
    regions.push_back(use.region);
  EXPECT_EQ(StartsOf(regions), StartsOf(store_->regions()->Regions(TableId::kData)));
}

TEST_P(TableStoreTest, OnlySomeTablesAreSplit) {
  HOURCELL_WANT_REGIONS();
  for (const TableId table : {TableId::kSystem, TableId::kUid, TableId::kSeries}) {
    EXPECT_THAT(store_->regions()->Split(table, {.keys = {"b"}}),
                StatusIs(absl::StatusCode::kFailedPrecondition));
  }
  EXPECT_THAT(store_->regions()->Split(TableId::kData, {.keys = {}}),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_P(TableStoreTest, NeighboursAreMerged) {
  HOURCELL_WANT_REGIONS();
  ASSERT_OK(store_->regions()->Presplit(TableId::kData, {.keys = {"b", "d", "f"}}));
  for (const char* const key : {"a", "b", "e", "g"})
    ASSERT_OK(Set(TableId::kData, key, key));
  const std::vector<RegionInfo> regions = store_->regions()->Regions(TableId::kData);
  const RegionId one[] = {regions[0].id};
  const RegionId apart[] = {regions[0].id, regions[2].id};
  const RegionId unknown[] = {regions[0].id, RegionId{.value = 999}};
  EXPECT_THAT(store_->regions()->MergeRegions(TableId::kData, one),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(store_->regions()->MergeRegions(TableId::kData, apart),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(store_->regions()->MergeRegions(TableId::kData, unknown),
              StatusIs(absl::StatusCode::kNotFound));

  const RegionId neighbours[] = {regions[2].id, regions[1].id};
  ASSERT_OK(store_->regions()->MergeRegions(TableId::kData, neighbours));

  EXPECT_THAT(StartsOf(store_->regions()->Regions(TableId::kData)), ElementsAre("", "b", "f"));
  EXPECT_EQ(Scan(TableId::kData, {}).size(), 4u);
}

TEST_P(TableStoreTest, OnlyAnEmptyTableIsPresplit) {
  HOURCELL_WANT_REGIONS();
  const std::vector<std::string> keys = {"b", "c"};
  EXPECT_THAT(store_->regions()->Presplit(TableId::kSystem, {.keys = keys}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  const std::vector<std::string> none_or_not_ascending[] = {{""}, {"b", "b"}, {"c", "b"}};
  for (const auto& wrong : none_or_not_ascending) {
    EXPECT_THAT(store_->regions()->Presplit(TableId::kData, {.keys = wrong}),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
  ASSERT_OK(Set(TableId::kData, "a", "1"));
  EXPECT_THAT(store_->regions()->Presplit(TableId::kData, {.keys = keys}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  ASSERT_OK(Delete(TableId::kData, "a"));

  ASSERT_OK(store_->regions()->Presplit(TableId::kData, {.keys = keys}));

  EXPECT_THAT(StartsOf(store_->regions()->Regions(TableId::kData)), ElementsAre("", "b", "c"));
  EXPECT_THAT(store_->regions()->Presplit(TableId::kData, {.keys = keys}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  ASSERT_OK(store_->Close());
  Reopen();
  if (Promises(TableCapability::kDurable)) {
    EXPECT_THAT(StartsOf(store_->regions()->Regions(TableId::kData)), ElementsAre("", "b", "c"));
  }
}

TEST_P(TableStoreTest, RegionsReadAsOneTable) {
  HOURCELL_WANT_REGIONS();
  ASSERT_OK(store_->regions()->Presplit(TableId::kData, {.keys = {"b", "d", "f"}}));
  for (const char* const key : {"a", "b", "bb", "c", "e", "ee", "g"})
    ASSERT_OK(Set(TableId::kData, key, key));
  ASSERT_OK(store_->Flush(TableId::kData));
  ASSERT_OK(Set(TableId::kData, "h", "h"));

  const std::unique_ptr<TableView> view = store_->Snapshot();
  std::vector<std::optional<std::string>> values;
  const std::string keys[] = {"h", "b", "d", "ee", "a"};
  ASSERT_OK(view->GetMany(TableId::kData, keys, &values));
  EXPECT_THAT(values,
              ElementsAre(Optional(std::string("h")), Optional(std::string("b")), std::nullopt,
                          Optional(std::string("ee")), Optional(std::string("a"))));
  std::vector<std::string> scanned;
  for (const auto& [key, value] : Scan(TableId::kData, {.begin = "b", .end = "g"}))
    scanned.push_back(key);
  EXPECT_THAT(scanned, ElementsAre("b", "bb", "c", "e", "ee"));

  const std::unique_ptr<RowCursor> row =
      view->NewCursor(TableId::kData, {.begin = "b", .end = "g"});
  const auto at = [&row] { return row->valid() ? std::string(row->key()) : std::string("none"); };
  row->Seek("a");
  EXPECT_EQ(at(), "b");
  row->Seek("ca");
  EXPECT_EQ(at(), "e");
  row->Next();
  EXPECT_EQ(at(), "ee");
  row->Next();
  EXPECT_EQ(at(), "none");
  row->Seek("z");
  EXPECT_EQ(at(), "none");
  row->SeekBefore("e");
  EXPECT_EQ(at(), "c");
  row->SeekBefore("b");
  EXPECT_EQ(at(), "none");
  row->SeekBefore("z");
  EXPECT_EQ(at(), "ee");
  row->SeekToLast();
  EXPECT_EQ(at(), "ee");
  EXPECT_OK(row->status());
}

TEST_P(TableStoreTest, ASplitKeepsEveryRowAndEveryView) {
  HOURCELL_WANT_REGIONS();
  for (int i = 0; i < 1000; ++i)
    ASSERT_OK(Set(TableId::kData, fmt::format("k{:03}", i), "old"));
  ASSERT_OK(store_->Flush(TableId::kData));
  for (int i = 0; i < 1000; i += 3)
    ASSERT_OK(Set(TableId::kData, fmt::format("k{:03}", i), "new"));
  std::unique_ptr<TableView> before = store_->Snapshot();
  const auto rows = Scan(TableId::kData, {});

  ASSERT_OK(store_->regions()->Split(TableId::kData, {.keys = {"k500"}}));
  ASSERT_OK(store_->regions()->Split(TableId::kData, {.keys = {"k250"}}));
  EXPECT_THAT(store_->regions()->Split(TableId::kData, {.keys = {"k250"}}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(StartsOf(store_->regions()->Regions(TableId::kData)),
              ElementsAre("", "k250", "k500"));
  EXPECT_EQ(Scan(TableId::kData, {}), rows);
  ASSERT_OK(Set(TableId::kData, "k100", "newest"));
  ASSERT_OK(Set(TableId::kData, "k900", "newest"));
  EXPECT_EQ(before->Get(TableId::kData, "k100").value(), "old");
  before.reset();

  ASSERT_OK(TrimAllRegions(store_->regions(), TableId::kData));
  for (const RegionInfo& region : store_->regions()->Regions(TableId::kData))
    EXPECT_FALSE(region.has_references) << region.range.start;
  if (Promises(TableCapability::kDurable)) Reopen();
  const auto after = Scan(TableId::kData, {});
  ASSERT_EQ(after.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(after[i].first, rows[i].first);
    EXPECT_EQ(after[i].second, i == 100 || i == 900 ? "newest" : rows[i].second);
  }
}

TEST_P(TableStoreTest, KnowsAboutHowManyBytesARangeHas) {
  HOURCELL_WANT_PROMISE(TableCapability::kByteCounts);
  const auto key = [](int i) { return fmt::format("k{:04}", i); };
  Random random(1);
  std::vector<Mutation> rows;
  for (int i = 0; i < 1000; ++i) {
    rows.push_back({TableId::kAnnotation, Mutation::Kind::kSet, key(i), ""});
    while (rows.back().value.size() < 1000)
      rows.back().value += static_cast<char>(random.Next());
  }
  ASSERT_OK(store_->Apply(rows, /*sync=*/false));
  ASSERT_OK(store_->regions()->Split(TableId::kAnnotation, {.keys = {key(300)}}));
  ASSERT_OK(store_->Flush(TableId::kAnnotation));
  const auto bytes = [&](const std::string& begin, const std::string& end) {
    return static_cast<double>(
        *store_->ApproximateBytes(TableId::kAnnotation, {.begin = begin, .end = end}));
  };

  EXPECT_NEAR(bytes("", ""), 1e6, 2e5);
  EXPECT_NEAR(bytes(key(250), key(750)), 5e5, 1e5);  // of both regions
  EXPECT_NEAR(bytes(key(0), key(300)) + bytes(key(300), ""), bytes("", ""), 2e5);
  EXPECT_EQ(bytes("l", ""), 0);
  EXPECT_EQ(bytes("a", "b"), 0);
}

}  // namespace
}  // namespace hourcell
