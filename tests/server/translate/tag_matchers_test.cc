#include "server/translate/tag_matchers.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "promql/text/expression.h"
#include "tests/support/status_matchers.h"

namespace hourcell::tag_matchers_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Converted {
  absl::Status status;
  std::vector<std::string> matchers;  // host!=a
  std::vector<std::string> conditions;
};

Converted Convert(std::string_view filter, const std::string& tagk = "host") {
  const absl::StatusOr<TagFilterSpec> spec = ParseTagValueFilter(tagk, filter, true);
  EXPECT_OK(spec.status());
  std::vector<promql::LabelMatcher> matchers;
  Converted converted;
  converted.status = AppendMatchers(*spec, &matchers, &converted.conditions);
  for (const promql::LabelMatcher& matcher : matchers) {
    converted.matchers.push_back(matcher.name + std::string(promql::MatchOperatorText(matcher.op)) +
                                 matcher.value);
  }
  return converted;
}

TEST(TagMatchersTest, EachTypeHasItsMatcher) {
  EXPECT_THAT(Convert("a.b").matchers, ElementsAre("host=a.b"));
  EXPECT_THAT(Convert("b|a.b").matchers, ElementsAre(R"(host=~a\.b|b)"));
  EXPECT_THAT(Convert("\"a|b\"").matchers, ElementsAre("host=a|b"));
  EXPECT_THAT(Convert("not_literal_or(a)").matchers, ElementsAre("host!=a", "host!="));
  EXPECT_THAT(Convert("not_literal_or(a|b)").matchers, ElementsAre("host!~a|b", "host!="));
  EXPECT_THAT(Convert("iliteral_or(A)").matchers, ElementsAre("host=~(?i:A)"));
  EXPECT_THAT(Convert("not_iliteral_or(a)").matchers, ElementsAre("host!~(?i:a)", "host!="));
  EXPECT_THAT(Convert("*").matchers, ElementsAre("host!="));
  EXPECT_THAT(Convert("wildcard(**a.**b)").matchers, ElementsAre(R"(host=~.*a\..*b)"));
  EXPECT_THAT(Convert("iwildcard(a*)").matchers, ElementsAre("host=~(?i:a.*)"));
  EXPECT_THAT(Convert("iwildcard(**)").matchers, ElementsAre("host!="));
  EXPECT_THAT(Convert("regexp(a|b)").matchers, ElementsAre("host=~.*(?:a|b).*"));
  EXPECT_THAT(Convert("regexp(a*)").matchers, ElementsAre("host=~.*(?:a*).*", "host!="));
  EXPECT_THAT(Convert("not_key()").matchers, ElementsAre("host="));
  EXPECT_THAT(Convert("not_key()").conditions, IsEmpty());
}

TEST(TagMatchersTest, RegularExpressionsOfJavaOnlyAreRefused) {
  EXPECT_THAT(Convert("regexp(a(?=b))").status,
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("PromQL cannot express the regular expression \"a(?=b)\"")));
  EXPECT_THAT(Convert("regexp(\\Qa)").status, StatusIs(absl::StatusCode::kUnimplemented));
  EXPECT_THAT(Convert("regexp(a[)").status, StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(TagMatchersTest, KeysOfAnotherFormAreConditions) {
  EXPECT_EQ(LabelOfKey("service.name"), "service_name");
  EXPECT_THAT(Convert("a", "service.name").matchers, ElementsAre("service_name=a"));
  EXPECT_THAT(Convert("a", "service.name").conditions,
              ElementsAre("no other tag of the series becomes the label service_name"));
  EXPECT_THAT(Convert("1", "le").conditions,
              ElementsAre("the values of le are numbers in Prometheus' form"));
  EXPECT_THAT(Convert("iliteral_or(ß)").conditions,
              ElementsAre(HasSubstr("one form of each case")));
  EXPECT_THAT(Convert("a", "__name__").matchers, ElementsAre("___name__=a"));
}

}  // namespace
}  // namespace hourcell::tag_matchers_test
