#include "promql/evaluation/ranking.h"

#include <limits>

#include <gtest/gtest.h>

#include "tests/promql/evaluation/held_vectors.h"
#include "tests/support/status_matchers.h"

namespace hourcell::promql {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const GroupingRule kOneGroup{.only_names = true, .names = {}};

// Series a, b, c, ... with a value each.
std::vector<SeriesText> Elements(const std::vector<double>& values) {
  constexpr std::string_view kNames = "abcdefgh";
  std::vector<SeriesText> series;
  for (size_t i = 0; i < values.size(); ++i)
    series.push_back({kNames.substr(i, 1), {values[i]}});
  return series;
}

std::string NamesOf(const HeldVector& vector) {
  std::string names;
  for (const SeriesColumn& series : vector.series())
    names += series.labels.Get(kMetricName);
  return names;
}

TEST(RankingTest, NanIsLastInBothOrders) {
  Budget budget(nullptr, nullptr);
  HeldVector vector = Held(&budget, Elements({3, kNan, 1, 2}));

  SortByValue(RankOrder::kAscending, &vector);
  EXPECT_EQ(NamesOf(vector), "cdab");
  SortByValue(RankOrder::kDescending, &vector);
  EXPECT_EQ(NamesOf(vector), "adcb");
}

TEST(RankingTest, AVectorOfSeveralStepsHasNoOrder) {
  Budget budget(nullptr, nullptr);
  HeldVector vector = Held(&budget, {{"b", {2, 1}}, {"a", {1, 2}}});

  SortByValue(RankOrder::kAscending, &vector);

  EXPECT_EQ(NamesOf(vector), "ba");
}

TEST(RankingTest, TheFirstElementsStayInOrder) {
  Budget budget(nullptr, nullptr);
  HeldVector top = Held(&budget, Elements({5, kNan, 9, 1, 7, 3}));
  HeldVector bottom = Held(&budget, Elements({5, kNan, 9, 1, 7, 3}));

  ASSERT_OK(KeepRanked(RankOrder::kDescending, std::vector<double>{3}, kOneGroup, &top));
  ASSERT_OK(KeepRanked(RankOrder::kAscending, std::vector<double>{6.9}, kOneGroup, &bottom));

  EXPECT_EQ(NamesOf(top), "cea");
  EXPECT_EQ(NamesOf(bottom), "dfaecb");
}

TEST(RankingTest, OfEqualElementsTheHeapDecides) {
  Budget budget(nullptr, nullptr);
  HeldVector equal = Held(&budget, Elements({1, 1, 1, 1}));
  HeldVector mixed = Held(&budget, Elements({1, 1, 2, 3}));

  ASSERT_OK(KeepRanked(RankOrder::kDescending, std::vector<double>{2}, kOneGroup, &equal));
  ASSERT_OK(KeepRanked(RankOrder::kDescending, std::vector<double>{3}, kOneGroup, &mixed));

  EXPECT_EQ(NamesOf(equal), "ab");
  EXPECT_EQ(NamesOf(mixed), "dcb");
}

TEST(RankingTest, EachStepHasItsOwnElementsAndCount) {
  Budget budget(nullptr, nullptr);
  HeldVector vector = Held(&budget, {{"a", {1, 9, 1}}, {"b", {2, 1, 2}}, {"c", {kNoValue, 5, 3}}});

  ASSERT_OK(KeepRanked(RankOrder::kDescending, std::vector<double>{1, 2, 0.5}, kOneGroup, &vector));

  EXPECT_THAT(TextsOf(vector), ElementsAre("{__name__=\"a\"} _ 9 _", "{__name__=\"b\"} 2 _ _",
                                           "{__name__=\"c\"} _ 5 _"));
}

TEST(RankingTest, EachGroupHasItsOwnElements) {
  Budget budget(nullptr, nullptr);
  HeldVector vector =
      Held(&budget, {{R"(a{g="1"})", {1}}, {R"(b{g="2"})", {2}}, {R"(c{g="1"})", {3}}});

  ASSERT_OK(KeepRanked(RankOrder::kDescending, std::vector<double>{1},
                       {.only_names = true, .names = {"g"}}, &vector));

  EXPECT_EQ(NamesOf(vector), "cb");
}

TEST(RankingTest, ACountIsAnIntegerOf64Bits) {
  Budget budget(nullptr, nullptr);
  HeldVector empty(&budget, 1);
  const auto status_of = [&](double count) {
    return KeepRanked(RankOrder::kAscending, std::vector<double>{count}, kOneGroup, &empty);
  };

  EXPECT_OK(status_of(-5));
  EXPECT_OK(status_of(1e18));
  EXPECT_THAT(status_of(kNan),
              StatusIs(absl::StatusCode::kInvalidArgument, "Scalar value NaN overflows int64"));
  EXPECT_THAT(status_of(1e19),
              StatusIs(absl::StatusCode::kInvalidArgument, "Scalar value 1e+19 overflows int64"));
}

}  // namespace
}  // namespace hourcell::promql
