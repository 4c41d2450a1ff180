#include "server/cli/data/scan/row_text.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/strings/str_split.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/cells/cell.h"
#include "codec/cells/hbase_cells.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::row_text_test {
namespace {

// A row with its storage, from the bytes of one cell of OpenTSDB.
struct OwnedRow {
  std::string key = "k";
  std::string qualifiers;
  std::string values;
  std::string metric = "sys.cpu.user";
  std::vector<std::pair<std::string, std::string>> tags = {{"host", "web01"}};
  uint32_t base_time_s = 1356998400;
  std::vector<TagView> tag_views;
  std::vector<Timestamp> times;
  std::vector<Value> point_values;

  ScannedRow View() {
    tag_views.clear();
    for (const auto& [tagk, tagv] : tags)
      tag_views.push_back({tagk, tagv});
    return {.key = key,
            .qualifiers = qualifiers,
            .values = values,
            .base_time_s = base_time_s,
            .metric = metric,
            .tags = tag_views,
            .times = times,
            .point_values = point_values};
  }
};

OwnedRow RowOf(const TestVector& vector) {
  OwnedRow row;
  row.base_time_s = static_cast<uint32_t>(IntOf(vector.given, "base_time"));
  row.qualifiers = BytesOf(vector.given, "q");
  row.values = BytesOf(vector.given, "v");
  CellColumns columns;
  EXPECT_OK(DecodeHBaseCell({.qualifier = row.qualifiers, .value = row.values}, &columns));
  SortLastWins(&columns);
  for (size_t i = 0; i < columns.size(); ++i) {
    const Qualifier qualifier = columns.qualifier(i);
    row.times.push_back(
        {.ms = int64_t{row.base_time_s} * 1000 + qualifier.offset_ms, .is_ms = qualifier.is_ms});
    row.point_values.push_back(columns.value(i));
  }
  return row;
}

std::vector<std::string> TextsOf(simdjson::dom::element expect, std::string_view field) {
  std::vector<std::string> texts;
  for (const simdjson::dom::element text : expect[field].get_array()) {
    texts.emplace_back(text.get_string().value());
  }
  return texts;
}

std::vector<std::string> LinesOf(const std::string& text) {
  EXPECT_TRUE(text.ends_with('\n'));
  return absl::StrSplit(text.substr(0, text.size() - 1), '\n');
}

TEST(RowTextTest, ImportLinesAreOpenTsdbs) {
  for (const TestVector& vector : LoadVectors("storage.json", "scan.import_line")) {
    SCOPED_TRACE(vector.from);
    OwnedRow row = RowOf(vector);

    std::string text;
    AppendImportLines(row.View(), &text);

    EXPECT_EQ(LinesOf(text), TextsOf(vector.expect, "lines"));
  }
}

TEST(RowTextTest, RawLinesAreOpenTsdbs) {
  for (const TestVector& vector : LoadVectors("storage.json", "scan.raw_line")) {
    SCOPED_TRACE(vector.from);
    OwnedRow row = RowOf(vector);
    const std::vector<std::string> want = TextsOf(vector.expect, "line_prefixes");

    std::string text;
    ASSERT_OK(AppendRawLines(row.View(), &text));

    const std::vector<std::string> lines = LinesOf(text);
    ASSERT_EQ(lines.size(), want.size() + 1) << text;  // the row's own line comes first
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_TRUE(lines[i + 1] == want[i] || lines[i + 1].starts_with(want[i] + "\t(2013-01-01 "))
          << lines[i + 1] << " for " << want[i];
    }
  }
}

TEST(RowTextTest, RawRowBeginsWithItsKey) {
  OwnedRow row;
  row.key = *FromHex("00000150e22700000001000001");
  row.qualifiers = *FromHex("0010");
  row.values = "\x01";

  std::string text;
  ASSERT_OK(AppendRawLines(row.View(), &text));

  EXPECT_EQ(text,
            "[0, 0, 1, 80, -30, 39, 0, 0, 0, 1, 0, 0, 1] sys.cpu.user 1356998400 "
            "(2013-01-01 00:00:00 UTC) {host=web01}\n"
            "  [0, 16]\t[1]\t1\tl\t1356998401\t(2013-01-01 00:00:01 UTC)\n");
}

// OpenTSDB's tool fails on points 80 to 95 s into the hour: their qualifiers begin with 05.
TEST(RowTextTest, RawRowOfAPointAtEightySeconds) {
  OwnedRow row;
  row.qualifiers = *FromHex("0500");
  row.values = "\x2a";

  std::string text;
  ASSERT_OK(AppendRawLines(row.View(), &text));

  EXPECT_THAT(text, testing::HasSubstr("  [5, 0]\t[42]\t80\tl\t1356998480\t"));
}

TEST(RowTextTest, RawRowThatDoesNotAddUpIsShownAndReported) {
  OwnedRow row;
  row.qualifiers = *FromHex("0007");
  row.values = "\x2a";

  std::string text;
  const absl::Status status = AppendRawLines(row.View(), &text);

  EXPECT_THAT(status, StatusIs(absl::StatusCode::kDataLoss, testing::HasSubstr("needs 8")));
  EXPECT_THAT(text, testing::HasSubstr("  [0, 7]\t[42]\t[Not a data point]\n"));
}

TEST(RowTextTest, HexLineHasKeyQualifiersAndValues) {
  OwnedRow row;
  row.key = *FromHex("00000150e227");
  row.qualifiers = *FromHex("00000010");
  row.values = *FromHex("2a2b00");

  std::string text;
  AppendHexLine(row.View(), &text);

  EXPECT_EQ(text, "00000150e227\t00000010\t2a2b00\n");
}

}  // namespace
}  // namespace hourcell::row_text_test
