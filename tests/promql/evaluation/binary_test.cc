#include "promql/evaluation/binary.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/promql/evaluation/held_vectors.h"
#include "tests/support/status_matchers.h"

namespace hourcell::promql {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class BinaryTest : public testing::Test {
 protected:
  std::vector<std::string> Scalars(BinaryOperator op, double left, double right) {
    const auto result =
        CombineScalars(op, Held(&budget_, {{"{}", {left}}}), Held(&budget_, {{"{}", {right}}}));
    EXPECT_OK(result);
    return TextsOf(*result);
  }
  std::vector<std::string> WithScalar(BinaryOperator op,
                                      const std::vector<SeriesText>& vector,
                                      std::vector<double> scalar,
                                      ScalarSide side = ScalarSide::kRight,
                                      bool return_bool = false) {
    const auto result = CombineWithScalar(
        op, Held(&budget_, vector), Held(&budget_, {{"{}", std::move(scalar)}}), side, return_bool);
    EXPECT_OK(result);
    return TextsOf(*result);
  }
  std::vector<std::string> Sets(BinaryOperator op,
                                const VectorMatching& matching,
                                const std::vector<SeriesText>& left,
                                const std::vector<SeriesText>& right) {
    const auto result = CombineSets(op, matching, Held(&budget_, left), Held(&budget_, right));
    EXPECT_OK(result);
    return TextsOf(*result);
  }

  Budget budget_{nullptr, nullptr};
};

TEST_F(BinaryTest, ScalarsAreCalculatedOrCompared) {
  EXPECT_THAT(Scalars(BinaryOperator::kPower, 2, 10), ElementsAre("{} 1024"));
  EXPECT_THAT(Scalars(BinaryOperator::kDivide, 1, 0), ElementsAre("{} +Inf"));
  EXPECT_THAT(Scalars(BinaryOperator::kLess, 1, 2), ElementsAre("{} 1"));
  EXPECT_THAT(Scalars(BinaryOperator::kGreater, 1, 2), ElementsAre("{} 0"));
}

TEST_F(BinaryTest, ArithmeticDropsTheMetricName) {
  EXPECT_THAT(WithScalar(BinaryOperator::kMultiply, {{R"(m{a="1"})", {1, kNoValue, 3}}}, {2, 3, 4}),
              ElementsAre("{a=\"1\"} 2 _ 12"));
  EXPECT_THAT(
      WithScalar(BinaryOperator::kSubtract, {{R"(m{a="1"})", {1, 1}}}, {5, 6}, ScalarSide::kLeft),
      ElementsAre("{a=\"1\"} 4 5"));
}

TEST_F(BinaryTest, AtanKeepsTheMetricName) {
  EXPECT_THAT(WithScalar(BinaryOperator::kAtan2, {{"m", {0}}}, {1}),
              ElementsAre("{__name__=\"m\"} 0"));
}

TEST_F(BinaryTest, AComparisonKeepsTheElementOfTheVector) {
  const std::vector<SeriesText> vector = {{R"(m{a="1"})", {1, 5}}, {R"(m{a="2"})", {1, 2}}};

  EXPECT_THAT(WithScalar(BinaryOperator::kGreater, vector, {3, 3}),
              ElementsAre("{__name__=\"m\", a=\"1\"} _ 5"));
  EXPECT_THAT(WithScalar(BinaryOperator::kLess, vector, {3, 3}, ScalarSide::kLeft),
              ElementsAre("{__name__=\"m\", a=\"1\"} _ 5"));
  EXPECT_THAT(WithScalar(BinaryOperator::kEqual, vector, {9, 9}), IsEmpty());
}

TEST_F(BinaryTest, AComparisonWithBoolGivesOneOrZero) {
  EXPECT_THAT(WithScalar(BinaryOperator::kGreater, {{R"(m{a="1"})", {1, kNoValue, 5}}}, {3, 3, 3},
                         ScalarSide::kRight, /*return_bool=*/true),
              ElementsAre("{a=\"1\"} 0 _ 1"));
}

TEST_F(BinaryTest, NanIsNotEqualToItself) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(WithScalar(BinaryOperator::kEqual, {{"m", {nan}}}, {nan}), IsEmpty());
  EXPECT_THAT(WithScalar(BinaryOperator::kNotEqual, {{"m", {nan}}}, {nan}),
              ElementsAre("{__name__=\"m\"} NaN"));
}

TEST_F(BinaryTest, MetricsThatDifferInTheirNamesCollide) {
  EXPECT_THAT(CombineWithScalar(BinaryOperator::kAdd, Held(&budget_, {{"m", {1}}, {"n", {1}}}),
                                Held(&budget_, {{"{}", {1}}}), ScalarSide::kRight, false),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(
      WithScalar(BinaryOperator::kAdd, {{"m", {1, kNoValue}}, {"n", {kNoValue, 5}}}, {1, 1}),
      ElementsAre("{} 2 6"));
}

TEST_F(BinaryTest, AndKeepsElementsThatTheOtherSideHasAtTheStep) {
  EXPECT_THAT(
      Sets(BinaryOperator::kAnd, {}, {{R"(m{a="1"})", {1, 2, 3}}, {R"(m{a="2"})", {4, 5, 6}}},
           {{R"(n{a="1"})", {9, kNoValue, 9}}}),
      ElementsAre("{__name__=\"m\", a=\"1\"} 1 _ 3"));
}

TEST_F(BinaryTest, UnlessKeepsElementsThatTheOtherSideLacks) {
  EXPECT_THAT(Sets(BinaryOperator::kUnless, {.on = true, .labels = {"a"}},
                   {{R"(m{a="1"})", {1, 2, 3}}, {R"(m{a="2"})", {4, 5, 6}}},
                   {{R"(n{a="1", b="1"})", {9, kNoValue, 9}}}),
              ElementsAre("{__name__=\"m\", a=\"1\"} _ 2 _", "{__name__=\"m\", a=\"2\"} 4 5 6"));
}

TEST_F(BinaryTest, OrAddsElementsWhoseLabelsTheLeftSideLacksAtTheStep) {
  EXPECT_THAT(
      Sets(BinaryOperator::kOr, {.on = true, .labels = {"a"}}, {{R"(m{a="1"})", {1, kNoValue, 3}}},
           {{R"(m{a="1"})", {7, 8, 9}}, {R"(n{a="2"})", {4, 5, 6}}}),
      ElementsAre("{__name__=\"m\", a=\"1\"} 1 8 3", "{__name__=\"n\", a=\"2\"} 4 5 6"));
}

TEST_F(BinaryTest, IgnoredLabelsDoNotCountInSets) {
  EXPECT_THAT(Sets(BinaryOperator::kAnd, {.labels = {"b"}}, {{R"(m{a="1", b="1"})", {1}}},
                   {{R"(m{a="1", b="2"})", {1}}}),
              ElementsAre("{__name__=\"m\", a=\"1\", b=\"1\"} 1"));
}

}  // namespace
}  // namespace hourcell::promql
