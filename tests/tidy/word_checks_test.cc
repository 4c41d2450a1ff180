#include "tests/tidy/word_checks.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::tidy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

std::vector<std::string> MeaningsOf(const std::string& path, const std::string& text) {
  std::vector<std::string> messages;
  for (const Finding& finding : CheckMeanings(SourceFile(path, text)))
    messages.push_back(finding.message);
  return messages;
}

TEST(CheckMeaningsTest, EachOfTheFiveWordsIsFoundAwayFromHome) {
  const std::string path = "server/http/a.cc";
  EXPECT_THAT(MeaningsOf(path, "// Trims the text.\n"), ElementsAre(StartsWith("trim: write")));
  EXPECT_THAT(MeaningsOf(path, "size_t lanes = 4;\n"), ElementsAre(StartsWith("lane: write")));
  EXPECT_THAT(MeaningsOf(path, "// The byte behind it.\n"),
              ElementsAre(StartsWith("behind: write \"after\"")));
  EXPECT_THAT(MeaningsOf(path, "Fail(\"column {}\", i);\n"),
              ElementsAre(StartsWith("column: write")));
  EXPECT_THAT(MeaningsOf(path, "// A table file.\nCheckTableFile(table_files);\n"), SizeIs(3));
}

TEST(CheckMeaningsTest, DocumentsAndNamesCountToo) {
  EXPECT_THAT(MeaningsOf("docs/a.md", "The first column is the time.\n"), SizeIs(1));
  EXPECT_THAT(MeaningsOf("engine/journal/a.h", "void TrimJournal(); int ScanLane();\n"),
              ElementsAre(StartsWith("lane"), StartsWith("trim")));
}

TEST(CheckMeaningsTest, AWordIsFreeAtHome) {
  EXPECT_THAT(MeaningsOf("engine/hours/lane.h", "class Lane;\n"), IsEmpty());
  EXPECT_THAT(MeaningsOf("engine/regions/live/a.cc", "Trim();\n"), IsEmpty());
  EXPECT_THAT(MeaningsOf("codec/cells/a.h", "struct Columns;\n"), IsEmpty());
  EXPECT_THAT(MeaningsOf("engine/hours/a.cc", "// Behind it.\n"), SizeIs(1)) << "it has no home";
}

TEST(CheckMeaningsTest, FixedTermsAndLongerWordsAreLeftAlone) {
  EXPECT_THAT(MeaningsOf("server/a.cc", "// The Basic Multilingual Plane explanes nothing.\n"),
              IsEmpty());
  EXPECT_THAT(MeaningsOf("docs/a.md", "A server behind a proxy has a column family.\n"), IsEmpty());
  EXPECT_THAT(MeaningsOf("docs/a.md", "Behind a proxy, and behind it.\n"), SizeIs(1));
  EXPECT_THAT(MeaningsOf("engine/a.cc", "NewWritableFile(); malloc_trim(0);\n"), IsEmpty());
}

TEST(CheckErrorFormTest, FindsOlderFormsInMessagesOfTheProduct) {
  for (const std::string text : {"Fail(\"a: got {}; want {}\", b, c);\n", "Fail(\"want a key\");\n",
                                 "Fail(\"a: invalid value {}; must be b\", c);\n",
                                 "Fail(\"got {}; expected {}\", a, b);\n"}) {
    EXPECT_THAT(CheckErrorForm(SourceFile("server/a.cc", text)), SizeIs(1)) << text;
    EXPECT_THAT(CheckErrorForm(SourceFile("tests/server/a_test.cc", text)), IsEmpty()) << text;
  }
}

TEST(CheckErrorFormTest, LeavesTheFormOfTheRuleAndCommentsAlone) {
  for (const std::string text :
       {"Fail(\"a: expected {}, got {}\", want, got);\n", "// \"got 1; want 2\" once\n",
        "Fail(\"a: missing; expected an id\");\n", "Say(\"early for want of room\");\n"})
    EXPECT_THAT(CheckErrorForm(SourceFile("engine/a.cc", text)), IsEmpty()) << text;
}

}  // namespace
}  // namespace hourcell::tidy
