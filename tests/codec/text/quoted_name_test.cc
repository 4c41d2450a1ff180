#include "codec/text/quoted_name.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace hourcell::quoted_name_test {
namespace {

TEST(QuotedNameTest, EachNameIsReadBack) {
  for (const std::string_view name :
       {"", "a", "a b", "\"", "\\", "a\"b\\c", "{},=|*():", "\u5317"}) {
    std::string text;
    AppendQuoted(name, &text);
    std::string read = "x";
    EXPECT_EQ(TakeQuoted(text + "rest", &read), text.size()) << text;
    EXPECT_EQ(read, "x" + std::string(name));
    EXPECT_EQ(Unquoted(text), name);
  }
}

TEST(QuotedNameTest, OtherTextsAreNotQuoted) {
  for (const std::string_view text : {"", "a", "\"", "\"a", "\"a\\", "\"a\\n\"", "a\"b\""}) {
    std::string read = "x";
    EXPECT_EQ(TakeQuoted(text, &read), 0U) << text;
    EXPECT_EQ(read, "x") << text;
    EXPECT_EQ(Unquoted(text), text);
  }
  EXPECT_EQ(Unquoted("\"a\"b"), "\"a\"b");
}

TEST(QuotedNameTest, QuotesBeginWhereANameDoes) {
  EXPECT_EQ(FindOutsideQuotes("\"a{\"{", '{'), 4U);
  EXPECT_EQ(FindOutsideQuotes("k=\"a,\"|\"b,\",", ','), 11U);
  EXPECT_EQ(FindOutsideQuotes("a\"b{c\"", '{'), 3U) << "in the middle of a name";
  EXPECT_EQ(FindOutsideQuotes("\"a{", '{'), 2U) << "not closed";
  EXPECT_EQ(FindOutsideQuotes("a", '{'), std::string_view::npos);
}

}  // namespace
}  // namespace hourcell::quoted_name_test
