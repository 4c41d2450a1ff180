#include "promql/evaluation/vector_matching.h"

#include <gtest/gtest.h>

#include "tests/promql/evaluation/held_vectors.h"
#include "tests/support/status_matchers.h"

namespace hourcell::promql {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class VectorMatchingTest : public testing::Test {
 protected:
  absl::StatusOr<HeldVector> Combine(BinaryOperator op,
                                     const VectorMatching& matching,
                                     const std::vector<SeriesText>& left,
                                     const std::vector<SeriesText>& right,
                                     bool return_bool = false) {
    return CombineVectors(op, matching, return_bool, Held(&budget_, left), Held(&budget_, right));
  }
  std::vector<std::string> Texts(BinaryOperator op,
                                 const VectorMatching& matching,
                                 const std::vector<SeriesText>& left,
                                 const std::vector<SeriesText>& right,
                                 bool return_bool = false) {
    const auto result = Combine(op, matching, left, right, return_bool);
    EXPECT_OK(result);
    return TextsOf(*result);
  }
  std::string ErrorOf(const VectorMatching& matching,
                      const std::vector<SeriesText>& left,
                      const std::vector<SeriesText>& right) {
    return std::string(Combine(BinaryOperator::kAdd, matching, left, right).status().message());
  }

  static VectorMatching On(std::vector<std::string> labels) {
    return {.on = true, .labels = std::move(labels)};
  }
  static VectorMatching Grouped(MatchCardinality cardinality,
                                std::vector<std::string> labels,
                                std::vector<std::string> include = {}) {
    return {.cardinality = cardinality,
            .on = true,
            .labels = std::move(labels),
            .include = std::move(include)};
  }

  Budget budget_{nullptr, nullptr};
};

TEST_F(VectorMatchingTest, EqualLabelsMatchWithoutTheMetricName) {
  EXPECT_THAT(Texts(BinaryOperator::kAdd, {},
                    {{R"(m{a="1"})", {1, 2, kNoValue}}, {R"(m{a="2"})", {1, 1, 1}}},
                    {{R"(n{a="1"})", {10, kNoValue, 30}}, {R"(n{a="3"})", {1, 1, 1}}}),
              ElementsAre("{a=\"1\"} 11 _ _"));
}

TEST_F(VectorMatchingTest, OnKeepsItsLabelsOnly) {
  EXPECT_THAT(Texts(BinaryOperator::kSubtract, On({"a"}), {{R"(m{a="1", b="1"})", {5}}},
                    {{R"(n{a="1", c="1"})", {3}}}),
              ElementsAre("{a=\"1\"} 2"));
}

TEST_F(VectorMatchingTest, IgnoringDropsItsLabels) {
  EXPECT_THAT(Texts(BinaryOperator::kSubtract, {.labels = {"b"}}, {{R"(m{a="1", b="1"})", {5}}},
                    {{R"(n{a="1", b="2"})", {3}}}),
              ElementsAre("{a=\"1\"} 2"));
}

TEST_F(VectorMatchingTest, AComparisonKeepsTheLeftElementAndItsName) {
  const std::vector<SeriesText> left = {{"m", {1, 5}}};
  const std::vector<SeriesText> right = {{"n", {3, 3}}};

  EXPECT_THAT(Texts(BinaryOperator::kGreater, {}, left, right),
              ElementsAre("{__name__=\"m\"} _ 5"));
  EXPECT_THAT(Texts(BinaryOperator::kGreater, On({}), left, right), ElementsAre("{} _ 5"));
  EXPECT_THAT(Texts(BinaryOperator::kGreater, {}, left, right, /*return_bool=*/true),
              ElementsAre("{} 0 1"));
  EXPECT_THAT(Texts(BinaryOperator::kEqual, {}, left, right), IsEmpty());
}

TEST_F(VectorMatchingTest, ManySeriesMatchOneInTheirOrder) {
  EXPECT_THAT(
      Texts(BinaryOperator::kMultiply, Grouped(MatchCardinality::kManyToOne, {"a"}, {"c"}),
            {{R"(m{a="1", b="1"})", {1}}, {R"(m{a="2", b="1"})", {2}}, {R"(m{a="1", b="2"})", {3}}},
            {{R"(n{a="1", c="x"})", {10}}, {R"(n{a="2", c="y"})", {20}}}),
      ElementsAre("{a=\"1\", b=\"1\", c=\"x\"} 10", "{a=\"2\", b=\"1\", c=\"y\"} 40",
                  "{a=\"1\", b=\"2\", c=\"x\"} 30"));
}

TEST_F(VectorMatchingTest, TheManySideOfGroupRightIsTheRightOne) {
  EXPECT_THAT(
      Texts(BinaryOperator::kDivide, Grouped(MatchCardinality::kOneToMany, {"a"}),
            {{R"(m{a="1"})", {60}}}, {{R"(n{a="1", b="1"})", {2}}, {R"(n{a="1", b="2"})", {3}}}),
      ElementsAre("{a=\"1\", b=\"1\"} 30", "{a=\"1\", b=\"2\"} 20"));
  EXPECT_THAT(Texts(BinaryOperator::kGreater, Grouped(MatchCardinality::kOneToMany, {"a"}),
                    {{R"(m{a="1"})", {60}}}, {{R"(n{a="1", b="1"})", {2}}}),
              ElementsAre("{__name__=\"n\", a=\"1\", b=\"1\"} 60"));
}

TEST_F(VectorMatchingTest, AnIncludedLabelThatTheOneSideLacksIsRemoved) {
  EXPECT_THAT(Texts(BinaryOperator::kAdd, Grouped(MatchCardinality::kManyToOne, {"a"}, {"b"}),
                    {{R"(m{a="1", b="1"})", {1}}}, {{R"(n{a="1"})", {1}}}),
              ElementsAre("{a=\"1\"} 2"));
}

TEST_F(VectorMatchingTest, SeriesOfTheOneSideThatFollowEachOtherMatch) {
  EXPECT_THAT(Texts(BinaryOperator::kAdd, On({"a"}), {{R"(m{a="1"})", {1, 2, 3}}},
                    {{R"(n{a="1", b="1"})", {10, kNoValue, kNoValue}},
                     {R"(n{a="1", b="2"})", {kNoValue, 20, 30}}}),
              ElementsAre("{a=\"1\"} 11 22 33"));
  EXPECT_THAT(Texts(BinaryOperator::kAdd, Grouped(MatchCardinality::kManyToOne, {"a"}, {"b"}),
                    {{R"(m{a="1"})", {1, 2, 3}}},
                    {{R"(n{a="1", b="1"})", {10, kNoValue, kNoValue}},
                     {R"(n{a="1", b="2"})", {kNoValue, 20, 30}}}),
              ElementsAre("{a=\"1\", b=\"1\"} 11 _ _", "{a=\"1\", b=\"2\"} _ 22 33"));
}

TEST_F(VectorMatchingTest, DuplicatesOnTheOneSideAreNamed) {
  EXPECT_EQ(ErrorOf(On({"a"}), {{R"(m{a="1"})", {1}}},
                    {{R"(n{a="1", b="1"})", {1}}, {R"(n{a="1", b="2"})", {1}}}),
            "found duplicate series for the match group {a=\"1\"} on the right hand-side of the "
            "operation: [{__name__=\"n\", a=\"1\", b=\"2\"}, {__name__=\"n\", a=\"1\", b=\"1\"}];"
            "many-to-many matching not allowed: matching labels must be unique on one side");
}

TEST_F(VectorMatchingTest, DuplicatesOfGroupRightAreOnTheLeft) {
  EXPECT_THAT(
      ErrorOf(Grouped(MatchCardinality::kOneToMany, {"a"}),
              {{R"(m{a="1", b="1"})", {1}}, {R"(m{a="1", b="2"})", {1}}}, {{R"(n{a="7"})", {1}}}),
      testing::HasSubstr("on the left hand-side"));
}

TEST_F(VectorMatchingTest, DuplicatesDoNotCountWhereTheManySideIsEmpty) {
  EXPECT_THAT(Texts(BinaryOperator::kAdd, On({"a"}), {{R"(m{a="1"})", {kNoValue, 1}}},
                    {{R"(n{a="1", b="1"})", {1, 1}}, {R"(n{a="1", b="2"})", {1, kNoValue}}}),
              ElementsAre("{a=\"1\"} _ 2"));
}

TEST_F(VectorMatchingTest, SeveralMatchesWithoutGroupAreRefused) {
  EXPECT_EQ(ErrorOf(On({"a"}), {{R"(m{a="1", b="1"})", {1}}, {R"(m{a="1", b="2"})", {1}}},
                    {{R"(n{a="1"})", {1}}}),
            "multiple matches for labels: many-to-one matching must be explicit "
            "(group_left/group_right)");
}

TEST_F(VectorMatchingTest, AComparisonThatKeepsOneOfSeveralMatchesIsAccepted) {
  EXPECT_THAT(
      Texts(BinaryOperator::kGreater, On({"a"}),
            {{R"(m{a="1", b="1"})", {1}}, {R"(m{a="1", b="2"})", {7}}}, {{R"(n{a="1"})", {5}}}),
      ElementsAre("{a=\"1\"} 7"));
}

TEST_F(VectorMatchingTest, ResultsOfAGroupHaveDifferentLabels) {
  EXPECT_EQ(ErrorOf(Grouped(MatchCardinality::kManyToOne, {"a"}, {"b"}),
                    {{R"(m{a="1", b="1"})", {1}}, {R"(m{a="1", b="2"})", {1}}},
                    {{R"(n{a="1", b="3"})", {1}}}),
            "multiple matches for labels: grouping labels must ensure unique matches");
}

TEST_F(VectorMatchingTest, ResultsOfSeveralGroupsHaveDifferentLabels) {
  EXPECT_EQ(
      ErrorOf(Grouped(MatchCardinality::kManyToOne, {"a"}, {"a"}),
              {{R"(m{a="1", b="1"})", {1}}, {R"(n{a="1", b="1"})", {1}}}, {{R"(n{a="1"})", {1}}}),
      "multiple matches for labels: grouping labels must ensure unique matches");
  EXPECT_EQ(ErrorOf(Grouped(MatchCardinality::kManyToOne, {"__name__"}),
                    {{R"(m{b="1"})", {1}}, {R"(n{b="1"})", {1}}}, {{"m", {1}}, {"n", {1}}}),
            "vector cannot contain metrics with the same labelset");
}

TEST_F(VectorMatchingTest, TheErrorOfTheEarliestStepCounts) {
  EXPECT_EQ(ErrorOf(On({"a"}), {{R"(m{a="1", b="1"})", {1, 1}}, {R"(m{a="1", b="2"})", {1, 1}}},
                    {{R"(n{a="1", b="1"})", {1, 1}}, {R"(n{a="1", b="2"})", {kNoValue, 1}}}),
            "multiple matches for labels: many-to-one matching must be explicit "
            "(group_left/group_right)");
}

}  // namespace
}  // namespace hourcell::promql
