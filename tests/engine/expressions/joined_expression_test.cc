#include "engine/expressions/joined_expression.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/query/functions/counted_memory.h"
#include "tests/support/status_matchers.h"

namespace hourcell::joined_expression_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ExpressionSeries SeriesOf(std::string metric,
                          std::vector<std::pair<std::string, std::string>> tags,
                          const std::vector<std::pair<int64_t, double>>& points) {
  ExpressionSeries series{
      .tags = std::move(tags), .aggregate_tags = {}, .metrics = {std::move(metric)}, .points = {}};
  for (const auto& [ms, value] : points)
    series.points.push_back(ms, Value::Float(value));
  return series;
}

class JoinedExpressionTest : public testing::Test {
 protected:
  JoinedExpressionTest() {
    a_.series = {SeriesOf("a", {{"host", "x"}}, {{1, 10}, {2, 20}}),
                 SeriesOf("a", {{"host", "y"}}, {{1, 30}})};
    b_.series = {SeriesOf("b", {{"host", "x"}}, {{2, 5}, {3, 6}})};
  }
  absl::StatusOr<ExpressionSet> Run(std::string text, JoinSet join = JoinSet::kUnion) {
    JoinedExpression expression{.text = text, .formula = *Formula::Parse(text), .join = join};
    std::vector<const ExpressionSet*> inputs;
    for (const std::string& variable : expression.formula.variables())
      inputs.push_back(variable == "a" ? &a_ : &b_);
    return Evaluate(expression, inputs, [this] { return check_; }, &hold_);
  }
  static std::vector<double> ValuesOf(const ExpressionSeries& series) {
    std::vector<double> values;
    for (size_t i = 0; i < series.points.size(); ++i)
      values.push_back(series.points.ToDouble(i));
    return values;
  }

  CountedMemory memory_;
  MemoryHold hold_{&memory_};
  absl::Status check_;
  ExpressionSet a_;
  ExpressionSet b_;
};

TEST_F(JoinedExpressionTest, AUnionHasAllSeriesAtAllTimes) {
  a_.missing.value = 7;
  const auto result = Run("a + b");

  ASSERT_OK(result);
  ASSERT_EQ(result->series.size(), 2u);
  EXPECT_THAT(result->series[0].points.t, ElementsAre(1, 2, 3));
  EXPECT_THAT(ValuesOf(result->series[0]), ElementsAre(10, 25, 13));
  EXPECT_THAT(result->series[0].metrics, ElementsAre("a", "b"));
  // A missing point has the fill value, a missing series is 0.
  EXPECT_THAT(ValuesOf(result->series[1]), ElementsAre(30, 7, 7));
  EXPECT_THAT(result->series[1].metrics, ElementsAre("a"));
}

TEST_F(JoinedExpressionTest, AnIntersectionHasTheTimesOfItsSeriesOnly) {
  a_.series[1].points.push_back(9, Value::Float(1));
  const auto result = Run("a * b", JoinSet::kIntersection);

  ASSERT_OK(result);
  ASSERT_EQ(result->series.size(), 1u);
  EXPECT_THAT(result->series[0].points.t, ElementsAre(1, 2, 3));
  EXPECT_THAT(ValuesOf(result->series[0]), ElementsAre(0, 100, 0));
}

TEST_F(JoinedExpressionTest, AnEmptyIntersectionIsRefused) {
  b_.series[0].tags = {{"host", "z"}};
  EXPECT_THAT(Run("a + b", JoinSet::kIntersection),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("No intersections found")));
  a_.series.clear();
  b_.series.clear();
  EXPECT_TRUE(Run("a + b", JoinSet::kIntersection)->series.empty());
}

TEST_F(JoinedExpressionTest, ItsMemoryIsCounted) {
  ASSERT_OK(Run("a + b"));
  EXPECT_GT(hold_.bytes(), 0u);
  hold_.GiveBack(hold_.bytes());
  memory_.limit = 300;
  EXPECT_EQ(Run("a + b").status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(JoinedExpressionTest, ACheckEndsIt) {
  check_ = absl::CancelledError("gone");
  EXPECT_EQ(Run("a + b").status(), check_);
}

TEST_F(JoinedExpressionTest, AlignedSeriesHaveEqualTimes) {
  a_.missing.value = 4;
  ASSERT_OK(AlignPoints(&hold_, &a_));

  EXPECT_THAT(a_.series[1].points.t, ElementsAre(1, 2));
  EXPECT_THAT(ValuesOf(a_.series[1]), ElementsAre(30, 4));
}

TEST_F(JoinedExpressionTest, ASeriesWithoutPointsIsLeftOut) {
  ExpressionSet set;
  ASSERT_OK(AddSeries({}, &hold_, &set));
  EXPECT_TRUE(set.series.empty());
}

}  // namespace
}  // namespace hourcell::joined_expression_test
