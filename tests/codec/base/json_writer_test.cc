#include "codec/base/json_writer.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace hourcell::json_writer_test {
namespace {

using std::string_view_literals::operator""sv;

std::string JsonString(std::string_view text) {
  std::string out;
  AppendJsonString(text, &out);
  return out;
}

TEST(JsonStringTest, EscapesWhatJsonWantsEscaped) {
  EXPECT_EQ(JsonString("it's a \"x\\y\"\n\r\t\x01\x7f/"sv),
            "\"it's a \\\"x\\\\y\\\"\\n\\r\\t\\u0001\\u007f/\"");
  EXPECT_EQ(JsonString(std::string_view("\0", 1)), "\"\\u0000\"");
  EXPECT_EQ(JsonString(""), "\"\"");
}

TEST(JsonStringTest, KeepsValidUtf8) {
  EXPECT_EQ(JsonString("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"),
            "\"caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"");
}

TEST(JsonStringTest, ReplacesBytesThatAreNotUtf8) {
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

// Texts are looked at by words of 8 bytes, which overlap at the end.
TEST(JsonStringTest, FindsAnOddByteAtEachPlace) {
  for (size_t size = 1; size <= 70; ++size) {
    const std::string plain(size, 'x');
    EXPECT_EQ(JsonString(plain), "\"" + plain + "\"");
    for (size_t place = 0; place < size; ++place) {
      SCOPED_TRACE(testing::Message() << "byte " << place << " of " << size);
      const auto with = [&](std::string_view byte) {
        return std::string(plain).replace(place, 1, byte);
      };
      EXPECT_EQ(JsonString(with("\"")), "\"" + with("\\\"") + "\"");
      EXPECT_EQ(JsonString(with("\\")), "\"" + with("\\\\") + "\"");
      EXPECT_EQ(JsonString(with("\n")), "\"" + with("\\n") + "\"");
      EXPECT_EQ(JsonString(with("\x7F")), "\"" + with("\\u007f") + "\"");
      EXPECT_EQ(JsonString(with("\xE9")), "\"" + with("\xEF\xBF\xBD") + "\"");
    }
  }
}

TEST(JsonWriterTest, PutsCommasWhereTheyBelong) {
  std::string out;
  JsonWriter json(&out);

  json.OpenArray();
  json.OpenObject();
  json.CloseObject();
  json.OpenObject();
  json.Key("empty");
  json.OpenArray();
  json.CloseArray();
  json.Key("nested");
  json.OpenArray();
  json.OpenArray();
  json.Value(1);
  json.Value(2);
  json.CloseArray();
  json.Value("a");
  json.CloseArray();
  json.Key("raw");
  json.RawValue()->append("1.5e3");
  json.Field("last", false);
  json.CloseObject();
  json.Value(3);
  json.CloseArray();

  EXPECT_EQ(out, R"([{},{"empty":[],"nested":[[1,2],"a"],"raw":1.5e3,"last":false},3])");
}

TEST(JsonWriterTest, EveryTypeIsItself) {
  std::string out;
  JsonWriter json(&out);
  json.OpenObject();
  json.Field("a literal, not true", "x\n");
  json.Field("string", std::string("y"));
  json.Field("view", "z"sv);
  json.Field("bool", true);
  json.Field("small", uint8_t{200});
  json.Field("unsigned", UINT64_MAX);
  json.Field("signed", INT64_MIN);
  json.Field("\"", -1);
  json.CloseObject();

  EXPECT_EQ(out, R"({"a literal, not true":"x\n","string":"y","view":"z","bool":true,"small":200,)"
                 R"("unsigned":18446744073709551615,"signed":-9223372036854775808,"\"":-1})");
}

// An answer is sent piece by piece: commas are right even where a piece ends.
TEST(JsonWriterTest, TheBufferMayBeEmptiedMeanwhile) {
  std::string out;
  JsonWriter json(&out);
  json.OpenArray();
  json.Value(1);
  out.clear();

  json.Value(2);
  json.CloseArray();

  EXPECT_EQ(out, ",2]");
}

}  // namespace
}  // namespace hourcell::json_writer_test
