// The promise of merge operands: cells of a row, and posting sets.

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/cells/cell.h"
#include "engine/rows/series_key.h"
#include "tests/engine/table/conformance/conformance.h"

namespace hourcell {
namespace {

using testing::ElementsAre;

std::string PointCell(uint32_t offset_s, int64_t value) {
  std::string cell;
  AppendPointCell(offset_s * 1000, /*is_ms=*/false, Value::Integer(value), &cell);
  return cell;
}

Mutation MergePoint(const std::string& row, uint32_t offset_s, int64_t value) {
  return {TableId::kData, Mutation::Kind::kMerge, row, PointCell(offset_s, value)};
}

CellColumns PointsOf(std::string_view cell) {
  CellColumns columns;
  EXPECT_OK(DecodeCell(cell, &columns));
  return columns;
}

TEST_P(TableStoreTest, MergesCellsOfARowLastWriteWins) {
  HOURCELL_WANT_PROMISE(TableCapability::kMergeOperands);
  const Mutation group[] = {MergePoint("row", 5, 50), MergePoint("row", 1, 10),
                            MergePoint("row", 5, 51)};
  ASSERT_OK(store_->Apply(group, /*sync=*/false));
  ASSERT_OK(store_->Flush(TableId::kData));

  const CellColumns points = PointsOf(Get(TableId::kData, "row").value_or(""));
  EXPECT_THAT(points.offset_ms, ElementsAre(1000, 5000));
  EXPECT_THAT(points.bits, ElementsAre(10, 51));
}

TEST_P(TableStoreTest, MergesCellsOfSeveralGroupsLastWriteWins) {
  HOURCELL_WANT_PROMISE(TableCapability::kMergeOperands);
  for (int64_t value = 0; value < 4; ++value) {
    const Mutation merges[] = {MergePoint("row", 5, value),
                               MergePoint("row", 6 + static_cast<uint32_t>(value), value)};
    ASSERT_OK(store_->ApplyUnlogged(merges));
    ASSERT_OK(store_->Flush(TableId::kData));
    if (value == 2) {
      ASSERT_OK(store_->Compact(TableId::kData));
    }
  }

  const CellColumns points = PointsOf(Get(TableId::kData, "row").value_or(""));
  EXPECT_THAT(points.offset_ms, ElementsAre(5000, 6000, 7000, 8000, 9000));
  EXPECT_THAT(points.bits, ElementsAre(3, 0, 1, 2, 3));
}

TEST_P(TableStoreTest, AMergeGoesOnTopOfASetAndADeleteHidesBoth) {
  HOURCELL_WANT_PROMISE(TableCapability::kMergeOperands);
  ASSERT_OK(store_->Apply(std::vector{MergePoint("row", 1, 10)}, /*sync=*/false));
  ASSERT_OK(Set(TableId::kData, "row", PointCell(2, 20)));
  ASSERT_OK(store_->Apply(std::vector{MergePoint("row", 3, 30)}, /*sync=*/false));
  EXPECT_THAT(PointsOf(Get(TableId::kData, "row").value_or("")).bits, ElementsAre(20, 30));

  ASSERT_OK(Delete(TableId::kData, "row"));
  EXPECT_EQ(Get(TableId::kData, "row"), std::nullopt);
  ASSERT_OK(store_->Apply(std::vector{MergePoint("row", 4, 40)}, /*sync=*/false));
  ASSERT_OK(store_->Compact(TableId::kData));

  EXPECT_THAT(PointsOf(Get(TableId::kData, "row").value_or("")).bits, ElementsAre(40));
}

TEST_P(TableStoreTest, AGroupMixesSetsMergesAndDeletesOfARow) {
  HOURCELL_WANT_PROMISE(TableCapability::kMergeOperands);
  const Mutation::Kind set = Mutation::Kind::kSet;
  const Mutation::Kind remove = Mutation::Kind::kDelete;
  const Mutation group[] = {MergePoint("a", 1, 10),
                            {TableId::kData, set, "a", PointCell(2, 20)},
                            MergePoint("a", 3, 30),
                            MergePoint("b", 1, 10),
                            {TableId::kData, remove, "b", ""},
                            MergePoint("b", 2, 20),
                            MergePoint("c", 1, 10),
                            {TableId::kData, remove, "c", ""}};
  ASSERT_OK(store_->Apply(group, /*sync=*/false));

  EXPECT_THAT(PointsOf(Get(TableId::kData, "a").value_or("")).bits, ElementsAre(20, 30));
  EXPECT_THAT(PointsOf(Get(TableId::kData, "b").value_or("")).bits, ElementsAre(20));
  EXPECT_EQ(Get(TableId::kData, "c"), std::nullopt);
}

TEST_P(TableStoreTest, MergesPostingSetsAsAUnion) {
  HOURCELL_WANT_PROMISE(TableCapability::kMergeOperands);
  for (const SeriesNumber number : std::initializer_list<SeriesNumber>{7, 3, 7, 9}) {
    ASSERT_OK(Apply(TableId::kSeries, Mutation::Kind::kMerge, "p", PostingOfOne(number)));
    ASSERT_OK(store_->Flush(TableId::kSeries));
  }
  ASSERT_OK(store_->Compact(TableId::kSeries));

  std::vector<SeriesNumber> numbers;
  ASSERT_OK(DecodePosting(Get(TableId::kSeries, "p").value_or(""), /*chunk=*/0, &numbers));
  EXPECT_THAT(numbers, ElementsAre(3, 7, 9));
}

TEST_P(TableStoreTest, AViewDoesNotSeeLaterMerges) {
  HOURCELL_WANT_PROMISE(TableCapability::kMergeOperands);
  HOURCELL_WANT_PROMISE(TableCapability::kSnapshots);
  ASSERT_OK(store_->Apply(std::vector{MergePoint("row", 1, 10)}, /*sync=*/false));
  const std::unique_ptr<TableView> view = store_->Snapshot();
  ASSERT_OK(store_->Apply(std::vector{MergePoint("row", 1, 11)}, /*sync=*/false));
  ASSERT_OK(store_->Apply(std::vector{MergePoint("row", 2, 20)}, /*sync=*/false));

  ASSERT_OK(store_->Compact(TableId::kData));

  const Rows rows = ScanOf(view.get(), TableId::kData, {});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_THAT(PointsOf(rows[0].second).bits, ElementsAre(10));
  EXPECT_THAT(PointsOf(Get(TableId::kData, "row").value_or("")).bits, ElementsAre(11, 20));
}

}  // namespace
}  // namespace hourcell
