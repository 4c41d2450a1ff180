#include "codec/cells/hbase_row.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "tests/codec/codec_testing.h"
#include "tests/support/status_matchers.h"

namespace hourcell::hbase_row_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A column as a vector has it: qualifier and value in hex.
struct Column {
  std::string qualifier;
  std::string value;
  int64_t write_time_ms = 0;
};

HBaseRowContent Read(const std::vector<Column>& columns) {
  std::vector<std::pair<std::string, std::string>> bytes;
  for (const Column& column : columns)
    bytes.emplace_back(Hex(column.qualifier), Hex(column.value));
  std::vector<HBaseCell> cells;
  for (size_t i = 0; i < columns.size(); ++i) {
    cells.push_back({.qualifier = bytes[i].first,
                     .value = bytes[i].second,
                     .write_time_ms = columns[i].write_time_ms});
  }
  return ReadHBaseRow(cells);
}

std::string CellOf(const std::vector<Column>& columns) {
  const HBaseRowContent content = Read(columns);
  EXPECT_THAT(content.damaged, IsEmpty());
  return ToHex(content.cell);
}

// Each vector is written by hand: a qualifier of seconds is the offset times 16 plus the flags, one
// of milliseconds f0000000 plus the offset times 64 plus the flags. A cell is 01, the qualifiers,
// the values, and if it has several points a byte that is 01 for mixed precisions.
TEST(HBaseRowTest, APointOfEachKindIsThatPoint) {
  // 42 at second 1, in one byte: 0010. 500 at second 2, in two bytes: 0021.
  EXPECT_EQ(CellOf({{"0010", "2a"}}), "0100102a");
  EXPECT_EQ(CellOf({{"0021", "01f4"}}), "01002101f4");
  // 4.2 as binary32 at second 0: flags b; 0.5 as binary64 at second 3599: e0ff.
  EXPECT_EQ(CellOf({{"000b", "40866666"}}), "01000b40866666");
  EXPECT_EQ(CellOf({{"e0ff", "3fe0000000000000"}}), "01e0ff3fe0000000000000");
  // 7 at 500 ms: 500 * 64 = 0x7d00.
  EXPECT_EQ(CellOf({{"f0007d00", "07"}}), "01f0007d0007");
}

TEST(HBaseRowTest, AFloatOf4BytesThatWasWrittenIn8IsRepaired) {
  // Flags b say 4 bytes, the value has 8, of which the first 4 are zero.
  EXPECT_EQ(CellOf({{"001b", "0000000040866666"}}), "01001b40866666");
  // An integer of 8 bytes whose flags say 4: the flags are wrong, not the value.
  EXPECT_EQ(CellOf({{"0003", "0000000000000004"}}), "0100070000000000000004");
}

TEST(HBaseRowTest, ACompactedColumnStaysAsItIs) {
  // Seconds 0 and 1; 00: one precision.
  EXPECT_EQ(CellOf({{"00000010", "2a2b00"}}), "01000000102a2b00");
  // Second 1 and 1500 ms (1500 * 64 = 0x17700); 01: both.
  EXPECT_EQ(CellOf({{"0010f0017700", "2a2b01"}}), "010010f00177002a2b01");
  // Readers need not believe the last byte: 00 of mixed precisions is taken.
  EXPECT_EQ(CellOf({{"0010f0017700", "2a2b00"}}), "010010f00177002a2b01");
}

TEST(HBaseRowTest, AnAppendedColumnIsSortedAndItsLastWriteWins) {
  // 0010=2b, 0000=2a, and 0010 once more, =2c.
  EXPECT_EQ(CellOf({{"050000", "00102b00002a00102c"}}), "01000000102a2c00");
}

// A point of 80 to 95 seconds has 05 as its first byte, too: the length decides.
TEST(HBaseRowTest, APointThatBeginsWith05IsNoAppendedColumn) {
  EXPECT_EQ(CellOf({{"0500", "2a"}}), "0105002a");
  EXPECT_EQ(CellOf({{"05000510", "2a2b00"}}), "01050005102a2b00");
}

TEST(HBaseRowTest, AllKindsInOneRow) {
  const HBaseRowContent content = Read({
      {"00000010", "2a2b00"},  // compacted: seconds 0 and 1
      {"0020", "2c"},          // late: second 2
      {"010320", "7b7d"},      // annotation at second 800: {}
      {"050000", "00302d"},    // appended: second 3
      {"0600000bb8", "00"},    // histogram at 3000 ms
      {"09", "00"},            // nothing that OpenTSDB knows
      {"f0017700", "2e"},      // 1500 ms
  });
  EXPECT_THAT(content.damaged, IsEmpty());
  EXPECT_THAT(content.annotations, ElementsAre(2u));
  EXPECT_THAT(content.skipped, ElementsAre(4u, 5u));
  EXPECT_EQ(content.duplicates, 0u);
  EXPECT_EQ(ToHex(content.cell), "0100000010f0017700002000302a2b2e2c2d01");
}

TEST(HBaseRowTest, OfOneInstantTheLaterWriteWins) {
  // 1 in one byte, and later 1000 in two, are two columns.
  EXPECT_EQ(CellOf({{"0010", "01", 5}, {"0011", "03e8", 6}}), "01001103e8");
  EXPECT_EQ(CellOf({{"0010", "01", 6}, {"0011", "03e8", 5}}), "01001001");
  // Seconds, and later the same instant in milliseconds: 1000 * 64 = 0xfa00.
  EXPECT_EQ(CellOf({{"0010", "01", 5}, {"f000fa00", "02", 6}}), "01f000fa0002");
  EXPECT_EQ(Read({{"0010", "01", 5}, {"0011", "03e8", 6}}).duplicates, 1u);
}

TEST(HBaseRowTest, ADamagedColumnIsNamedAndTheOthersStay) {
  const HBaseRowContent content = Read({
      {"0000", "2a"},
      {"001b", "ffffffff40866666"},  // the second defect of floats: not zero
      {"00000010", "2a2b"},          // compacted, without its last byte
      {"050000", "00102b0020"},      // appended, cut short
      {"fe000000", "2a"},            // beyond the hour
      {"0022", "010203"},            // an integer of 3 bytes
      {"0030", ""},                  // no value
      {"0040", "2b"},
  });
  EXPECT_EQ(ToHex(content.cell), "01000000402a2b00");
  ASSERT_THAT(content.damaged, SizeIs(6));
  for (size_t i = 0; i < 6; ++i)
    EXPECT_EQ(content.damaged[i].index, i + 1);
  EXPECT_THAT(content.damaged[1].fault, HasSubstr("HBase cell 00000010 with 2 bytes 2a2b"));
}

TEST(HBaseRowTest, ARowWithoutPointsHasNoCell) {
  EXPECT_EQ(CellOf({}), "");
  EXPECT_EQ(CellOf({{"010320", "7b7d"}}), "");
  EXPECT_EQ(CellOf({{"", "00"}}), "");
}

}  // namespace
}  // namespace hourcell::hbase_row_test
