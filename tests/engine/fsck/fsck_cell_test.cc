#include "engine/fsck/fsck_cell.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/cells/cell.h"
#include "codec/cells/day_cell.h"
#include "codec/cells/hbase_cells.h"
#include "codec/cells/packed_cell.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::fsck_cell_test {
namespace {

// Of one point, as OpenTSDB has it.
std::string CellOf(std::string_view qualifier_hex, std::string_view value_hex) {
  return "\1" + *FromHex(qualifier_hex) + *FromHex(value_hex);
}

std::string CellOf(simdjson::dom::element column) {
  return CellOf(TextOf(column, "q"), TextOf(column, "v"));
}

// Each point of OpenTSDB's columns as this store would write it, oldest write first.
std::vector<std::string> WrittenAgain(simdjson::dom::element columns) {
  std::vector<std::string> cells;
  for (const simdjson::dom::element column : simdjson::dom::array(columns)) {
    const std::string qualifier = BytesOf(column, "q");
    const std::string value = BytesOf(column, "v");
    CellColumns points;
    EXPECT_OK(DecodeHBaseCell({.qualifier = qualifier, .value = value}, &points));
    for (size_t i = 0; i < points.size(); ++i) {
      AppendPointCell(points.qualifier(i).offset_ms, points.qualifier(i).is_ms, points.value(i),
                      &cells.emplace_back());
    }
  }
  return cells;
}

std::string Merged(const std::vector<std::string>& cells) {
  std::string merged;
  MergeCells("", std::vector<std::string_view>(cells.begin(), cells.end()), &merged);
  return merged;
}

CellColumns BigIntegers() {
  CellColumns columns;
  uint32_t offset_ms = 0;
  for (const int64_t value : {INT64_MAX, INT64_MIN, int64_t{1} << 40, -(int64_t{1} << 40),
                              int64_t{INT32_MAX} + 1, int64_t{5}}) {
    columns.push_back({.offset_ms = offset_ms, .is_ms = false, .flags = 7}, Value::Integer(value));
    offset_ms += 1000;
  }
  return columns;
}

TEST(FsckCellTest, GoodCellsOfBothFormatsHaveNoFault) {
  std::string plain;
  AppendCell(BigIntegers(), &plain);
  std::string packed;
  AppendPackedCell(BigIntegers(), &packed);
  for (const std::string& cell : {plain, packed}) {
    const CellCheck check = CheckCell(cell);
    EXPECT_FALSE(check.fault.has_value()) << check.text;
    EXPECT_EQ(check.points, 6u);
  }
}

TEST(FsckCellTest, ADamagedRowOfADayKeepsItsHours) {
  CellColumns points;
  for (const uint32_t hour : {0U, 5U, 23U})
    points.push_back({.offset_ms = hour * 3'600'000, .is_ms = false, .flags = 0},
                     Value::Integer(hour));
  std::string day;
  AppendDayCell(points, &day);

  const CellCheck check = CheckCell(Merged({day, day.substr(0, day.size() - 1)}));

  EXPECT_EQ(check.fault, FsckFault::kDamagedRow);
  EXPECT_EQ(check.points, 3u);
  EXPECT_EQ(ToHex(check.good), ToHex(day));
}

// OpenTSDB's fsck leaves integers that need eight bytes out of a row that it rewrites.
TEST(FsckCellTest, ARewrittenRowKeepsEveryInteger) {
  std::string good;
  AppendCell(BigIntegers(), &good);
  std::string record;
  MergeCells(good, std::vector<std::string_view>{"\1junk that is no cell"}, &record);
  const CellCheck check = CheckCell(record);
  ASSERT_EQ(check.fault, FsckFault::kDamagedRow);
  EXPECT_EQ(check.points, 6u);
  CellColumns kept;
  ASSERT_TRUE(DecodeCell(check.good, &kept).ok());
  EXPECT_EQ(kept, BigIntegers());
}

TEST(FsckCellTest, HistoricalFloatsAreRepairedAndNoOthers) {
  for (const std::string_view value : {"0000000043fa6666", "ffffffff43fa6666"}) {
    const CellCheck check = CheckCell(CellOf("002b", value));
    EXPECT_EQ(check.fault, FsckFault::kFloat) << value;
    EXPECT_EQ(check.points, 1u);
    EXPECT_EQ(check.good, CellOf("002b", "43fa6666"));
  }
  for (const auto& [qualifier, value] : {std::pair{"002b", "fb02f40f43fa6666"},
                                         std::pair{"000f", "422a0000"}, std::pair{"002b", "01"}}) {
    const CellCheck check = CheckCell(CellOf(qualifier, value));
    EXPECT_EQ(check.fault, FsckFault::kCell) << value;
    EXPECT_EQ(check.good, "") << value;
  }
  EXPECT_FALSE(CheckCell(CellOf("000f", "4010ccccc0000000")).fault.has_value());
}

TEST(FsckCellTest, VectorsSingleFloat) {
  for (const TestVector& vector : LoadVectors("storage.json", "fsck.single_float")) {
    SCOPED_TRACE(vector.from);
    const std::string cell = CellOf(vector.given);
    const CellCheck check = CheckCell(cell);
    const std::string verdict = TextOf(vector.expect, "verdict");
    if (verdict == "ok") {
      EXPECT_FALSE(check.fault.has_value()) << check.text;
      EXPECT_EQ(cell, CellOf(vector.expect));
    } else if (verdict == "fix") {
      EXPECT_EQ(check.fault, FsckFault::kFloat);
      EXPECT_EQ(check.good, CellOf(vector.expect));
    } else {
      EXPECT_EQ(check.fault, FsckFault::kCell);
      EXPECT_EQ(check.good, "");
    }
  }
}

// Deviation: an integer that is wider than necessary is not a fault, and stays as it is until its
// row is written again. A point that is written has the bytes that OpenTSDB's fsck makes.
TEST(FsckCellTest, VectorsVariableLength) {
  for (const TestVector& vector : LoadVectors("storage.json", "fsck.vle")) {
    SCOPED_TRACE(vector.from);
    const std::string cell = CellOf(vector.given);
    EXPECT_FALSE(CheckCell(cell).fault.has_value());
    CellColumns points;
    ASSERT_OK(DecodeCell(cell, &points));
    ASSERT_EQ(points.size(), 1u);
    std::string written;
    AppendPointCell(points.qualifier(0).offset_ms, points.qualifier(0).is_ms, points.value(0),
                    &written);
    EXPECT_EQ(written, CellOf(vector.expect));
    EXPECT_EQ(cell.size() - written.size(),
              static_cast<size_t>(IntOf(vector.expect, "saved_bytes")));
  }
}

// Deviation: rows are merged when they are written, not by fsck.
TEST(FsckCellTest, VectorsCompact) {
  for (const TestVector& vector : LoadVectors("storage.json", "fsck.compact")) {
    SCOPED_TRACE(vector.from);
    EXPECT_EQ(ToHex(Merged(WrittenAgain(vector.given["cells"]))), ToHex(CellOf(vector.expect)));
  }
}

TEST(FsckCellTest, VectorsBadCompact) {
  for (const TestVector& vector : LoadVectors("storage.json", "fsck.bad_compact")) {
    SCOPED_TRACE(vector.from);
    ASSERT_TRUE(vector.wants_error());
    EXPECT_TRUE(CheckCell(CellOf(vector.given)).fault.has_value());
  }
}

// Deviation: the last write always wins.
TEST(FsckCellTest, VectorsDuplicates) {
  for (const TestVector& vector : LoadVectors("storage.json", "fsck.duplicates")) {
    SCOPED_TRACE(vector.from);
    CellColumns points;
    ASSERT_OK(DecodeCell(Merged(WrittenAgain(vector.given["cells"])), &points));
    std::vector<std::string> kept;
    for (size_t i = 0; i < points.size(); ++i) {
      std::string qualifier;
      AppendQualifier(points.qualifier(i), &qualifier);
      kept.push_back(ToHex(qualifier));
    }
    std::vector<std::string> want = {"000b", "0020"};
    if (bool(vector.given["last_write_wins"])) {
      want.clear();
      for (const simdjson::dom::element qualifier : simdjson::dom::array(vector.expect["keep"]))
        want.emplace_back(std::string_view(qualifier));
    }
    EXPECT_EQ(kept, want);
  }
}

TEST(FsckCellTest, WhatDoesNotAddUpIsAFault) {
  const std::string cases[] = {
      "",
      "\1",
      "\3abc",
      "\xff",
      CellOf("000700270037", "000000000000000400000000000000050000000600"),  // too short
      CellOf("00200010", "010200"),                                          // out of order
      CellOf("00100010", "010200"),                                          // twice
      CellOf("0012", "010203"),                                              // unreadable flags
      CellOf("fdbba000", "01"),                                              // beyond the hour
  };
  for (const std::string& cell : cases) {
    const CellCheck check = CheckCell(cell);
    EXPECT_TRUE(check.fault.has_value()) << testing::PrintToString(cell);
    EXPECT_EQ(check.points, 0u);
    EXPECT_EQ(check.good, "");
    EXPECT_FALSE(check.text.empty());
  }
}

}  // namespace
}  // namespace hourcell::fsck_cell_test
