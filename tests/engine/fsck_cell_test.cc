#include "engine/fsck_cell.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/cell.h"
#include "codec/packed_cell.h"

namespace hourcell {
namespace {

// Of one point, as OpenTSDB has it.
std::string CellOf(std::string_view qualifier_hex, std::string_view value_hex) {
  return "\1" + *FromHex(qualifier_hex) + *FromHex(value_hex);
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
}  // namespace hourcell
