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

const PromLabels kLabels({.default_tag_key = "host", .default_tag_value = "unknown"});

PromSelection Make(const std::vector<PromMatcher>& matchers) {
  auto selection = PromSelection::Create(matchers, kRule, &kLabels);
  EXPECT_OK(selection);
  return *std::move(selection);
}

absl::StatusOr<bool> IsStored(const std::string& value) {
  return value != "not:stored";
}

// The filters, where each label is stored by its own name.
std::vector<PromSelection::Filters> FiltersOf(const PromSelection& selection) {
  auto filters = selection.FiltersOf(
      [](const std::string& label) { return std::vector<std::string>{label}; }, &IsStored);
  EXPECT_OK(filters);
  return *std::move(filters);
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
                                               kRule, &kLabels, twice);
  EXPECT_EQ(asked, 3);
  EXPECT_TRUE(absl::IsDeadlineExceeded(selection.status())) << "the last one was not compiled";
}

TEST(PromSelectionTest, ARegularExpressionIsBounded) {
  const auto selection =
      PromSelection::Create({{{Type::kRegexp, "a", "((\\pL{1,10}){10}){9}"}}}, kRule, &kLabels);
  EXPECT_TRUE(absl::IsInvalidArgument(selection.status()));
  EXPECT_THAT(std::string(selection.status().message()), HasSubstr("too large"));
}

TEST(PromSelectionTest, TheIndexTellsWhatNeedsTheLabelOrItsAbsence) {
  EXPECT_THAT(FiltersOf(Make({{Type::kEqual, "l", "a:1"}})),
              ElementsAre(ElementsAre(Filter(FilterType::kLiteralOr, "a:1|a_1"))));
  EXPECT_THAT(FiltersOf(Make({{Type::kEqual, "l", "not:stored"}})),
              ElementsAre(ElementsAre(Filter(FilterType::kLiteralOr, "not_stored"))));
  EXPECT_THAT(FiltersOf(Make({{Type::kEqual, "l", ""}})),
              ElementsAre(ElementsAre(Filter(FilterType::kNotKey, ""))));
  EXPECT_THAT(FiltersOf(Make({{Type::kNotEqual, "l", ""}})),
              ElementsAre(ElementsAre(Filter(FilterType::kWildcard, "*"))));
  EXPECT_THAT(FiltersOf(Make({{Type::kRegexp, "l", "a|b"}})),
              ElementsAre(ElementsAre(Filter(FilterType::kRegexp, "^(?:a|b)$"))));
}

TEST(PromSelectionTest, OtherMatchersAreLeftForTheAnswer) {
  const std::vector<PromMatcher> left = {
      {Type::kNotEqual, "l", "a"}, {Type::kRegexp, "l", "b?"}, {Type::kNotRegexp, "l", "a.*"}};
  for (const PromMatcher& matcher : left) {
    const PromSelection selection = Make({matcher});
    EXPECT_THAT(FiltersOf(selection), ElementsAre(ElementsAre())) << matcher.value;
    EXPECT_TRUE(selection.TakesTags(Tags{{"k", "a"}, {"l", "b"}})) << matcher.value;
    EXPECT_FALSE(selection.TakesTags(Tags{{"k", "b"}, {"l", "a"}})) << matcher.value;
    EXPECT_TRUE(selection.TakesTags(Tags{{"k", "b"}})) << matcher.value;
  }
  EXPECT_FALSE(Make({{Type::kNotRegexp, "l", ".*"}}).TakesTags(Tags{{"k", "b"}}));
}

// To Java, and so to the store, it is an intersection.
TEST(PromSelectionTest, TwoAmpersandsAreNoFilter) {
  const NameRule any(NameEncoding::kAny, "");
  const std::vector<PromMatcher> matchers = {{Type::kRegexp, "l", "b&&b|b"}};
  const auto selection = PromSelection::Create(matchers, any, &kLabels);
  ASSERT_OK(selection);
  EXPECT_THAT(FiltersOf(*selection), ElementsAre(ElementsAre()));
  EXPECT_TRUE(selection->TakesTags(Tags{{"l", "b"}}));
  EXPECT_FALSE(selection->TakesTags(Tags{{"k", "b"}}));
}

TEST(PromSelectionTest, RegularExpressionsMatchFromEndToEnd) {
  const PromSelection selection = Make({{Type::kNotRegexp, "l", "b"}});

  EXPECT_TRUE(selection.TakesTags(Tags{{"l", "abc"}}));
  EXPECT_FALSE(selection.TakesTags(Tags{{"l", "b"}}));
}

TEST(PromSelectionTest, TheNameIsTheMetric) {
  const PromSelection one = Make({{Type::kEqual, "__name__", "job:up"}});
  EXPECT_EQ(one.metric(), "job:up");
  EXPECT_TRUE(one.TakesMetric("job:up"));
  EXPECT_TRUE(one.TakesMetric("job_up"));
  const PromSelection none =
      Make({{Type::kEqual, "__name__", "up"}, {Type::kNotRegexp, "__name__", "u.*"}});
  EXPECT_FALSE(none.TakesMetric("up"));
  const PromSelection many = Make({{Type::kRegexp, "__name__", "node_.*"}});
  EXPECT_EQ(many.metric(), "");
  EXPECT_TRUE(many.TakesMetric("node_load1"));
  EXPECT_FALSE(many.TakesMetric("up"));
}

TEST(PromSelectionTest, MatchersSeeTheStoredAndTheShownSpelling) {
  const Tags tags = {{"k8s-app", "a"}, {"service.name", "shop"}};
  for (const std::string name : {"service.name", "service_name"}) {
    EXPECT_TRUE(Make({{Type::kEqual, name, "shop"}}).TakesTags(tags)) << name;
    EXPECT_TRUE(Make({{Type::kRegexp, name, "sh.p"}}).TakesTags(tags)) << name;
    EXPECT_FALSE(Make({{Type::kNotEqual, name, "shop"}}).TakesTags(tags)) << name;
    EXPECT_FALSE(Make({{Type::kNotRegexp, name, "sh.p"}}).TakesTags(tags)) << name;
    EXPECT_FALSE(Make({{Type::kEqual, name, ""}}).TakesTags(tags)) << name;
  }
  for (const std::string name : {"cpu.user", "cpu_user"}) {
    EXPECT_TRUE(Make({{Type::kEqual, "__name__", name}}).TakesMetric("cpu.user")) << name;
    EXPECT_FALSE(Make({{Type::kNotEqual, "__name__", name}}).TakesMetric("cpu.user")) << name;
    EXPECT_FALSE(Make({{Type::kNotRegexp, "__name__", name}}).TakesMetric("cpu.user")) << name;
  }
}

TEST(PromSelectionTest, NumbersAreSeenAsTheyAreStoredAndAsTheyAreShown) {
  const Tags tags = {{"le", "_Inf"}};
  EXPECT_TRUE(Make({{Type::kEqual, "le", "+Inf"}}).TakesTags(tags));
  EXPECT_TRUE(Make({{Type::kRegexp, "le", "\\+Inf|1"}}).TakesTags(tags));
  EXPECT_FALSE(Make({{Type::kNotEqual, "le", "+Inf"}}).TakesTags(tags));
  EXPECT_FALSE(Make({{Type::kNotRegexp, "le", "\\+Inf"}}).TakesTags(tags));
  EXPECT_THAT(FiltersOf(Make({{Type::kRegexp, "le", "1e.06"}})), ElementsAre(ElementsAre()));
}

TEST(PromSelectionTest, TheDefaultTagAloneIsNoLabel) {
  const Tags alone = {{"host", "unknown"}};
  EXPECT_TRUE(Make({{Type::kEqual, "host", ""}}).TakesTags(alone));
  EXPECT_FALSE(Make({{Type::kEqual, "host", "unknown"}}).TakesTags(alone));
  EXPECT_THAT(FiltersOf(Make({{Type::kEqual, "host", ""}})), ElementsAre(ElementsAre()));
  EXPECT_TRUE(
      Make({{Type::kEqual, "host", "unknown"}}).TakesTags(Tags{{"dc", "x"}, {"host", "unknown"}}));
}

TEST(PromSelectionTest, ALabelOfSeveralKeysMakesSeveralLists) {
  const auto two_keys = [](const std::string&) { return std::vector<std::string>{"l.1", "l_1"}; };
  const auto equal = Make({{Type::kEqual, "l_1", "a"}}).FiltersOf(two_keys, &IsStored);
  const TagFilterSpec dot = {.tagk = "l.1", .type = FilterType::kLiteralOr, .filter = "a"};
  TagFilterSpec line = dot;
  line.tagk = "l_1";
  EXPECT_THAT(*equal, ElementsAre(ElementsAre(dot), ElementsAre(line)));
  EXPECT_EQ(Make({{Type::kEqual, "l_1", ""}}).FiltersOf(two_keys, &IsStored)->front().size(), 2U);
}

TEST(PromSelectionTest, RefusesWhatIsNoRegularExpression) {
  const std::vector<PromMatcher> matchers = {{Type::kRegexp, "job", "a("}};
  EXPECT_THAT(PromSelection::Create(matchers, kRule, &kLabels).status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("matcher of \"job\": expected a regular expression, got \"a(\"")));
}

}  // namespace
}  // namespace hourcell::prom_selection_test
