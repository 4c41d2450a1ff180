#include "promql/evaluation/calls.h"

#include <gtest/gtest.h>

#include "promql/text/parser.h"
#include "tests/promql/evaluation/held_vectors.h"
#include "tests/support/status_matchers.h"

namespace hourcell::promql {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Steps kThreeSteps{.start_ms = 1000, .step_ms = 500, .count = 3};

TEST(CallsTest, AFunctionOfValuesDropsTheMetricName) {
  Budget budget(nullptr, nullptr);

  const auto result =
      CallOfValues(Function::kAbs, {}, Held(&budget, {{R"(m{a="1"})", {-1, kNoValue, 2}}}));

  ASSERT_OK(result);
  EXPECT_THAT(TextsOf(*result), ElementsAre("{a=\"1\"} 1 _ 2"));
}

TEST(CallsTest, SeriesThatLoseAllElementsAreRemoved) {
  Budget budget(nullptr, nullptr);
  const std::vector<double> low = {5};
  const std::vector<double> high = {1};

  const auto result =
      CallOfValues(Function::kClamp, std::vector<std::span<const double>>{low, high},
                   Held(&budget, {{"m", {3}}}));

  ASSERT_OK(result);
  EXPECT_THAT(TextsOf(*result), IsEmpty());
}

TEST(CallsTest, TimesAreInSeconds) {
  Budget budget(nullptr, nullptr);

  const auto time = TimeScalar(kThreeSteps, &budget);
  const auto times = Timestamps(kThreeSteps, Held(&budget, {{"m", {7, kNoValue, 7}}}));

  ASSERT_OK(time);
  ASSERT_OK(times);
  EXPECT_THAT(TextsOf(*time), ElementsAre("{} 1 1.5 2"));
  EXPECT_THAT(TextsOf(*times), ElementsAre("{} 1 _ 2"));
}

TEST(CallsTest, AScalarIsTheOnlyElementOfAStep) {
  Budget budget(nullptr, nullptr);

  const auto scalar = ScalarOfVector(Held(&budget, {{"a", {1, kNoValue, 3, 4}},
                                                    {"b", {kNoValue, kNoValue, 3, 4}},
                                                    {"c", {kNoValue, kNoValue, kNoValue, 4}}}));

  ASSERT_OK(scalar);
  EXPECT_THAT(TextsOf(*scalar), ElementsAre("{} 1 NaN NaN NaN"));
}

TEST(CallsTest, AbsentIsOneAtStepsWithoutElements) {
  Budget budget(nullptr, nullptr);

  const auto absent =
      Absent(LabelsOf(R"({x="1"})"),
             Held(&budget, {{"a", {1, kNoValue, kNoValue}}, {"b", {1, 1, kNoValue}}}));
  const auto present = Absent(Labels(), Held(&budget, {{"a", {1}}}));

  ASSERT_OK(absent);
  ASSERT_OK(present);
  EXPECT_THAT(TextsOf(*absent), ElementsAre("{x=\"1\"} _ _ 1"));
  EXPECT_THAT(TextsOf(*present), IsEmpty());
}

TEST(CallsTest, LabelsOfAbsentAreThoseThatTheSelectorRequires) {
  const auto check = [](std::string_view text, std::string_view labels, int line) {
    testing::ScopedTrace trace(__FILE__, line, "this case");
    const auto expression = ParseQuery(text);
    ASSERT_OK(expression);
    EXPECT_EQ(AbsentLabels(**expression).Text(), labels);
  };
  check(R"(m{a="1", b=~"2", c!="3"})", R"({a="1"})", __LINE__);
  check(R"((m{a="1"}))", R"({a="1"})", __LINE__);
  check(R"(m{a="1"}[5m])", R"({a="1"})", __LINE__);
  check(R"(m{a="1", a="2", b="3"})", R"({b="3"})", __LINE__);
  check(R"(m{a!="1", a="2"})", R"({a="2"})", __LINE__);
  check(R"(sum(m{a="1"}))", "{}", __LINE__);
}

TEST(CallsTest, ChangedLabelsMayNotCollide) {
  Budget budget(nullptr, nullptr);
  HeldVector apart = Held(&budget, {{"a", {1, kNoValue}}, {"b", {kNoValue, 2}}});
  HeldVector together = Held(&budget, {{"a", {1}}, {"b", {2}}});
  const auto change = [](const Labels&) { return LabelsOf("c"); };

  EXPECT_OK(ChangeLabels(change, &apart));
  EXPECT_THAT(TextsOf(apart), ElementsAre("{__name__=\"c\"} 1 2"));
  EXPECT_THAT(ChangeLabels(change, &together), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace hourcell::promql
