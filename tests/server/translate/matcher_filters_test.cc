#include "server/translate/matcher_filters.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "promql/text/parser.h"
#include "tests/support/status_matchers.h"

namespace hourcell::matcher_filters_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

absl::StatusOr<SelectorFilters> Filters(std::string_view selector) {
  const auto matchers = promql::ParseSelector(selector);
  EXPECT_OK(matchers.status()) << selector;
  return FiltersOfMatchers(*matchers);
}

// host=literal_or(a)
std::vector<std::string> Texts(std::string_view selector) {
  const absl::StatusOr<SelectorFilters> read = Filters(selector);
  EXPECT_OK(read.status()) << selector;
  std::vector<std::string> texts;
  if (!read.ok()) return texts;
  for (const TagFilterSpec& filter : read->filters) {
    texts.push_back(filter.tagk + "=" + std::string(FilterTypeName(filter.type)) + "(" +
                    filter.filter + ")");
  }
  return texts;
}

TEST(MatcherFiltersTest, MatchersHaveTheirFilter) {
  EXPECT_THAT(Texts("m{a='b'}"), ElementsAre("a=literal_or(b)"));
  EXPECT_THAT(Texts("m{a='b|c'}"), ElementsAre("a=literal_or(\"b|c\")"));
  EXPECT_THAT(Texts("m{a=''}"), ElementsAre("a=not_key()"));
  EXPECT_THAT(Texts("m{a!=''}"), ElementsAre("a=wildcard(*)"));
  EXPECT_THAT(Texts("m{a=~'.+'}"), ElementsAre("a=wildcard(*)"));
  EXPECT_THAT(Texts("m{a=~'.*'}"), IsEmpty());
  EXPECT_THAT(Texts("m{a=~'b\\\\.1|c'}"), ElementsAre("a=literal_or(b.1|c)"));
  EXPECT_THAT(Texts("m{a!~'b|c',a!=''}"), ElementsAre("a=not_literal_or(b|c)"));
  EXPECT_THAT(Texts("m{a=~'b.*'}"), ElementsAre("a=regexp(^(?:b.*)$)"));
  EXPECT_THAT(Texts("m{a=~'.*(?:^b).*'}"), ElementsAre("a=regexp(^b)"));
}

TEST(MatcherFiltersTest, AnAbsentTagThatMatchesIsACondition) {
  EXPECT_THAT(Filters("m{a!='b'}")->needed, ElementsAre("a"));
  EXPECT_THAT(Filters("m{a!='b',a!=''}")->needed, IsEmpty());
  EXPECT_THAT(Filters("m{a!='b',a=~'c.*'}")->needed, IsEmpty());
}

TEST(MatcherFiltersTest, OtherMatchersAreRefused) {
  for (const auto& [selector, why] : std::vector<std::pair<std::string, std::string>>{
           {"{a='b'}", "m= cannot express a selector without a metric"},
           {"{__name__=~'a.*'}", "a query reads one metric, by its name"},
           {"m{a!~'b.*'}", "m= cannot express a!~\"b.*\", because no filter excludes"},
           {"m{a=~'b*'}", "it matches series without the tag"}}) {
    EXPECT_THAT(Filters(selector).status(),
                StatusIs(absl::StatusCode::kUnimplemented, HasSubstr(why)))
        << selector;
  }
}

}  // namespace
}  // namespace hourcell::matcher_filters_test
