#include "engine/query/functions/series_join.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::series_join_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Tags = std::vector<std::pair<std::string, std::string>>;

Span SpanOf(const std::vector<std::pair<int64_t, double>>& points) {
  Span span;
  for (const auto& [ms, value] : points)
    span.push_back(ms, Value::Float(value));
  return span;
}

TEST(SeriesJoinTest, AKeyHasTheTagsInAnyOrder) {
  const std::vector<std::string> aggregated = {"b", "a"};
  EXPECT_EQ(JoinKey(Tags{{"x", "1"}, {"y", "2"}}, {}), JoinKey(Tags{{"y", "2"}, {"x", "1"}}, {}));
  EXPECT_NE(JoinKey(Tags{{"x", "1"}}, {}), JoinKey(Tags{{"x", "1"}, {"y", "2"}}, {}));
  EXPECT_NE(JoinKey(Tags{{"x", "1"}}, {}), JoinKey(Tags{{"x", "1"}}, aggregated));
  EXPECT_EQ(JoinKey(Tags{{"x", "1"}}, std::vector<std::string>{"a", "b"}),
            JoinKey(Tags{{"x", "1"}}, aggregated));
  EXPECT_EQ(JoinKey({}, aggregated), "");
}

TEST(SeriesJoinTest, AUnionHasAllKeysAndAnIntersectionTheCommonOnes) {
  const std::vector<std::vector<std::string>> keys = {{"b", "a"}, {"c", "b"}};

  EXPECT_THAT(*JoinByKey(keys, JoinSet::kUnion),
              ElementsAre(ElementsAre(1, kNoSeries), ElementsAre(0, 1), ElementsAre(kNoSeries, 0)));
  EXPECT_THAT(*JoinByKey(keys, JoinSet::kIntersection), ElementsAre(ElementsAre(0, 1)));
}

TEST(SeriesJoinTest, TwoSeriesOfAnInputWithEqualTagsAreRefused) {
  EXPECT_THAT(JoinByKey({{"a"}, {"b", "b"}}, JoinSet::kUnion),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("input 2 has two series")));
}

TEST(SeriesJoinTest, TimesAreThoseOfAnySpan) {
  const Span a = SpanOf({{1, 1}, {3, 1}});
  const Span b = SpanOf({{2, 1}, {3, 1}});
  const Span none;

  EXPECT_THAT(UnionOfTimes(std::vector<const Span*>{&a, &b, &none}), ElementsAre(1, 2, 3));
  EXPECT_THAT(UnionOfTimes(std::vector<const Span*>{&a, &a}), ElementsAre(1, 3));
  EXPECT_THAT(UnionOfTimes(std::vector<const Span*>{}), ElementsAre());
}

TEST(SeriesJoinTest, AMissingPointHasTheValueOfItsRule) {
  const Span span = SpanOf({{2, 5}, {3, std::numeric_limits<double>::quiet_NaN()}});
  const std::vector<int64_t> times = {1, 2, 3};

  EXPECT_THAT(ValuesAt(times, span, {.value = 7, .replaces_nan = true}), ElementsAre(7, 5, 7));
  EXPECT_TRUE(std::isnan(ValuesAt(times, span, {.value = 7})[2]));
}

}  // namespace
}  // namespace hourcell::series_join_test
