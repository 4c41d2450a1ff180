#include "engine/hidden/hidden_writes.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "codec/cells/cell.h"
#include "codec/cells/packed_cell.h"
#include "codec/rows/row_key.h"
#include "engine/rows/deletion_row.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::hidden_writes_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint32_t kHour = 1'356'998'400;
constexpr int64_t kHourMs = int64_t{kHour} * 1000;

// A cell with points at these seconds, whose values are the same.
std::string CellOf(const std::vector<uint32_t>& seconds, bool is_packed = true) {
  CellColumns columns;
  for (const uint32_t second : seconds)
    columns.push_back({.offset_ms = second * 1000, .is_ms = false, .flags = 3},
                      Value::Integer(second + (int64_t{1} << 20)));
  std::string cell;
  is_packed ? AppendPackedCell(columns, &cell) : AppendCell(columns, &cell);
  return cell;
}

class HiddenWritesTest : public testing::Test {
 protected:
  HiddenWritesTest() {
    AppendBigEndian(5, 3, &tsuid_);
    tsuid_ += std::string("\0\0\1\0\0\2", 6);
    key_ = KeyOfHour(kHour);
  }

  std::string KeyOfHour(uint32_t base_time_s) const {
    std::string key;
    row_keys_.Append(tsuid_, base_time_s, &key);
    return key;
  }

  // Hides seconds from `first` to `last` of the hour.
  void Hide(uint64_t id, int64_t first, int64_t last) {
    list_.push_back(
        std::make_shared<const HiddenSeries>(HiddenSeries{.id = id,
                                                          .metric = 5,
                                                          .start_ms = kHourMs + first * 1000,
                                                          .end_ms = kHourMs + last * 1000 + 999,
                                                          .tags = TagsSet({tsuid_.substr(3)})}));
  }

  void Set(std::string key, std::string cell) {
    Mutation set;
    set.key = std::move(key);
    set.value = std::move(cell);
    ASSERT_OK(tables_.Apply({&set, 1}, /*sync=*/false));
  }

  Mutation Write(Mutation::Kind kind, std::string cell = {}) const {
    Mutation write;
    write.kind = kind;
    write.key = key_;
    write.value = std::move(cell);
    return write;
  }

  // The changed writes of a group; keeps the others.
  std::vector<Mutation> Divide(const std::vector<Mutation>& group) {
    const HiddenPoints hidden(&row_keys_, list_);
    const auto view = tables_.Snapshot();
    std::vector<Mutation> changed;
    others_.clear();
    EXPECT_OK(HiddenWrites(&hidden, view.get()).Divide(group, &changed, &others_));
    return changed;
  }

  const RowKeyCodec row_keys_{Layout()};
  std::string tsuid_;
  std::string key_;
  MemTableStore tables_;
  HiddenPoints::List list_;
  std::vector<Mutation> others_;
};

testing::Matcher<const Mutation&> Is(TableId table,
                                     Mutation::Kind kind,
                                     const std::string& key,
                                     const std::string& value) {
  return testing::AllOf(testing::Field(&Mutation::table, table),
                        testing::Field(&Mutation::kind, kind), testing::Field(&Mutation::key, key),
                        testing::Field(&Mutation::value, value));
}

TEST_F(HiddenWritesTest, AMergeTakesHiddenPointsOut) {
  Set(key_, CellOf({10, 20, 30}));
  Hide(7, 20, 25);
  EXPECT_THAT(
      Divide({Write(Mutation::Kind::kMerge, CellOf({22}))}),
      ElementsAre(Is(TableId::kSystem, Mutation::Kind::kSet, HiddenRowKey(key_, 7), CellOf({20})),
                  Is(TableId::kData, Mutation::Kind::kSet, key_, CellOf({10, 22, 30}))));
  EXPECT_THAT(others_, IsEmpty());
}

TEST_F(HiddenWritesTest, TheFormatOfCellsStays) {
  Set(key_, CellOf({10, 20, 30}, /*is_packed=*/false));
  Hide(7, 20, 25);
  EXPECT_THAT(
      Divide({Write(Mutation::Kind::kMerge, CellOf({22}, /*is_packed=*/false))}),
      ElementsAre(
          Is(TableId::kSystem, Mutation::Kind::kSet, HiddenRowKey(key_, 7), CellOf({20}, false)),
          Is(TableId::kData, Mutation::Kind::kSet, key_, CellOf({10, 22, 30}, false))));
}

TEST_F(HiddenWritesTest, SetsAndDeletesKeepHiddenPoints) {
  Set(key_, CellOf({10, 20}));
  Hide(7, 20, 25);
  const auto taken_out = [&] {
    return Is(TableId::kSystem, Mutation::Kind::kSet, HiddenRowKey(key_, 7), CellOf({20}));
  };
  EXPECT_THAT(
      Divide({Write(Mutation::Kind::kSet, CellOf({5}))}),
      ElementsAre(taken_out(), Is(TableId::kData, Mutation::Kind::kSet, key_, CellOf({5}))));
  EXPECT_THAT(Divide({Write(Mutation::Kind::kDelete)}),
              ElementsAre(taken_out(), Is(TableId::kData, Mutation::Kind::kDelete, key_, "")));
  EXPECT_THAT(
      Divide({Write(Mutation::Kind::kDelete), Write(Mutation::Kind::kMerge, CellOf({6})),
              Write(Mutation::Kind::kMerge, CellOf({7}))}),
      ElementsAre(taken_out(), Is(TableId::kData, Mutation::Kind::kSet, key_, CellOf({6, 7}))));
}

TEST_F(HiddenWritesTest, ANewRowIsNotHiddenLater) {
  Hide(7, 0, 3599);
  EXPECT_THAT(Divide({Write(Mutation::Kind::kMerge, CellOf({1}))}),
              ElementsAre(Is(TableId::kSystem, Mutation::Kind::kSet, HiddenRowKey(key_, 7), ""),
                          Is(TableId::kData, Mutation::Kind::kSet, key_, CellOf({1}))));
}

TEST_F(HiddenWritesTest, ARowWithAKeyIsWrittenAsItIs) {
  Set(key_, CellOf({10}));
  Hide(7, 0, 3599);
  const Mutation taken_out{TableId::kSystem, Mutation::Kind::kSet, HiddenRowKey(key_, 7),
                           CellOf({20})};
  ASSERT_OK(tables_.Apply({&taken_out, 1}, /*sync=*/false));

  EXPECT_THAT(Divide({Write(Mutation::Kind::kMerge, CellOf({30}))}), IsEmpty());
  EXPECT_THAT(others_, IsEmpty());
}

TEST_F(HiddenWritesTest, TheOldestDeleteGetsAPointOfSeveral) {
  Set(key_, CellOf({10, 20, 30}));
  Hide(8, 10, 20);
  Hide(7, 20, 29);
  EXPECT_THAT(
      Divide({Write(Mutation::Kind::kMerge, CellOf({40}))}),
      ElementsAre(Is(TableId::kSystem, Mutation::Kind::kSet, HiddenRowKey(key_, 7), CellOf({20})),
                  Is(TableId::kSystem, Mutation::Kind::kSet, HiddenRowKey(key_, 8), CellOf({10})),
                  Is(TableId::kData, Mutation::Kind::kSet, key_, CellOf({30, 40}))));
}

TEST_F(HiddenWritesTest, OtherWritesStayInOrder) {
  Set(key_, CellOf({10, 20}));
  Hide(7, 20, 25);
  Mutation other;
  other.kind = Mutation::Kind::kMerge;
  other.key = KeyOfHour(kHour + 3600);
  other.value = CellOf({1});
  const Mutation system{TableId::kSystem, Mutation::Kind::kSet, "aside/1", "cell"};
  EXPECT_EQ(Divide({system, Write(Mutation::Kind::kMerge, CellOf({30})), other}).size(), 2u);
  EXPECT_THAT(others_,
              ElementsAre(Is(TableId::kSystem, Mutation::Kind::kSet, "aside/1", "cell"),
                          Is(TableId::kData, Mutation::Kind::kMerge, other.key, other.value)));
}

TEST_F(HiddenWritesTest, ADamagedCellIsKept) {
  Set(key_, "\x03 damaged");
  Hide(7, 0, 10);
  const std::vector<Mutation> in_part = Divide({Write(Mutation::Kind::kMerge, CellOf({1}))});
  ASSERT_EQ(in_part.size(), 2u);
  EXPECT_THAT(in_part[0], Is(TableId::kSystem, Mutation::Kind::kSet, HiddenRowKey(key_, 7), ""));
  CellColumns columns;
  EXPECT_THAT(DecodeCell(in_part[1].value, &columns), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(columns.size(), 1u) << "a damaged record with the new point";

  Hide(8, 0, 3599);
  EXPECT_THAT(
      Divide({Write(Mutation::Kind::kMerge, CellOf({1}))}),
      ElementsAre(Is(TableId::kSystem, Mutation::Kind::kSet, HiddenRowKey(key_, 7), ""),
                  Is(TableId::kSystem, Mutation::Kind::kSet, HiddenRowKey(key_, 8), "\x03 damaged"),
                  Is(TableId::kData, Mutation::Kind::kSet, key_, CellOf({1}))));
}

}  // namespace
}  // namespace hourcell::hidden_writes_test
