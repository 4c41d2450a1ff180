#include "server/cli/data/scan/row_line.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::row_line_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A row with these qualifiers and values.
std::string Line(std::string_view qualifiers, std::string_view values) {
  return fmt::format(R"({{"key":"0102","metric":"cpu","tags":{{"host":"a"}},"base":1356998400,)"
                     R"("qualifiers":"{}","values":"{}"}})",
                     qualifiers, values);
}

TEST(RowLineTest, ARowHasItsNamesItsBytesAndItsPoints) {
  RowLine line;
  const auto kind = line.Read(Line("0000F0004001", "2AFFFE"));

  ASSERT_OK(kind);
  EXPECT_EQ(*kind, RowLine::Kind::kRow);
  EXPECT_EQ(line.row().key, "\x01\x02");
  EXPECT_EQ(line.row().metric, "cpu");
  EXPECT_THAT(line.row().tags, ElementsAre(TagView{.key = "host", .value = "a"}));
  EXPECT_EQ(line.row().base_time_s, 1356998400);
  EXPECT_EQ(line.row().qualifiers.size(), 6);
  EXPECT_EQ(line.row().values, "\x2A\xFF\xFE");
  EXPECT_THAT(line.row().point_values, ElementsAre(Value::Integer(42), Value::Integer(-2)));
  EXPECT_THAT(line.row().times, ElementsAre(Timestamp{.ms = 1356998400000},
                                            Timestamp{.ms = 1356998400256, .is_ms = true}));
}

TEST(RowLineTest, TheEndIsACountOrAnError) {
  RowLine line;

  EXPECT_EQ(*line.Read(R"({"lines":2})"), RowLine::Kind::kEnd);
  EXPECT_THAT(line.Read(R"({"error":"timed out"})").status(),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("timed out")));
}

TEST(RowLineTest, ALineThatIsNoRowIsDataLoss) {
  RowLine line;
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{}"), std::string("{\"key\":\"00\"}"),
        Line("000", "00"), Line("0000", ""), Line("0000", "xy"), Line("00", "00"),
        Line("0009", "0000")}) {
    EXPECT_THAT(line.Read(text).status(), StatusIs(absl::StatusCode::kDataLoss)) << text;
  }
}

}  // namespace
}  // namespace hourcell::row_line_test
