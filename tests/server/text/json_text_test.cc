#include "server/text/json_text.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace hourcell::json_text_test {
namespace {

using std::string_view_literals::operator""sv;

std::string JsonString(std::string_view text) {
  std::string out;
  AppendJsonString(text, &out);
  return out;
}

TEST(JsonTextTest, EscapesWhatJsonWantsEscaped) {
  EXPECT_EQ(JsonString("it's a \"x\\y\"\n\r\t\x01\x7f/"sv),
            "\"it's a \\\"x\\\\y\\\"\\n\\r\\t\\u0001\\u007f/\"");
  EXPECT_EQ(JsonString(std::string_view("\0", 1)), "\"\\u0000\"");
  EXPECT_EQ(JsonString(""), "\"\"");
}

TEST(JsonTextTest, KeepsValidUtf8) {
  EXPECT_EQ(JsonString("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"),
            "\"caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"");
}

TEST(JsonTextTest, ReplacesBytesThatAreNotUtf8) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  const auto check = [&](std::string_view text, int replacements) {
    SCOPED_TRACE(testing::PrintToString(text));
    std::string want = "\"";
    for (int i = 0; i < replacements; ++i)
      want.append(kReplacement);
    EXPECT_EQ(JsonString(text), want + "x\"");
  };
  check("\xE9x"sv, 1);              // Latin-1
  check("\xC0\xAFx"sv, 2);          // overlong
  check("\xED\xA0\x80x"sv, 3);      // a surrogate
  check("\xF4\x90\x80\x80x"sv, 4);  // above U+10FFFF
  check("\xE2\x82x"sv, 2);          // cut short
}

}  // namespace
}  // namespace hourcell::json_text_test
