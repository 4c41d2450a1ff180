#include "codec/cells/cell.h"

#include <map>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/base/random.h"
#include "tests/codec/codec_testing.h"
#include "tests/support/status_matchers.h"

namespace hourcell::cell_test {
namespace {

using ::testing::HasSubstr;

std::string PointCell(uint32_t offset_ms, bool is_ms, Value value) {
  std::string cell;
  AppendPointCell(offset_ms, is_ms, value, &cell);
  return cell;
}

std::string Merged(std::string_view existing, const std::vector<std::string>& operands) {
  const std::vector<std::string_view> views(operands.begin(), operands.end());
  std::string out = "left over";
  MergeCells(existing, views, &out);
  return out;
}

// A cell of each kind of value, both precisions, with widths that are not minimal.
std::vector<std::string> SampleCells() {
  return {Cell("0000", "2a"),
          Cell("0007", "000000000000002a"),
          Cell("f0000047", "ffffffffffffffff"),
          Cell("0000 0010", "2a 2b 00"),
          Cell("000b 001f 0027", "422a0000 402899999999999a 0000000000000001 00"),
          Cell("0000 f0000101 0011 fdbb9fcb", "2a 0080 8000 7f800001 01")};
}

TEST(CellTest, AppendsOnePointWithoutMetaByte) {
  EXPECT_EQ(ToHex(PointCell(0, kSeconds, Value::Integer(42))), "0100002a");
  EXPECT_EQ(ToHex(PointCell(3'599'000, kSeconds, Value::Float(42.5))), "01e0fb422a0000");
  EXPECT_EQ(ToHex(PointCell(1, kMs, Value::Integer(-257))), "01f0000041feff");
}

TEST(CellTest, AppendsManyPointsAsOpenTsdbCompactsThem) {
  CellColumns columns;
  AddPoint(0, kSeconds, Value::Integer(4), &columns);
  AddPoint(1, kMs, Value::Integer(5), &columns);
  AddPoint(2000, kSeconds, Value::Float(0.5), &columns);
  EXPECT_EQ(ToHex(OpenTsdbCellOf(columns)),
            "01"
            "0000f0000040002b"
            "04053f000000"
            "01");
}

TEST(CellTest, MetaByteSaysWhetherPrecisionsAreMixed) {
  for (const bool first : {kSeconds, kMs}) {
    for (const bool second : {kSeconds, kMs}) {
      CellColumns columns;
      AddPoint(0, first, Value::Integer(1), &columns);
      AddPoint(1000, second, Value::Integer(2), &columns);
      EXPECT_EQ(OpenTsdbCellOf(columns).back(), first == second ? '\0' : '\1');
    }
  }
}

TEST(CellTest, DecodingAndEncodingGivesTheSameBytes) {
  for (const std::string& cell : SampleCells()) {
    SCOPED_TRACE(ToHex(cell));
    CellColumns columns;
    ASSERT_OK(DecodeCell(cell, &columns));
    EXPECT_EQ(ToHex(OpenTsdbCellOf(columns)), ToHex(cell));
  }
}

TEST(CellTest, DecodeAppendsWidenedValues) {
  CellColumns columns;
  AddPoint(0, kSeconds, Value::Integer(7), &columns);
  ASSERT_OK(DecodeCell(Cell("001b f00109c0", "3f000000 ff 01"), &columns));
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_EQ(columns.value(1), Value::Float(0.5));
  EXPECT_EQ(columns.qualifier(1), (Qualifier{.offset_ms = 1000, .is_ms = false, .flags = 0xB}));
  EXPECT_EQ(columns.value(2), Value::Integer(-1));
  EXPECT_EQ(columns.offset_ms[2], 1063U);
}

TEST(CellTest, DecodeNamesTheFault) {
  const auto check = [](const std::string& cell, const char* fault) {
    SCOPED_TRACE(ToHex(cell));
    CellColumns columns;
    EXPECT_THAT(DecodeCell(cell, &columns),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr(fault)));
    EXPECT_EQ(columns.size(), 0U);
  };
  check("", "empty");
  check(Hex("00 0000 2a"), "unknown format; expected 01 to 05 or ff");
  check(Hex("06 0000 2a"),
        "cell 0600002a of 4 bytes: format 06: this program reads 01 to 05 and ff. A newer "
        "version of Hourcell wrote it; use that version or a later one");
  check(Hex("02 0000 2a"), "packed cell 0200002a of 4 bytes");
  check(Hex("03 0000 2a"), "packed cell 0300002a of 4 bytes");
  check(Hex("01"), "do not add up after 0 points");
  check(Cell("0000", ""), "do not add up");
  check(Cell("0000 0010", "2a 2b"), "do not add up");
  check(Cell("0000 0010", "2a 2b 00 00"), "do not add up");
  check(Cell("0002", "000000"), "unreadable flags");
  check(Cell("e100", "00"), "offset of an hour");
  check(Cell("0010 0010", "2a 2b 00"), "offsets do not ascend");
  check(Cell("0010 0000", "2a 2b 00"), "offsets do not ascend");
  check(Cell("0010 f000fa00", "2a 2b 01"), "offsets do not ascend");
  check(Cell("0000 0010", "2a 2b 02"), "meta byte 02");
}

TEST(CellTest, EveryTruncationIsRefusedOrAValidCell) {
  for (const std::string& cell : SampleCells()) {
    for (size_t size = 0; size < cell.size(); ++size) {
      SCOPED_TRACE(ToHex(cell.substr(0, size)));
      CellColumns columns;
      const absl::Status status = DecodeCell(cell.substr(0, size), &columns);
      if (status.ok()) {
        EXPECT_EQ(OpenTsdbCellOf(columns).size(), size);
      } else {
        EXPECT_THAT(status, StatusIs(absl::StatusCode::kDataLoss));
        EXPECT_EQ(columns.size(), 0U);
      }
    }
  }
}

TEST(CellTest, EverySingleBitFlipIsRefusedOrAValidCell) {
  for (const std::string& cell : SampleCells()) {
    for (size_t bit = 0; bit < 8 * cell.size(); ++bit) {
      std::string damaged = cell;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      SCOPED_TRACE(ToHex(damaged));
      CellColumns columns;
      const absl::Status status = DecodeCell(damaged, &columns);
      if (status.ok()) {
        EXPECT_EQ(OpenTsdbCellOf(columns).size(), damaged.size());
      } else {
        EXPECT_THAT(status, StatusIs(absl::StatusCode::kDataLoss));
      }
    }
  }
}

TEST(CellTest, EveryCellOfThreeBytesAfterTheFormatIsBounded) {
  size_t decoded = 0;
  for (uint32_t body = 0; body < 0x1000000; body += 0x101) {
    std::string cell = "\x01";
    AppendBigEndian(body, 3, &cell);
    CellColumns columns;
    if (DecodeCell(cell, &columns).ok()) {
      ASSERT_EQ(OpenTsdbCellOf(columns), cell);
      ++decoded;
    }
  }
  EXPECT_GT(decoded, 1000U);
}

TEST(CellTest, ToOpenTsdbSplitsQualifiersFromValuesAndMeta) {
  const auto stored = ToOpenTsdb(Cell("0000 f0000101", "2a 0080 01"));
  ASSERT_OK(stored);
  EXPECT_EQ(ToHex(stored->qualifiers), "0000f0000101");
  EXPECT_EQ(ToHex(stored->values), "2a008001");
  EXPECT_THAT(ToOpenTsdb(Hex("01 0000")).status(), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(ToOpenTsdb("").status(), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(CellTest, EveryCellGivesTheSameOpenTsdbBytesPacked) {
  for (const std::string& cell : SampleCells()) {
    SCOPED_TRACE(ToHex(cell));
    const auto stored = ToOpenTsdb(Packed(cell));
    ASSERT_OK(stored);
    EXPECT_EQ(ToHex('\x01' + stored->qualifiers + stored->values), ToHex(cell));
  }
}

TEST(CellTest, SortKeepsTheLaterOfEqualOffsetsWhateverTheirPrecision) {
  CellColumns columns;
  AddPoint(2000, kSeconds, Value::Integer(1), &columns);
  AddPoint(1000, kSeconds, Value::Integer(2), &columns);
  AddPoint(2000, kMs, Value::Float(0.5), &columns);
  AddPoint(1500, kMs, Value::Integer(3), &columns);
  AddPoint(1000, kSeconds, Value::Integer(4), &columns);

  SortLastWins(&columns);

  CellColumns want;
  AddPoint(1000, kSeconds, Value::Integer(4), &want);
  AddPoint(1500, kMs, Value::Integer(3), &want);
  AddPoint(2000, kMs, Value::Float(0.5), &want);
  EXPECT_EQ(columns, want);
}

TEST(CellTest, MergeOfOneCellIsThatCell) {
  for (const std::string& cell : SampleCells()) {
    EXPECT_EQ(ToHex(Merged(cell, {})), ToHex(cell));
    EXPECT_EQ(ToHex(Merged("", {cell})), ToHex(cell));
    EXPECT_EQ(ToHex(Merged(cell, {cell})), ToHex(cell));
  }
  EXPECT_EQ(Merged("", {}), "");
}

TEST(CellTest, MergeOfAscendingPointsIsTheirConcatenation) {
  const std::string merged = Merged(
      Cell("0000 0010", "01 02 00"),
      {Cell("0020", "03"), Cell("f002710b f002af80", "3f000000 04 00"), Cell("0031", "0100")});
  EXPECT_EQ(ToHex(merged),
            "01"
            "000000100020f002710bf002af800031"
            "0102033f000000040100"
            "01");
}

TEST(CellTest, MergeLetsTheLastWriteWin) {
  EXPECT_EQ(
      ToHex(Merged(Cell("0000", "2a"), {Cell("0000", "2b"), Cell("0007", "000000000000002c")})),
      ToHex(Cell("0007", "000000000000002c")));
  EXPECT_EQ(ToHex(Merged(Cell("0010", "2a"), {Cell("f000fa0b", "3f000000")})),
            ToHex(Cell("f000fa0b", "3f000000")));
  EXPECT_EQ(ToHex(Merged(Cell("0010", "2a"), {Cell("0000", "2b")})),
            ToHex(Cell("0000 0010", "2b 2a 00")));
}

TEST(CellTest, MergeClearsReservedBitsWhateverTheOrder) {
  EXPECT_EQ(ToHex(Merged("", {Cell("f0000070", "01"), Cell("f0000080", "02")})),
            ToHex(Cell("f0000040 f0000080", "01 02 00")));
}

TEST(CellTest, MergeCarriesDamageVerbatimBesideWhatDecodes) {
  const std::string damaged = Merged(Cell("0000", "2a"), {Hex("dead"), Cell("0010", "2b"), ""});

  EXPECT_EQ(ToHex(damaged),
            "ff"
            "08"
            "01000000102a2b00"
            "02"
            "dead"
            "00");
  CellColumns columns;
  EXPECT_THAT(DecodeCell(damaged, &columns),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("2 parts that do not decode")));
  EXPECT_EQ(columns.size(), 2U);
  EXPECT_THAT(ToOpenTsdb(damaged).status(), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(CellTest, MergeFlattensDamagedRecordsAndMergesTheirGoodCellInPlace) {
  const std::string old = Merged(Cell("0000", "2a"), {Hex("dead")});
  const std::string newer = Merged("", {Hex("beef"), Cell("0000", "2b")});
  EXPECT_EQ(ToHex(Merged(old, {newer})),
            "ff"
            "04"
            "0100002b"
            "02"
            "dead"
            "02"
            "beef");
  EXPECT_EQ(ToHex(Merged(newer, {old})),
            "ff"
            "04"
            "0100002a"
            "02"
            "beef"
            "02"
            "dead");
}

TEST(CellTest, MergeKeepsAMalformedDamagedRecordWhole) {
  for (const char* record :
       {"ff", "ff00", "ff0401000", "ff040100002a", "ff0002de", "ff00ffffffffff"}) {
    std::string hex = record;
    if (hex.size() % 2 == 1) hex += '0';
    SCOPED_TRACE(hex);
    const std::string merged = Merged(Hex(hex), {Cell("0000", "2a")});
    EXPECT_THAT(ToHex(merged), HasSubstr(hex));
    CellColumns columns;
    EXPECT_THAT(DecodeCell(merged, &columns), StatusIs(absl::StatusCode::kDataLoss));
    EXPECT_EQ(columns.size(), 1U);
  }
}

TEST(CellTest, MergeIsPackedIfAnInputIs) {
  const std::string packed = Packed(Cell("0000 0010", "01 02 00"));
  const std::string both = Packed(Cell("0000 0010 0020", "01 02 03 00"));
  EXPECT_EQ(ToHex(Merged(packed, {Cell("0020", "03")})), ToHex(both));
  EXPECT_EQ(ToHex(Merged(Cell("0020", "03"), {packed})), ToHex(both));
  EXPECT_EQ(ToHex(Merged("", {packed, Packed(Cell("0020", "03"))})), ToHex(both));
}

TEST(CellTest, MergeKeepsOnePackedCellVerbatim) {
  // A small delta coded with shift 0, spelled out: nothing we would write, but good.
  const std::string packed = Packed(Cell("0000 0010 0020 0030", "01 02 02 01 00"));
  std::string spelled_out = packed;
  ASSERT_EQ(static_cast<uint8_t>(packed[6]) >> 5, 7);
  spelled_out[6] = static_cast<char>(3 << 5 | (packed[6] & 0x1F));
  spelled_out.insert(7, 1, '\0');

  EXPECT_EQ(ToHex(Merged(spelled_out, {})), ToHex(spelled_out));
  EXPECT_EQ(ToHex(Merged(spelled_out, {Cell("0000", "01")})), ToHex(packed));
}

TEST(CellTest, MergeLetsTheLastWriteWinOverAPackedPoint) {
  const std::string packed = Packed(Cell("0000 0010", "01 02 00"));
  const std::string merged = Merged(packed, {Cell("f000fa0b", "3f000000"), packed});
  EXPECT_EQ(ToHex(merged), ToHex(packed));
  const auto stored = ToOpenTsdb(Merged(packed, {packed, Cell("f000fa0b", "3f000000")}));
  ASSERT_OK(stored);
  EXPECT_EQ(ToHex(stored->qualifiers), "0000f000fa0b");
  EXPECT_EQ(ToHex(stored->values), "013f00000001");
}

TEST(CellTest, MergeCarriesADamagedPackedCellVerbatim) {
  const std::string packed = Packed(Cell("0000 0010", "01 02 00"));
  const std::string cut = packed.substr(0, packed.size() - 1);
  const std::string merged = Merged(packed, {cut, Cell("0020", "03")});

  EXPECT_EQ(merged.front(), '\xFF');
  EXPECT_THAT(ToHex(merged), HasSubstr(ToHex(cut)));
  CellColumns columns;
  EXPECT_THAT(DecodeCell(merged, &columns),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("1 parts that do not decode")));
  EXPECT_EQ(columns.size(), 3U);
}

// What a row holds after some puts: the simplest thing that can be right.
using RowModel = std::map<uint32_t, std::pair<uint8_t, uint64_t>>;

Value RandomValue(Random* random) {
  if (random->Below(2) == 0) return Value::Float(static_cast<double>(random->Below(1000)) / 7);
  return Value::Integer(static_cast<int64_t>(random->Next() >> random->Below(64)));
}

// One operand: a point, some points in either format, or bytes that do not decode.
std::string RandomOperand(Random* random, RowModel* model) {
  if (random->Below(20) == 0) return std::string(random->Below(4), 'x');
  CellColumns columns;
  const uint64_t points = 1 + random->Below(4);
  for (uint64_t i = 0; i < points; ++i) {
    const bool is_ms = random->Below(2) == 0;
    AddPoint(static_cast<uint32_t>(random->Below(20)) * (is_ms ? 500 : 1000), is_ms,
             RandomValue(random), &columns);
  }
  SortLastWins(&columns);
  for (size_t i = 0; i < columns.size(); ++i) {
    (*model)[columns.offset_ms[i]] = {columns.flags[i], columns.bits[i]};
  }
  return random->Below(4) == 0 ? PackedCellOf(columns) : OpenTsdbCellOf(columns);
}

TEST(CellTest, MergeHoldsWhatAMapHoldsHoweverItIsGrouped) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    RowModel model;
    std::vector<std::string> operands;
    for (uint64_t i = 1 + random.Below(12); i > 0; --i) {
      operands.push_back(RandomOperand(&random, &model));
    }

    const std::string merged = Merged("", operands);

    CellColumns columns;
    if (const absl::Status status = DecodeCell(merged, &columns); !status.ok()) {
      EXPECT_EQ(merged.front(), '\xFF') << status;
    }
    ASSERT_EQ(columns.size(), model.size());
    size_t i = 0;
    for (const auto& [offset_ms, point] : model) {
      EXPECT_EQ(columns.offset_ms[i], offset_ms);
      EXPECT_EQ(columns.flags[i], point.first);
      EXPECT_EQ(columns.bits[i], point.second);
      ++i;
    }
    const auto cut = operands.begin() + static_cast<ptrdiff_t>(random.Below(operands.size()));
    if (cut == operands.begin()) continue;
    const std::string front = Merged("", {operands.begin(), cut});
    const std::string back = Merged("", {cut, operands.end()});
    EXPECT_EQ(ToHex(Merged(front, {cut, operands.end()})), ToHex(merged));
    EXPECT_EQ(ToHex(Merged(front, {back})), ToHex(merged));
  }
}

}  // namespace
}  // namespace hourcell::cell_test
