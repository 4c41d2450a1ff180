#include "promql/evaluation/aggregation.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/promql/evaluation/held_vectors.h"
#include "tests/support/status_matchers.h"

namespace hourcell::promql {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

const std::vector<SeriesText> kSeries = {{R"(m{a="2", b="1"})", {1, kNoValue, kNoValue}},
                                         {R"(m{a="1", b="1"})", {2, 2, kNoValue}},
                                         {R"(m{a="1", b="2"})", {4, kNoValue, 4}}};

TEST(AggregationTest, GroupsAreInTheOrderOfTheirFirstSeries) {
  Budget budget(nullptr, nullptr);
  const auto sums = Aggregate(AggregateOperator::kSum, {.only_names = true, .names = {"a"}},
                              Held(&budget, kSeries));

  ASSERT_OK(sums);
  EXPECT_THAT(TextsOf(*sums), ElementsAre("{a=\"2\"} 1 _ _", "{a=\"1\"} 6 2 4"));
}

TEST(AggregationTest, WithoutDropsTheMetricNameToo) {
  Budget budget(nullptr, nullptr);
  const auto counts = Aggregate(AggregateOperator::kCount, {.only_names = false, .names = {"a"}},
                                Held(&budget, kSeries));

  ASSERT_OK(counts);
  EXPECT_THAT(TextsOf(*counts), ElementsAre("{b=\"1\"} 2 1 _", "{b=\"2\"} 1 _ 1"));
}

TEST(AggregationTest, NoLabelsMakeOneGroup) {
  Budget budget(nullptr, nullptr);
  const auto largest =
      Aggregate(AggregateOperator::kMax, {.only_names = true, .names = {}}, Held(&budget, kSeries));

  ASSERT_OK(largest);
  EXPECT_THAT(TextsOf(*largest), ElementsAre("{} 4 2 4"));
}

TEST(AggregationTest, TheQuantileMayDifferAtEachStep) {
  Budget budget(nullptr, nullptr);
  const auto quantiles = AggregateQuantile(
      std::vector<double>{0.5, 2, 0}, {.only_names = true, .names = {}}, Held(&budget, kSeries));

  ASSERT_OK(quantiles);
  EXPECT_THAT(TextsOf(*quantiles), ElementsAre("{} 2 +Inf 4"));
}

TEST(AggregationTest, EachValueIsCountedInASeries) {
  Budget budget(nullptr, nullptr);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto counts =
      CountValues("v", {.only_names = true, .names = {}},
                  Held(&budget, {{R"({a="1"})", {1, 2, nan}}, {R"({a="2"})", {1, -nan, nan}}}));

  ASSERT_OK(counts);
  EXPECT_THAT(TextsOf(*counts),
              UnorderedElementsAre("{v=\"1\"} 2 _ _", "{v=\"2\"} _ 1 _", "{v=\"NaN\"} _ 1 2"));
}

TEST(AggregationTest, TheLabelOfAValueOverwritesOneOfTheSeries) {
  Budget budget(nullptr, nullptr);
  const std::vector<SeriesText> series = {{R"(m{a="1", b="1"})", {5}}, {R"(m{a="2", b="1"})", {5}}};

  const auto by =
      CountValues("a", {.only_names = true, .names = {"a", "b"}}, Held(&budget, series));
  const auto without = CountValues("a", {.only_names = false, .names = {}}, Held(&budget, series));
  const auto dropped =
      CountValues("a", {.only_names = false, .names = {"a"}}, Held(&budget, series));

  ASSERT_OK(by);
  ASSERT_OK(without);
  ASSERT_OK(dropped);
  EXPECT_THAT(TextsOf(*by), ElementsAre("{a=\"5\", b=\"1\"} 2"));
  EXPECT_THAT(TextsOf(*without), ElementsAre("{a=\"5\", b=\"1\"} 2"));
  EXPECT_THAT(TextsOf(*dropped), ElementsAre("{b=\"1\"} 2"));
}

TEST(AggregationTest, TheLabelOfValuesIsAName) {
  Budget budget(nullptr, nullptr);

  EXPECT_THAT(CountValues("a-b", {.only_names = true, .names = {}}, Held(&budget, kSeries)),
              StatusIs(absl::StatusCode::kInvalidArgument, "invalid label name \"a-b\""));
}

}  // namespace
}  // namespace hourcell::promql
