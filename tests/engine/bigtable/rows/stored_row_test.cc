#include "engine/bigtable/rows/stored_row.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/cells/cell.h"
#include "engine/rows/series_key.h"
#include "tests/support/status_matchers.h"

namespace hourcell::stored_row_test {
namespace {

using testing::ElementsAre;
using testing::Optional;

constexpr TableId kSeries = TableId::kSeries;

BigtableCell SetCell(uint64_t version, const std::string& value) {
  return {.qualifier = "s", .timestamp_micros = MicrosOf(version), .value = EncodeSet(value)};
}
BigtableCell DeleteCell(uint64_t version) {
  return {.qualifier = "s", .timestamp_micros = MicrosOf(version), .value = EncodeDelete()};
}
// An operand whose value lists its versions.
BigtableCell OperandCell(const OperandName& name, const std::vector<SeriesNumber>& numbers) {
  std::string set;
  for (const SeriesNumber number : numbers)
    AddToPosting(number, &set);
  return {
      .qualifier = EncodeOperandName(name), .timestamp_micros = MicrosOf(name.last), .value = set};
}
OperandName At(uint64_t version, uint64_t writer = 1) {
  return {.writer = writer, .first = version, .last = version};
}

StoredRow RowOf(std::vector<BigtableCell> cells) {
  absl::StatusOr<StoredRow> row = DecodeStoredRow({.key = "row", .cells = std::move(cells)});
  EXPECT_OK(row);
  return *std::move(row);
}

std::vector<SeriesNumber> NumbersOf(const StoredRow& row, const VersionView& view) {
  std::vector<SeriesNumber> numbers;
  const std::optional<std::string> value = ValueOf(kSeries, row, view);
  if (value.has_value()) {
    EXPECT_OK(DecodePosting(*value, 0, &numbers));
  }
  return numbers;
}

TEST(StoredRowTest, TheFormatIsThis) {
  EXPECT_EQ(MicrosOf(7), 7000);
  EXPECT_EQ(EncodeSet("v"), "=v");
  EXPECT_EQ(EncodeDelete(), "-");
  EXPECT_EQ(ToHex(EncodeOperandName({.writer = 1, .cut = 2, .first = 0x0304, .last = 0x0304})),
            "6d"
            "0000000000000001"
            "0000000000000002"
            "0000000000000304"
            "0000000000000304");
  EXPECT_EQ(EncodeOperandName({.writer = 1, .cut = 2, .first = 3, .last = 4})[0], 'j');
}

TEST(StoredRowTest, NamesOfOperandsComeBack) {
  for (const OperandName& name :
       {OperandName{.writer = 1, .cut = 0, .first = 2, .last = 2},
        OperandName{.writer = ~uint64_t{0}, .cut = 5, .first = 1, .last = kVersionMax}})
    EXPECT_THAT(DecodeOperandName(EncodeOperandName(name)), IsOkAndHolds(name));
}

TEST(StoredRowTest, OtherNamesAreDataLoss) {
  const std::string single = EncodeOperandName(At(5));
  const std::string joined = EncodeOperandName({.writer = 1, .first = 5, .last = 6});
  for (const std::string& wrong :
       {std::string(), std::string("s2"), single + "x", single.substr(0, 32),
        "j" + single.substr(1), "m" + joined.substr(1), "x" + single.substr(1),
        EncodeOperandName({.writer = 1, .first = 6, .last = 5}),
        EncodeOperandName({.writer = 1, .first = 1, .last = kVersionMax + 1})})
    EXPECT_THAT(DecodeOperandName(wrong), StatusIs(absl::StatusCode::kDataLoss)) << ToHex(wrong);
}

TEST(StoredRowTest, OtherSetsAreDataLoss) {
  for (const std::string& wrong : {std::string(), std::string("v"), std::string("-v")}) {
    EXPECT_THAT(DecodeStoredRow({.key = "r", .cells = {{"s", 1000, wrong}}}),
                StatusIs(absl::StatusCode::kDataLoss));
  }
  EXPECT_THAT(DecodeStoredRow({.key = "r", .cells = {{"s", 0, "=v"}}}),
              StatusIs(absl::StatusCode::kDataLoss));
}

TEST(StoredRowTest, TheNewestSetThatIsSeenCounts) {
  const StoredRow row = RowOf({SetCell(9, "9"), DeleteCell(7), SetCell(5, "5")});

  EXPECT_EQ(ValueOf(TableId::kUid, row, {.max = 4}), std::nullopt);
  EXPECT_THAT(ValueOf(TableId::kUid, row, {.max = 6}), Optional(std::string("5")));
  EXPECT_EQ(ValueOf(TableId::kUid, row, {.max = 8}), std::nullopt);
  EXPECT_THAT(ValueOf(TableId::kUid, row, {.max = 9}), Optional(std::string("9")));
  EXPECT_EQ(ValueOf(TableId::kUid, row, {.max = 9, .hidden = {{9, 9}}}), std::nullopt);
  EXPECT_THAT(ValueOf(TableId::kUid, row, {.max = 9, .hidden = {{7, 12}}}),
              Optional(std::string("5")));
}

TEST(StoredRowTest, OperandsAboveTheSetCount) {
  std::string base;
  AddToPosting(100, &base);
  const StoredRow row = RowOf({OperandCell(At(3), {3}), OperandCell(At(6), {6}),
                               OperandCell(At(8), {8}), SetCell(5, base)});

  EXPECT_THAT(NumbersOf(row, {.max = 4}), ElementsAre(3));
  EXPECT_THAT(NumbersOf(row, {.max = 5}), ElementsAre(100));
  EXPECT_THAT(NumbersOf(row, {.max = 8}), ElementsAre(6, 8, 100));
  EXPECT_THAT(NumbersOf(row, {.max = 8, .hidden = {{6, 6}}}), ElementsAre(8, 100));
}

TEST(StoredRowTest, AnOperandInsideOfAnotherSaysNothing) {
  const OperandName joined = {.writer = 1, .first = 3, .last = 8};
  const StoredRow row =
      RowOf({OperandCell(joined, {38}), OperandCell(At(3), {3}), OperandCell(At(8), {8}),
             OperandCell(At(9), {9}), OperandCell(At(5, /*writer=*/2), {25}),
             OperandCell({.writer = 1, .cut = 4, .first = 6, .last = 6}, {46})});

  EXPECT_THAT(NumbersOf(row, {.max = 9}), ElementsAre(9, 25, 38, 46));
}

TEST(StoredRowTest, OperandsAreInTheOrderOfTheirLastVersions) {
  const OperandName joined = {.writer = 1, .first = 2, .last = 8};
  const StoredRow row = RowOf({OperandCell(At(9), {}), OperandCell(joined, {}),
                               OperandCell(At(8), {}), OperandCell(At(3, 2), {})});

  std::vector<std::pair<uint64_t, uint64_t>> order;
  for (const StoredOperand& operand : row.operands)
    order.emplace_back(operand.name.first, operand.name.last);
  EXPECT_THAT(order,
              ElementsAre(std::pair(3, 3), std::pair(8, 8), std::pair(2, 8), std::pair(9, 9)));
}

// A column of OpenTSDB: 1 byte at a second.
BigtableCell OpenTsdbCellOf(const std::string& qualifier, char value, int64_t time_micros) {
  return {.qualifier = qualifier,
          .timestamp_micros = time_micros,
          .value = std::string(1, value),
          .family = "t"};
}

// Their times are those of clocks, above all versions.
TEST(StoredRowTest, OpenTsdbsColumnsAreBelowWhatTheStoreHas) {
  const std::string zero("\0\0", 2);
  const std::string one("\0\x10", 2);
  const VersionView all = {.max = 100};
  const int64_t later = 1'700'000'000'000'000;
  const StoredRow row =
      RowOf({OpenTsdbCellOf(zero, 5, later), OpenTsdbCellOf(zero, 4, later - 1000),
             OpenTsdbCellOf(one, 6, later)});
  EXPECT_EQ(ToHex(ValueOf(TableId::kData, row, all).value_or("")), "0100000010050600");

  std::string operand;
  AppendPointCell(1000, false, Value::Integer(7), &operand);
  const BigtableCell merged = {
      .qualifier = EncodeOperandName(At(3)), .timestamp_micros = MicrosOf(3), .value = operand};
  EXPECT_EQ(
      ToHex(ValueOf(TableId::kData,
                    RowOf({merged, OpenTsdbCellOf(zero, 5, later), OpenTsdbCellOf(one, 6, later)}),
                    all)
                .value_or("")),
      "0100000010050700");
  // A delete hides them; only values merged after it remain.
  EXPECT_EQ(ValueOf(TableId::kData, RowOf({DeleteCell(2), OpenTsdbCellOf(zero, 5, later)}), all),
            std::nullopt);
  EXPECT_EQ(ToHex(ValueOf(TableId::kData,
                          RowOf({merged, DeleteCell(2), OpenTsdbCellOf(zero, 5, later)}), all)
                      .value_or("")),
            "01001007");
  // One that the view does not see does not.
  EXPECT_EQ(
      ToHex(ValueOf(TableId::kData, RowOf({DeleteCell(101), OpenTsdbCellOf(zero, 5, later)}), all)
                .value_or("")),
      "01000005");
}

TEST(StoredRowTest, ARowOfOpenTsdbWithoutPointsIsNoRow) {
  const StoredRow row = RowOf({OpenTsdbCellOf("\x01\x03\x20", '{', 1000)});
  EXPECT_EQ(ValueOf(TableId::kData, row, {.max = 100}), std::nullopt);
}

TEST(StoredRowTest, ADamagedColumnMakesACellThatDoesNotDecode) {
  const StoredRow row = RowOf({OpenTsdbCellOf(std::string("\0\0", 2), 5, 1000),
                               OpenTsdbCellOf(std::string("\xf0\0\0\x03", 4), 6, 1000)});
  CellColumns points;
  EXPECT_THAT(DecodeCell(ValueOf(TableId::kData, row, {.max = 100}).value_or(""), &points),
              StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(points.size(), 1u);
}

}  // namespace
}  // namespace hourcell::stored_row_test
