#include "codec/base/strings.h"

#include <gtest/gtest.h>

namespace hourcell::strings_test {
namespace {

TEST(StringsTest, QuotesEscapeWhatIsNotText) {
  EXPECT_EQ(QuoteForMessage("host"), "\"host\"");
  EXPECT_EQ(QuoteForMessage("a\nb\xFF\x7F"), "\"a\\x0ab\\xff\\x7f\"");
  EXPECT_EQ(QuoteForMessage("caf\u00E9 \"x\""), "\"caf\u00E9 \\\"x\\\"\"");
}

TEST(StringsTest, QuotesAreCutAfterSixtyFourBytes) {
  EXPECT_EQ(QuoteForMessage(std::string(64, 'a')), "\"" + std::string(64, 'a') + "\"");
  EXPECT_EQ(QuoteForMessage(std::string(65, 'a')), "\"" + std::string(64, 'a') + "...\"");
}

TEST(StringsTest, TextWithoutQuotesHasNoControlCharacters) {
  EXPECT_EQ(TextForMessage("caf\u00E9 \"x\\"), "caf\u00E9 \"x\\");
  EXPECT_EQ(TextForMessage("a\1b\x1B[2J\xFF"), "a\\x01b\\x1b[2J\\xff");
  EXPECT_EQ(TextForMessage("a\u009B2J\u00A0"), "a\\xc2\\x9b2J\u00A0");
  EXPECT_EQ(QuoteForMessage("\u0085"), "\"\\xc2\\x85\"");
  EXPECT_EQ(TextForMessage(std::string(256, 'a')), std::string(256, 'a'));
  EXPECT_EQ(TextForMessage(std::string(257, 'a')), std::string(256, 'a') + "...");
}

TEST(StringsTest, Utf8IsRfc3629) {
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_TRUE(IsUtf8("a\u00E9\u6E29\U0001D400\U0010FFFF"));
  EXPECT_FALSE(IsUtf8("\x80"));
  EXPECT_FALSE(IsUtf8("\xC3"));
  EXPECT_FALSE(IsUtf8("\xC0\x80"));          // overlong
  EXPECT_FALSE(IsUtf8("\xE0\x9F\xBF"));      // overlong
  EXPECT_FALSE(IsUtf8("\xED\xA0\x80"));      // surrogate
  EXPECT_FALSE(IsUtf8("\xF4\x90\x80\x80"));  // over U+10FFFF
  EXPECT_FALSE(IsUtf8("\xE6\xB8"));
}

TEST(StringsTest, MapsOfStringsAreSearchedByView) {
  StringMap<int> map = {{"host", 1}};
  EXPECT_TRUE(map.contains(std::string_view("host")));
  EXPECT_FALSE(map.contains(std::string_view("dc")));
}

TEST(StringsTest, ANewerFormatIsNamedWithWhatIsReadAndWhatToDo) {
  EXPECT_EQ(NewerFormatMessage("journal format 2", "1"),
            "journal format 2: this program reads 1. A newer version of Hourcell wrote it; use "
            "that version or a later one");
}

TEST(StringsTest, MarkupIsEscaped) {
  EXPECT_EQ(EscapeMarkup("<a href=\"b\">&c;'\n</a>"),
            "&lt;a href=&quot;b&quot;&gt;&amp;c;&#39;\n&lt;/a&gt;");
}

TEST(StringsTest, CodePointsBecomeUtf8) {
  std::string text;
  for (const uint32_t code : {0x41U, 0xE9U, 0x20ACU, 0x1F600U})
    AppendUtf8(code, &text);
  EXPECT_EQ(text, "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(Utf8SequenceLength(text.substr(1)), 2u);
  EXPECT_EQ(Utf8SequenceLength("\xC3"), 0u) << "cut short";
}

}  // namespace
}  // namespace hourcell::strings_test
