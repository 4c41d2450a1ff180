#include "engine/hours/spelling_texts.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hourcell::spelling_texts_test {
namespace {

TEST(SpellingTextsTest, KeepsEqualBytesOnce) {
  SpellingTexts texts;
  const SpellingTexts::Text* const first = texts.Take("host=a dc=b");
  const size_t bytes = texts.bytes();

  EXPECT_EQ(texts.Take(std::string("host=a dc=b")), first);
  EXPECT_EQ(texts.bytes(), bytes);
  EXPECT_EQ(texts.size(), 1u);
  EXPECT_NE(texts.Take("host=a dc=c"), first);
  EXPECT_EQ(texts.size(), 2u);
  EXPECT_TRUE(first->Is("host=a dc=b"));
}

TEST(SpellingTextsTest, KeepsAStringUntilItsLastUseEnds) {
  SpellingTexts texts;
  const SpellingTexts::Text* const text = texts.Take("host=a");
  texts.Take("host=a");

  texts.Release(text);
  EXPECT_EQ(texts.size(), 1u);
  EXPECT_TRUE(text->Is("host=a"));
  texts.Release(text);
  EXPECT_EQ(texts.size(), 0u);
  EXPECT_EQ(texts.bytes(), 0u);
}

TEST(SpellingTextsTest, KeepsEmptyAndBinaryStrings) {
  SpellingTexts texts;
  const std::string zeros(3, '\0');
  const SpellingTexts::Text* const empty = texts.Take({});
  const SpellingTexts::Text* const binary = texts.Take(zeros);
  EXPECT_TRUE(empty->Is({}));
  EXPECT_TRUE(binary->Is(zeros));
  texts.Release(empty);
  EXPECT_EQ(texts.Take(zeros), binary);
}

TEST(SpellingTextsTest, StringsStayWhereTheyAreWhileTheTablesGrow) {
  SpellingTexts texts;
  std::vector<const SpellingTexts::Text*> taken;
  for (int i = 0; i < 10'000; ++i)
    taken.push_back(texts.Take("host=" + std::to_string(i)));
  for (int i = 0; i < 10'000; ++i) {
    const std::string bytes = "host=" + std::to_string(i);
    ASSERT_TRUE(taken[static_cast<size_t>(i)]->Is(bytes));
    ASSERT_EQ(texts.Take(bytes), taken[static_cast<size_t>(i)]);
  }
}

}  // namespace
}  // namespace hourcell::spelling_texts_test
