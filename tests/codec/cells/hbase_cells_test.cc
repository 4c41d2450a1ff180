#include "codec/cells/hbase_cells.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/rows/row_key.h"
#include "codec/text/point_text.h"
#include "codec/value.h"
#include "tests/codec/codec_testing.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::hbase_cells_test {
namespace {

using ::testing::HasSubstr;

// HBase cells that own their bytes.
class OwnedCells {
 public:
  void Add(std::string qualifier, std::string value, int64_t write_time_ms) {
    bytes_.push_back({std::move(qualifier), std::move(value)});
    times_.push_back(write_time_ms);
  }
  void AddAll(simdjson::dom::element cells) {
    for (const simdjson::dom::element cell : simdjson::dom::array(cells)) {
      Add(BytesOf(cell, "q"), BytesOf(cell, "v"), Has(cell, "ts") ? IntOf(cell, "ts") : 0);
    }
  }
  std::vector<HBaseCell> views() const {
    std::vector<HBaseCell> cells;
    for (size_t i = 0; i < bytes_.size(); ++i) {
      cells.push_back({bytes_[i].first, bytes_[i].second, times_[i]});
    }
    return cells;
  }

 private:
  std::vector<std::pair<std::string, std::string>> bytes_;
  std::vector<int64_t> times_;
};

// Points as "qualifier=value" hex.
std::vector<std::string> Shown(const CellColumns& columns) {
  std::vector<std::string> shown;
  for (size_t i = 0; i < columns.size(); ++i) {
    std::string qualifier;
    std::string value;
    AppendQualifier(columns.qualifier(i), &qualifier);
    AppendValue(columns.value(i), columns.qualifier(i).flags, &value);
    shown.push_back(ToHex(qualifier) + "=" + ToHex(value));
  }
  return shown;
}

std::vector<std::string> ShownPoints(simdjson::dom::element points) {
  std::vector<std::string> shown;
  for (const simdjson::dom::element point : simdjson::dom::array(points)) {
    shown.push_back(TextOf(point, "q") + "=" + TextOf(point, "v"));
  }
  return shown;
}

TEST(HBaseCellsTest, ClassifiesByLengthBeforeTheFirstByte) {
  EXPECT_EQ(ClassifyHBaseCell(Hex("0500")), HBaseCellKind::kPoint);
  EXPECT_EQ(ClassifyHBaseCell(Hex("05f00017")), HBaseCellKind::kCompacted);
  EXPECT_EQ(ClassifyHBaseCell(Hex("f0000047")), HBaseCellKind::kPoint);
  EXPECT_EQ(ClassifyHBaseCell(Hex("f00000470010")), HBaseCellKind::kCompacted);
  EXPECT_EQ(ClassifyHBaseCell(Hex("050000")), HBaseCellKind::kAppend);
  EXPECT_EQ(ClassifyHBaseCell(Hex("0500000000")), HBaseCellKind::kUnknown);
  EXPECT_EQ(ClassifyHBaseCell(Hex("0100000000")), HBaseCellKind::kAnnotation);
  EXPECT_EQ(ClassifyHBaseCell(Hex("060001")), HBaseCellKind::kHistogram);
  EXPECT_EQ(ClassifyHBaseCell(Hex("070001")), HBaseCellKind::kUnknown);
  EXPECT_EQ(ClassifyHBaseCell(""), HBaseCellKind::kUnknown);
}

TEST(HBaseCellsTest, VectorsExtractPoints) {
  for (const TestVector& vector : LoadVectors("storage.json", "row.extract_points")) {
    SCOPED_TRACE(vector.from);
    OwnedCells cells;
    cells.AddAll(vector.given["cells"]);
    CellColumns points;
    for (const HBaseCell& cell : cells.views())
      ASSERT_OK(DecodeHBaseCell(cell, &points));
    SortLastWins(&points);
    EXPECT_EQ(Shown(points), ShownPoints(vector.expect["points"]));
  }
}

// Deviation: fix_duplicates=false is not offered, so what that refuses is merged, newest first.
// What is put and deleted is not stated either, for a merge replaces it; that nothing is to do must
// agree.
TEST(HBaseCellsTest, VectorsCompactRow) {
  for (const TestVector& vector : LoadVectors("storage.json", "compact.row")) {
    SCOPED_TRACE(vector.from);
    OwnedCells cells;
    cells.AddAll(vector.given["cells"]);
    const auto row = CompactRow(cells.views());
    ASSERT_OK(row);
    if (vector.wants_error()) {
      EXPECT_FALSE(bool(vector.given["fix_duplicates"]));
      EXPECT_GT(row->duplicates_variant, 0U);
      continue;
    }
    const bool is_empty = vector.expect["q"].is_null();
    EXPECT_EQ(ToHex(row->qualifier), is_empty ? "" : TextOf(vector.expect, "q"));
    EXPECT_EQ(ToHex(row->value), is_empty ? "" : TextOf(vector.expect, "v"));
    EXPECT_EQ(row->annotations, Has(vector.expect, "annotations")
                                    ? static_cast<size_t>(IntOf(vector.expect, "annotations"))
                                    : size_t{0});
    if (!row->rewritten) {
      EXPECT_TRUE(vector.expect["put"].is_null());
      EXPECT_THAT(simdjson::dom::array(vector.expect["delete"]).size(), 0U);
    }
    if (!vector.expect["put"].is_null()) {
      EXPECT_TRUE(row->rewritten);
    }
  }
}

// The vectors give a hash of what their note describes in words: here it is built from the words.
TEST(HBaseCellsTest, VectorsCompactGeneratedRows) {
  for (const TestVector& vector : LoadVectors("storage.json", "compact.row.generated")) {
    SCOPED_TRACE(vector.from);
    const auto width = static_cast<size_t>(IntOf(vector.given, "qualifier_bytes"));
    OwnedCells cells;
    std::string qualifiers;
    std::string values;
    for (int64_t i = IntOf(vector.given, "first"); i < IntOf(vector.given, "limit");
         i += IntOf(vector.given, "step")) {
      std::string qualifier;
      std::string value;
      AppendBigEndian(
          static_cast<uint64_t>(i << IntOf(vector.given, "shift") | IntOf(vector.given, "or")),
          width, &qualifier);
      AppendBigEndian(static_cast<uint64_t>(i), 8, &value);
      qualifiers += qualifier;
      values += value;
      cells.Add(std::move(qualifier), std::move(value), 0);
    }

    const auto row = CompactRow(cells.views());

    ASSERT_OK(row);
    EXPECT_EQ(row->qualifier.size(), static_cast<size_t>(IntOf(vector.expect, "q_length")));
    EXPECT_EQ(row->value.size(), static_cast<size_t>(IntOf(vector.expect, "v_length")));
    EXPECT_TRUE(row->qualifier == qualifiers);
    EXPECT_TRUE(row->value == values + '\0');
    EXPECT_TRUE(row->rewritten);
  }
}

TEST(HBaseCellsTest, CompactCountsDuplicatesAndPrefersTheNewest) {
  OwnedCells cells;
  cells.Add(Hex("0000"), Hex("01"), 5);
  cells.Add(Hex("f0000000"), Hex("02"), 9);
  cells.Add(Hex("0007"), Hex("0000000000000002"), 7);
  cells.Add(Hex("00000010"), Hex("020300"), 8);

  const auto row = CompactRow(cells.views());

  ASSERT_OK(row);
  EXPECT_EQ(ToHex(row->qualifier), "f00000000010");
  EXPECT_EQ(ToHex(row->value), "020301");
  EXPECT_EQ(row->duplicates_identical, 1U);
  EXPECT_EQ(row->duplicates_variant, 2U);
}

TEST(HBaseCellsTest, CompactLetsTheEarlierCellWinAtOneWriteTime) {
  OwnedCells cells;
  cells.Add(Hex("0000"), Hex("01"), 5);
  cells.Add(Hex("0001"), Hex("0002"), 5);
  const auto row = CompactRow(cells.views());
  ASSERT_OK(row);
  EXPECT_EQ(ToHex(row->qualifier), "0000");
}

TEST(HBaseCellsTest, CompactLeavesACompactedRowAsItIs) {
  OwnedCells cells;
  cells.Add(Hex("00000010"), Hex("010200"), 5);
  const auto row = CompactRow(cells.views());
  ASSERT_OK(row);
  EXPECT_FALSE(row->rewritten);
}

TEST(HBaseCellsTest, DecodeRepairsOnlySinglePointsWithTwoByteQualifiers) {
  CellColumns points;
  ASSERT_OK(DecodeHBaseCell({Hex("000b"), Hex("0000000040866666")}, &points));
  ASSERT_OK(DecodeHBaseCell({Hex("0013"), Hex("0000000000000004")}, &points));
  EXPECT_EQ(Shown(points), (std::vector<std::string>{"000b=40866666", "0017=0000000000000004"}));
  EXPECT_THAT(DecodeHBaseCell({Hex("f000000b"), Hex("0000000040866666")}, &points),
              StatusIs(absl::StatusCode::kDataLoss));
}

TEST(HBaseCellsTest, DecodeNamesTheFault) {
  const auto check = [](const char* qualifier, const char* value, const char* fault) {
    SCOPED_TRACE(qualifier);
    CellColumns points;
    const std::string qualifier_bytes = Hex(qualifier);
    const std::string value_bytes = Hex(value);
    EXPECT_THAT(DecodeHBaseCell({qualifier_bytes, value_bytes}, &points),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr(fault)));
  };
  check("000b", "0000000140866666", "corrupted floating point value");
  check("0000", "", "value : 0 bytes");
  check("0002", "000000", "flags 2");
  check("e100", "01", "offset 3600000 ms");
  check("00000010", "0102", "0 bytes after the last value");
  check("00000010", "01020000", "2 bytes after the last value");
  check("050000", "0000", "append cell at 0");
  check("050000", "00002a00", "append cell at 3");
}

TEST(HBaseCellsTest, DecodeReportsCompactedQualifiersCutShort) {
  CellColumns points;
  EXPECT_THAT(DecodeHBaseCell({Hex("0000 f000"), Hex("01 02 00")}, &points),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("cut short")));
}

TEST(HBaseCellsTest, VectorsAppendParse) {
  for (const TestVector& vector : LoadVectors("storage.json", "append.parse")) {
    SCOPED_TRACE(vector.from);
    const auto parsed = ParseAppendCell(BytesOf(vector.given, "q"), BytesOf(vector.given, "v"));
    if (vector.wants_error()) {
      const bool is_data = TextOf(vector.expect, "error") == "IllegalDataException";
      EXPECT_THAT(parsed.status(), StatusIs(is_data ? absl::StatusCode::kDataLoss
                                                    : absl::StatusCode::kInvalidArgument));
      continue;
    }
    ASSERT_OK(parsed.status());
    EXPECT_EQ(Shown(parsed->points), ShownPoints(vector.expect["points"]));
    EXPECT_EQ(parsed->needs_repair, bool(vector.expect["needs_repair"]));
    EXPECT_EQ(ToHex(EncodeAppendCell(parsed->points)), TextOf(vector.expect, "repaired"));
    size_t i = 0;
    for (const simdjson::dom::element point : simdjson::dom::array(vector.expect["points"])) {
      EXPECT_EQ(IntOf(vector.given, "base_time") * 1000 + parsed->points.offset_ms[i],
                IntOf(point, "timestamp_ms"));
      ++i;
    }
  }
}

TEST(HBaseCellsTest, VectorsAppendEncode) {
  for (const TestVector& vector : LoadVectors("storage.json", "append.encode")) {
    SCOPED_TRACE(vector.from);
    std::string cell;
    for (const simdjson::dom::element point : simdjson::dom::array(vector.given["points"])) {
      const auto qualifier = ParseQualifier(BytesOf(point, "q"));
      ASSERT_OK(qualifier);
      AppendToAppendCell(*qualifier, BytesOf(point, "v"), &cell);
    }
    EXPECT_EQ(ToHex(cell), TextOf(vector.expect, "bytes"));
  }
}

TEST(HBaseCellsTest, VectorsAppendWrite) {
  for (const TestVector& vector : LoadVectors("storage.json", "append.write")) {
    SCOPED_TRACE(vector.from);
    const int64_t base_ms = IntOf(vector.expect, "row_base_time") * 1000;
    std::string cell;
    for (const simdjson::dom::element point : simdjson::dom::array(vector.given["points"])) {
      const auto time = TimestampFromInteger(int64_t(point.at(0)));
      ASSERT_TRUE(time.ok());
      ASSERT_EQ(int64_t{kHourSpan.BaseS(time->ms)} * 1000, base_ms);
      const Value value = Value::Integer(int64_t(point.at(1)));
      std::string bytes;
      AppendValue(value, ValueFlags(value), &bytes);
      AppendToAppendCell({.offset_ms = static_cast<uint32_t>(time->ms - base_ms),
                          .is_ms = time->is_ms,
                          .flags = ValueFlags(value)},
                         bytes, &cell);
    }
    EXPECT_EQ(ToHex(kAppendQualifier), TextOf(vector.expect, "q"));
    EXPECT_EQ(ToHex(cell), TextOf(vector.expect, "v"));
  }
}

TEST(HBaseCellsTest, EveryTruncationOfAnAppendCellIsRefusedOrAPrefix) {
  const std::string cell = Hex("0000 2a f0000101 0080 001b 422a0000 002f 402899999999999a");
  const size_t ends[] = {3, 9, 15, 25};
  for (size_t size = 1; size <= cell.size(); ++size) {
    SCOPED_TRACE(size);
    const auto parsed = ParseAppendCell(kAppendQualifier, cell.substr(0, size));
    const auto* const end = std::find(std::begin(ends), std::end(ends), size);
    if (end == std::end(ends)) {
      EXPECT_THAT(parsed.status(), StatusIs(absl::StatusCode::kDataLoss));
    } else {
      ASSERT_OK(parsed.status());
      EXPECT_EQ(parsed->points.size(), static_cast<size_t>(end - ends) + 1);
    }
  }
}

}  // namespace
}  // namespace hourcell::hbase_cells_test
