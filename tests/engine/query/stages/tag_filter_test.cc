#include "engine/query/stages/tag_filter.h"

#include <string>

#include <gtest/gtest.h>

#include "engine/query/stages/tag_regexp.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::tag_filter_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

absl::StatusOr<TagFilter> Compile(FilterType type, std::string_view text) {
  return TagFilter::Compile({.tagk = "host", .type = type, .filter = std::string(text)});
}

bool Matches(FilterType type, std::string_view text, std::string_view value) {
  const auto filter = Compile(type, text);
  EXPECT_OK(filter);
  return filter.ok() && filter->Matches(value);
}

TEST(TagFilterTest, OpenTsdbVectors) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "filter")) {
    const simdjson::dom::element given = vector.given["filter"];
    SCOPED_TRACE(vector.from + " " + TextOf(given, "filter"));
    const auto type = ParseFilterType(TextOf(given, "type"));
    ASSERT_OK(type);
    const auto filter = Compile(*type, TextOf(given, "filter"));
    ++run;
    if (vector.wants_error()) {
      EXPECT_THAT(filter, StatusIs(absl::StatusCode::kInvalidArgument));
      continue;
    }
    ASSERT_OK(filter);
    const simdjson::dom::element tags = vector.given["series_tag"];
    const bool matches =
        Has(tags, TextOf(given, "tagk")) && filter->Matches(TextOf(tags, TextOf(given, "tagk")));
    EXPECT_EQ(matches, bool(vector.expect["match"]));
  }
  EXPECT_EQ(run, 27);
}

TEST(TagFilterTest, LiteralsIgnoreEmptyPieces) {
  const auto filter = Compile(FilterType::kLiteralOr, "|b||a|");
  ASSERT_OK(filter);

  EXPECT_THAT(filter->literals(), ElementsAre("a", "b"));
  EXPECT_FALSE(filter->Matches(""));
  EXPECT_THAT(Compile(FilterType::kLiteralOr, "||"), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(TagFilterTest, OnlyLiteralOrHasValuesToLookUp) {
  EXPECT_THAT(Compile(FilterType::kILiteralOr, "a")->literals(), IsEmpty());
  EXPECT_THAT(Compile(FilterType::kNotLiteralOr, "a")->literals(), IsEmpty());
  EXPECT_THAT(Compile(FilterType::kWildcard, "a*")->literals(), IsEmpty());
}

TEST(TagFilterTest, WildcardIsAProperGlob) {
  const auto check = [](std::string_view glob, std::string_view value, bool want, int line) {
    testing::ScopedTrace trace(__FILE__, line, "this case");
    EXPECT_EQ(Matches(FilterType::kWildcard, glob, value), want);
  };
  check("web*com", "web1com", true, __LINE__);
  check("web*com", "xweb1com", false, __LINE__);
  check("web*com", "web1com2", false, __LINE__);
  check("a*a", "a", false, __LINE__);
  check("a*a", "aa", true, __LINE__);
  check("*ab*ab*", "xabyab", true, __LINE__);
  check("*ab*ab*", "xaby", false, __LINE__);
  check("*aab", "aaaab", true, __LINE__);
  check("*", "", true, __LINE__);
}

TEST(TagFilterTest, StarAloneMatchesAll) {
  EXPECT_TRUE(Compile(FilterType::kWildcard, "*")->MatchesAll());
  EXPECT_TRUE(Compile(FilterType::kIWildcard, "**")->MatchesAll());
  EXPECT_FALSE(Compile(FilterType::kWildcard, "a*")->MatchesAll());
  EXPECT_FALSE(Compile(FilterType::kLiteralOr, "*")->MatchesAll());
}

TEST(TagFilterTest, AllValuesThatPassBeginWithThePrefix) {
  const auto prefix = [](FilterType type, std::string_view text) {
    return std::string(Compile(type, text)->prefix());
  };
  EXPECT_EQ(prefix(FilterType::kWildcard, "h12*"), "h12");
  EXPECT_EQ(prefix(FilterType::kWildcard, "h1*2*"), "h1");
  EXPECT_EQ(prefix(FilterType::kWildcard, "*h"), "");
  EXPECT_EQ(prefix(FilterType::kWildcard, "a\u00E9b*"), "a");  // stored in another encoding perhaps
  EXPECT_EQ(prefix(FilterType::kIWildcard, "h12*"), "");
  EXPECT_EQ(prefix(FilterType::kLiteralOr, "h12"), "");

  EXPECT_EQ(prefix(FilterType::kRegexp, "^h-1_2/.*"), "h-1_2/");
  EXPECT_EQ(prefix(FilterType::kRegexp, "^h12$"), "h12");
  for (const char* const quantified : {"^h12*", "^h12+", "^h12?", "^h12{0,2}"})
    EXPECT_EQ(prefix(FilterType::kRegexp, quantified), "h1") << quantified;
  for (const char* const none : {"h12", "^h12|x", "^(h12|x)", "(?i)^h12", "^[hx]12", "^.12", "^"})
    EXPECT_EQ(prefix(FilterType::kRegexp, none), "") << none;
  EXPECT_EQ(prefix(FilterType::kRegexp, "^h\\d"), "h");
}

TEST(TagFilterTest, NotKeyMatchesTheAbsentOnly) {
  const auto filter = Compile(FilterType::kNotKey, "");
  ASSERT_OK(filter);

  EXPECT_TRUE(filter->MatchesAbsent());
  EXPECT_FALSE(filter->Matches(""));
  EXPECT_FALSE(filter->Matches("a"));
  EXPECT_FALSE(Compile(FilterType::kNotLiteralOr, "a")->MatchesAbsent());
  EXPECT_THAT(Compile(FilterType::kNotKey, "a"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expected none")));
}

TEST(TagFilterTest, CaseIsIgnoredBeyondAscii) {
  EXPECT_TRUE(Matches(FilterType::kILiteralOr, "ZÜRICH", "zürich"));
  EXPECT_TRUE(Matches(FilterType::kIWildcard, "МОС*", "москва"));
  EXPECT_FALSE(Matches(FilterType::kNotILiteralOr, "zürich", "ZÜRICH"));
  EXPECT_TRUE(Matches(FilterType::kIWildcard, "A*", "a\xff\xfe"));
}

TEST(TagFilterTest, ValuesMayBeQuoted) {
  EXPECT_TRUE(Matches(FilterType::kLiteralOr, R"("a|b"|c)", "a|b"));
  EXPECT_TRUE(Matches(FilterType::kLiteralOr, R"("a|b"|c)", "c"));
  EXPECT_FALSE(Matches(FilterType::kLiteralOr, R"("a|b"|c)", "a"));
  EXPECT_TRUE(Matches(FilterType::kLiteralOr, R"(c|"\"\\")", R"("\)"));
  EXPECT_FALSE(Matches(FilterType::kNotLiteralOr, R"("a|b")", "a|b"));
  EXPECT_TRUE(Matches(FilterType::kILiteralOr, R"("A|B")", "a|b"));
  EXPECT_TRUE(Matches(FilterType::kLiteralOr, R"("a"b|c)", R"("a"b)")) << "not quoted to its end";
}

TEST(TagFilterTest, AnOldStyleValueThatIsQuotedIsNoPattern) {
  const auto filter = ParseTagValueFilter("host", R"("*(a)|"|b)", /*group_by=*/true);
  ASSERT_OK(filter);
  EXPECT_EQ(filter->type, FilterType::kLiteralOr);
  EXPECT_EQ(filter->filter, R"("*(a)|"|b)");
}

TEST(TagRegexpTest, IsFoundAnywhere) {
  EXPECT_TRUE(Matches(FilterType::kRegexp, "b0[12]", "web01"));
  EXPECT_FALSE(Matches(FilterType::kRegexp, "^b0[12]", "web01"));
}

TEST(TagRegexpTest, LookAroundAndBackReferences) {
  EXPECT_TRUE(Matches(FilterType::kRegexp, "^(?!db).*01$", "web01"));
  EXPECT_FALSE(Matches(FilterType::kRegexp, "^(?!db).*01$", "db01"));
  EXPECT_TRUE(Matches(FilterType::kRegexp, "(.)\\1", "aabc"));
  EXPECT_FALSE(Matches(FilterType::kRegexp, "(.)\\1", "abc"));
}

TEST(TagRegexpTest, BacktrackingIsLimited) {
  // The second branch would match, after the first was tried in some 10^12 ways.
  const std::string value = std::string(60, 'a') + "b";

  EXPECT_FALSE(Matches(FilterType::kRegexp, "^(?=a)(a|aa)+$|b$", value));
  EXPECT_TRUE(Matches(FilterType::kRegexp, "^(?=a)(a|aa)+$|b$", "aaab"));
}

TEST(TagRegexpTest, FindsGroupsFromAByteOn) {
  // The first is for RE2, the second for PCRE2.
  for (const std::string_view pattern : {"([a-z]+)([0-9]+)?(x)?", "(?=.)([a-z]+)([0-9]+)?(x)?"}) {
    SCOPED_TRACE(pattern);
    const auto regexp = TagRegexp::Compile(pattern);
    ASSERT_OK(regexp);
    const std::string_view value = "12web34 db";
    EXPECT_EQ(regexp->Find(value, 0, 0), "web34");
    EXPECT_EQ(regexp->Find(value, 0, 1), "web");
    EXPECT_EQ(regexp->Find(value, 0, 2), "34");
    EXPECT_EQ(regexp->Find(value, 4, 1), "b");
    EXPECT_EQ(regexp->Find(value, 7, 1), "db");
    EXPECT_EQ(regexp->Find(value, 0, 3).data(), nullptr);   // does not take part
    EXPECT_EQ(regexp->Find(value, 0, 4).data(), nullptr);   // no such group
    EXPECT_EQ(regexp->Find(value, 10, 0).data(), nullptr);  // the end
    EXPECT_EQ(regexp->Find(value, 11, 0).data(), nullptr);
  }
}

TEST(TagRegexpTest, RefusesWhatItCannotDo) {
  const auto check = [](std::string_view pattern, std::string_view want, int line) {
    testing::ScopedTrace trace(__FILE__, line, "this case");
    EXPECT_THAT(Compile(FilterType::kRegexp, pattern),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(want))));
  };
  check("", "empty", __LINE__);
  check("a(b", "missing )", __LINE__);
  check("[a-z&&[^b]]", "class intersection", __LINE__);
  check("((a{1000}){1000}){1000}", "repetition", __LINE__);
}

}  // namespace
}  // namespace hourcell::tag_filter_test
