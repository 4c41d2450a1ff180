#include "promql/text/quoting.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace hourcell::promql {
namespace {

TEST(QuotingTest, TheFirstRuneIsDecoded) {
  const auto check = [](std::string_view text, uint32_t code, size_t size) {
    const Rune rune = FirstRune(text);
    EXPECT_EQ(rune.code, code) << text;
    EXPECT_EQ(rune.size, size) << text;
  };
  check("", Rune::kNone, 0);
  check("ab", 'a', 1);
  check("\xc3\xa9", 0xe9, 2);
  check("\xe2\x82\xac!", 0x20ac, 3);
  check("\xf0\x9f\x98\x80", 0x1f600, 4);
  check("\xff\xff", Rune::kInvalid, 1);
  check("\xef\xbf\xbd", Rune::kInvalid, 3);
}

TEST(QuotingTest, WritesAsGoDoes) {
  EXPECT_EQ(Quoted("a'b"), R"("a'b")");
  EXPECT_EQ(Quoted("\"\\\a\b\f\n\r\t\v"), R"("\"\\\a\b\f\n\r\t\v")");
  EXPECT_EQ(Quoted(std::string_view("\0\x1f\x7f", 3)), R"("\x00\x1f\x7f")");
  EXPECT_EQ(Quoted("\xc3\xa9\xe2\x98\xba"), "\"\xc3\xa9\xe2\x98\xba\"");
  EXPECT_EQ(Quoted("\xc2\xa0\xe2\x80\x8b\xf3\xa0\x80\x81"), R"("\u00a0\u200b\U000e0001")");
  EXPECT_EQ(Quoted("\xff\xc3"), R"("\xff\xc3")");
}

TEST(QuotingTest, AReplacementCharacterIsNotAnInvalidByte) {
  EXPECT_EQ(Quoted("\xef\xbf\xbd"), "\"\xef\xbf\xbd\"");
}

TEST(QuotingTest, RunesAreWrittenForErrors) {
  EXPECT_EQ(QuotedRune('a'), "'a'");
  EXPECT_EQ(QuotedRune('\''), R"('\'')");
  EXPECT_EQ(QuotedRune(0), R"('\x00')");
  EXPECT_EQ(QuotedRune(Rune::kNone), "'\xef\xbf\xbd'");
  EXPECT_EQ(RuneNumber('q'), "U+0071 'q'");
  EXPECT_EQ(RuneNumber('\n'), "U+000A");
}

TEST(QuotingTest, ReadsEachKindOfQuotes) {
  EXPECT_EQ(Unquote(R"("a\"b")"), "a\"b");
  EXPECT_EQ(Unquote(R"('a\'b"')"), "a'b\"");
  EXPECT_EQ(Unquote("`a\\n\"\n`"), "a\\n\"\n");
  EXPECT_EQ(Unquote(R"("")"), "");
}

TEST(QuotingTest, NumbersOfTwoOrThreeDigitsAreBytesAndLongerOnesAreCharacters) {
  EXPECT_EQ(Unquote(R"("\xff\377\x41\101x")"),
            "\xff\xff"
            "AAx");
  EXPECT_EQ(Unquote(R"("\u00ff1\U0001f600")"),
            "\xc3\xbf"
            "1\xf0\x9f\x98\x80");
}

TEST(QuotingTest, WhatIsWrittenReadsBack) {
  std::string all;
  for (int i = 0; i < 256; ++i)
    all += static_cast<char>(i);
  for (const std::string& text : {all, std::string("\\x41\"'`"), std::string("\xe2\x80\xa8")})
    EXPECT_EQ(Unquote(Quoted(text)), text);
}

}  // namespace
}  // namespace hourcell::promql
