#include "promql/text/matcher.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::promql {
namespace {

absl::Status CheckRegexpText(std::string_view text) {
  return CheckMatcher({"a", MatchOperator::kRegexp, std::string(text)});
}

TEST(MatcherTest, WrongExpressionsHaveTheErrorsOfGo) {
  const auto check = [](std::string_view text, std::string_view problem) {
    EXPECT_THAT(CheckRegexpText(text), StatusIs(absl::StatusCode::kInvalidArgument,
                                                "error parsing regexp: " + std::string(problem)))
        << text;
  };
  check("(a", "missing closing ): `^(?:(a)$`");
  check("a)", "unexpected ): `^(?:a))$`");
  check("[b", "missing closing ]: `[b)$`");
  check("*", "missing argument to repetition operator: `*`");
  check("a**", "invalid nested repetition operator: `**`");
  check("\\q", "invalid escape sequence: `\\q`");
  check("x{1001}", "invalid repeat count: `{1001}`");
  check("[z-a]", "invalid character class range: `z-a`");
  check("[[:foo:]]", "invalid character class range: `[:foo:]`");
  check("(?=x)", "invalid or unsupported Perl syntax: `(?=`");
  check("(?P<n", "invalid named capture: `(?P<n)$`");
}

// It would be valid between the parentheses that are put around it.
TEST(MatcherTest, ParenthesesAreInTheExpression) {
  EXPECT_THAT(CheckRegexpText("a)|(b"), StatusIs(absl::StatusCode::kInvalidArgument,
                                                 "error parsing regexp: unexpected ): `a)|(b`"));
}

TEST(MatcherTest, BytesCannotBeMatched) {
  EXPECT_THAT(CheckRegexpText("a\\C"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "error parsing regexp: invalid escape sequence: `\\C`"));
  EXPECT_OK(CheckRegexpText("\\\\C"));
  EXPECT_OK(CheckRegexpText("\\Q\\C\\E"));
  EXPECT_THAT(CheckRegexpText("\\Q\\C\\E\\C"), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(MatcherTest, OnlyExpressionsAreChecked) {
  EXPECT_OK(CheckMatcher({"a", MatchOperator::kEqual, "("}));
  EXPECT_OK(CheckMatcher({"a", MatchOperator::kNotEqual, "("}));
  EXPECT_THAT(CheckMatcher({"a", MatchOperator::kNotRegexp, "("}),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(MatcherTest, AnAbsentLabelIsAnEmptyValue) {
  const auto matches = [](MatchOperator op, std::string value) {
    return MatchesEmptyValue({"a", op, std::move(value)});
  };
  EXPECT_TRUE(matches(MatchOperator::kEqual, ""));
  EXPECT_FALSE(matches(MatchOperator::kEqual, "x"));
  EXPECT_TRUE(matches(MatchOperator::kNotEqual, "x"));
  EXPECT_FALSE(matches(MatchOperator::kNotEqual, ""));
  EXPECT_TRUE(matches(MatchOperator::kRegexp, "a|"));
  EXPECT_FALSE(matches(MatchOperator::kRegexp, "a"));
  EXPECT_TRUE(matches(MatchOperator::kNotRegexp, ".+"));
  EXPECT_FALSE(matches(MatchOperator::kNotRegexp, ".*"));
}

}  // namespace
}  // namespace hourcell::promql
