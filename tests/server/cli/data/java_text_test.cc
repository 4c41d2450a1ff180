#include "server/cli/data/java_text.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace hourcell::java_text_test {
namespace {

TEST(JavaTextTest, BytesAreSignedDecimals) {
  std::string text;
  AppendJavaBytes(std::string_view("\x00\x7f\x80\xe2", 4), &text);
  EXPECT_EQ(text, "[0, 127, -128, -30]");
}

TEST(JavaTextTest, NoBytesAreEmptyBrackets) {
  std::string text;
  AppendJavaBytes("", &text);
  EXPECT_EQ(text, "[]");
}

TEST(JavaTextTest, DateIsUtcToTheSecond) {
  std::string text;
  AppendUtcDate(1356998401999, &text);
  EXPECT_EQ(text, "(2013-01-01 00:00:01 UTC)");
}

TEST(JavaTextTest, DateOfTheLastInstant) {
  std::string text;
  AppendUtcDate(4294967295999, &text);
  EXPECT_EQ(text, "(2106-02-07 06:28:15 UTC)");
}

TEST(JavaTextTest, TagsAreAJavaMap) {
  const TagView tags[] = {{"host", "web01"}, {"dc", "lga"}};
  std::string text;
  AppendJavaTags(tags, &text);
  AppendJavaTags({}, &text);
  EXPECT_EQ(text, "{host=web01, dc=lga}{}");
}

}  // namespace
}  // namespace hourcell::java_text_test
