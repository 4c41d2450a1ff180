#include "server/inputs/prometheus/prom_selection.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::prom_selection_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Type = PromMatcher::Type;
using Tags = std::vector<std::pair<std::string_view, std::string_view>>;

const NameRule kRule(NameEncoding::kLatin1, "");

PromSelection Make(const std::vector<PromMatcher>& matchers) {
  auto selection = PromSelection::Create(matchers, kRule);
  EXPECT_OK(selection);
  return *std::move(selection);
}

TagFilterSpec Filter(FilterType type, const std::string& text) {
  return {.tagk = "l", .type = type, .filter = text};
}

TEST(PromSelectionTest, IsAskedBeforeEachRegularExpression) {
  int asked = 0;
  const auto twice = [&]() -> absl::Status {
    return ++asked <= 2 ? absl::OkStatus() : absl::DeadlineExceededError("over");
  };
  const auto selection = PromSelection::Create({{{Type::kRegexp, "a", "x.*"},
                                                 {Type::kEqual, "b", "y"},
                                                 {Type::kNotRegexp, "c", "z.*"},
                                                 {Type::kRegexp, "d", "("}}},
                                               kRule, twice);
  EXPECT_EQ(asked, 3);
  EXPECT_TRUE(absl::IsDeadlineExceeded(selection.status())) << "the last one was not compiled";
}

TEST(PromSelectionTest, ARegularExpressionIsBounded) {
  const auto selection = PromSelection::Create(
      {{{Type::kRegexp, "a", "((((a|b|c|[d-z]x){1,10}){10}){9}|i|j)"}}}, kRule);
  EXPECT_TRUE(absl::IsInvalidArgument(selection.status()));
  EXPECT_THAT(std::string(selection.status().message()), HasSubstr("too large"));
}

TEST(PromSelectionTest, TheIndexTellsWhatNeedsTheLabelOrItsAbsence) {
  EXPECT_THAT(Make({{Type::kEqual, "l", "a:1"}}).filters(),
              ElementsAre(Filter(FilterType::kLiteralOr, "a_1")));
  EXPECT_THAT(Make({{Type::kEqual, "l", ""}}).filters(),
              ElementsAre(Filter(FilterType::kNotKey, "")));
  EXPECT_THAT(Make({{Type::kNotEqual, "l", ""}}).filters(),
              ElementsAre(Filter(FilterType::kWildcard, "*")));
  EXPECT_THAT(Make({{Type::kRegexp, "l", "a|b"}}).filters(),
              ElementsAre(Filter(FilterType::kRegexp, "^(?:a|b)$")));
}

TEST(PromSelectionTest, OtherMatchersAreLeftForTheAnswer) {
  const std::vector<PromMatcher> left = {{Type::kNotEqual, "l", "a"},
                                         {Type::kRegexp, "l", "b?"},
                                         {Type::kNotRegexp, "l", "a.*"},
                                         {Type::kRegexp, "l", "b&&b|b"}};
  for (const PromMatcher& matcher : left) {
    const PromSelection selection = Make({matcher});
    EXPECT_THAT(selection.filters(), ElementsAre()) << matcher.value;
    EXPECT_TRUE(selection.TakesTags(Tags{{"k", "a"}, {"l", "b"}})) << matcher.value;
    EXPECT_FALSE(selection.TakesTags(Tags{{"k", "b"}, {"l", "a"}})) << matcher.value;
    EXPECT_EQ(selection.TakesTags(Tags{{"k", "b"}}), matcher.value != "b&&b|b") << matcher.value;
  }
  EXPECT_FALSE(Make({{Type::kNotRegexp, "l", ".*"}}).TakesTags(Tags{{"k", "b"}}));
}

TEST(PromSelectionTest, RegularExpressionsMatchFromEndToEnd) {
  const PromSelection selection = Make({{Type::kNotRegexp, "l", "b"}});

  EXPECT_TRUE(selection.TakesTags(Tags{{"l", "abc"}}));
  EXPECT_FALSE(selection.TakesTags(Tags{{"l", "b"}}));
}

TEST(PromSelectionTest, TheNameIsTheMetric) {
  const PromSelection one = Make({{Type::kEqual, "__name__", "job:up"}});
  EXPECT_EQ(one.metric(), "job_up");
  EXPECT_TRUE(one.TakesMetric("job_up"));
  const PromSelection none =
      Make({{Type::kEqual, "__name__", "up"}, {Type::kNotRegexp, "__name__", "u.*"}});
  EXPECT_FALSE(none.TakesMetric("up"));
  const PromSelection many = Make({{Type::kRegexp, "__name__", "node_.*"}});
  EXPECT_EQ(many.metric(), "");
  EXPECT_TRUE(many.TakesMetric("node_load1"));
  EXPECT_FALSE(many.TakesMetric("up"));
}

TEST(PromSelectionTest, RefusesWhatIsNoRegularExpression) {
  const std::vector<PromMatcher> matchers = {{Type::kRegexp, "job", "a("}};
  EXPECT_THAT(PromSelection::Create(matchers, kRule).status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("matcher of \"job\": got \"a(\"; want a regular expression")));
}

}  // namespace
}  // namespace hourcell::prom_selection_test
