#include "engine/rows/deletion_row.h"

#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "codec/limits.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::deletion_row_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

DeletionRow SomeRow() {
  return {.id = 7,
          .metric = 5,
          .state = DeletionState::kHides,
          .deleted_ms = 1'764'000'000'000,
          .until_ms = 1'764'604'800'000,
          .start_ms = 1'356'998'400'000,
          .end_ms = 1'356'998'460'000,
          .series = {3, 9, (1 << 16) + 2}};
}

Mutation RecordOf(const DeletionRow& row) {
  return {TableId::kSystem, Mutation::Kind::kSet, DeletionKey({}, row.id, row.metric),
          DeletionValue(row)};
}

TEST(DeletionRowTest, RowsAreAsDrawn) {
  EXPECT_EQ(ToHex(DeletionCounterKey()), "44");
  EXPECT_EQ(ToHex(DeletionCounterValue(8)), "010000000000000008");
  EXPECT_EQ(ToHex(DeletionKey({}, 7, 5)), "440000000000000007000005");
  EXPECT_EQ(ToHex(DeletionValue(SomeRow())),
            "01000000019ab697e8000000019adaa46c00"
            "0000013bf36858000000013bf3694260"
            "000000000000000000050100030009"
            "00000000000100000003010002");
  EXPECT_EQ(ToHex(HiddenRowKey("row", 7)), "55726f770000000000000007");
}

TEST(DeletionRowTest, ReadsWhatItWrites) {
  for (const DeletionState state : {DeletionState::kHides, DeletionState::kUndoing,
                                    DeletionState::kRemoving, DeletionState::kRemoved}) {
    DeletionRow row = SomeRow();
    row.state = state;
    row.start_ms = 0;
    row.end_ms = kTimestampMsMax;
    EXPECT_THAT(ParseDeletionRow({}, DeletionKey({}, 7, 5), DeletionValue(row)), IsOkAndHolds(row));
  }
  DeletionRow many = SomeRow();
  many.series.resize(100'000);
  std::iota(many.series.begin(), many.series.end(), SeriesNumber{60'000});
  const std::string value = DeletionValue(many);
  EXPECT_LE(value.size(), 2 * many.series.size());
  EXPECT_THAT(ParseDeletionRow({}, DeletionKey({}, 7, 5), value), IsOkAndHolds(many));
  const std::string bytes = HiddenRowKey("row", 7);  // the parsed key points into it
  const auto key = ParseHiddenRowKey(bytes);
  ASSERT_OK(key);
  EXPECT_EQ(key->row_key, "row");
  EXPECT_EQ(key->id, 7u);
  EXPECT_THAT(ParseDeletionCounter(DeletionCounterValue(9)), IsOkAndHolds(9));
}

TEST(DeletionRowTest, DamageIsNamed) {
  const std::string key = DeletionKey({}, 7, 5);
  const std::string value = DeletionValue(SomeRow());
  const auto fault = [&](std::string_view bytes) {
    return ParseDeletionRow({}, key, bytes).status();
  };
  for (size_t size = 0; size < value.size(); ++size) {
    const bool is_at_a_set = size == 34 || size == 34 + 15;
    EXPECT_EQ(fault(value.substr(0, size)).ok(), is_at_a_set) << size;
  }
  std::string other = value;
  other[0] = 2;
  EXPECT_THAT(fault(other), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("version 2")));
  other = value;
  other[1] = 4;
  EXPECT_THAT(fault(other), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("state 4")));
  other = value;
  other[18] = '\xff';  // the start
  EXPECT_THAT(fault(other), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("out of range")));
  EXPECT_THAT(fault(value + value.substr(34)),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("do not ascend")));
  EXPECT_THAT(ParseDeletionRow({}, "D", value).status(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected a key of 12 bytes")));
  EXPECT_THAT(ParseHiddenRowKey("U1234567"), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(ParseDeletionCounter(DeletionCounterValue(0)), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(ParseDeletionCounter("\x01"), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(DeletionRowTest, RecordsAreReadInTheOrderOfTheirIds) {
  MemTableStore tables;
  EXPECT_THAT(ReadDeletionRows({}, tables.Snapshot().get()), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(ReadNextDeletionId(tables.Snapshot().get()), IsOkAndHolds(1));
  DeletionRow later = SomeRow();
  later.id = 300;
  const Mutation rows[] = {
      RecordOf(later), RecordOf(SomeRow()),
      Mutation{TableId::kSystem, Mutation::Kind::kSet, DeletionCounterKey(),
               DeletionCounterValue(301)},
      Mutation{TableId::kSystem, Mutation::Kind::kSet, HiddenRowKey("row", 7), ""},
      Mutation{TableId::kSystem, Mutation::Kind::kSet, "format", "30"}};
  ASSERT_OK(tables.Apply(rows, /*sync=*/true));

  EXPECT_THAT(ReadDeletionRows({}, tables.Snapshot().get()),
              IsOkAndHolds(ElementsAre(SomeRow(), later)));
  EXPECT_THAT(ReadNextDeletionId(tables.Snapshot().get()), IsOkAndHolds(301));
}

TEST(DeletionRowTest, SeriesWithHiddenPointsAreNamed) {
  MemTableStore tables;
  DeletionRow removed = SomeRow();
  removed.id = 8;
  removed.state = DeletionState::kRemoved;
  removed.series = {4};
  const Mutation rows[] = {RecordOf(SomeRow()), RecordOf(removed)};
  ASSERT_OK(tables.Apply(rows, /*sync=*/true));
  const auto left = [&](Uid metric) {
    std::vector<SeriesNumber> numbers = {3, 4, 5, (1 << 16) + 2};
    EXPECT_OK(RemoveSeriesWithHiddenPoints({}, metric, tables.Snapshot().get(), &numbers));
    return numbers;
  };

  EXPECT_THAT(left(5), ElementsAre(4, 5));
  EXPECT_THAT(left(6), ElementsAre(3, 4, 5, (1 << 16) + 2));
}

}  // namespace
}  // namespace hourcell::deletion_row_test
