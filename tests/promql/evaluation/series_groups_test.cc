#include "promql/evaluation/series_groups.h"

#include <gtest/gtest.h>

#include "tests/promql/evaluation/held_vectors.h"
#include "tests/support/status_matchers.h"

namespace hourcell::promql {
namespace {

using testing::ElementsAre;

TEST(SeriesGroupsTest, OnlyNamedLabelsDecide) {
  const GroupingRule rule{.only_names = true, .names = {"a", "b"}};
  SeriesGroups groups(&rule);

  EXPECT_EQ(groups.Insert(LabelsOf(R"(m{a="1", c="2"})")), 0U);
  EXPECT_EQ(groups.Insert(LabelsOf(R"({a="1", c="3"})")), 0U);
  EXPECT_EQ(groups.Insert(LabelsOf(R"({b="1"})")), 1U);
  EXPECT_EQ(groups.Insert(LabelsOf(R"({})")), 2U);
  EXPECT_EQ(groups.size(), 3U);
  EXPECT_EQ(GroupLabels(LabelsOf(R"(m{a="1", c="2"})"), rule), LabelsOf(R"({a="1"})"));
}

TEST(SeriesGroupsTest, AllButNamedLabelsAndTheMetricDecide) {
  const GroupingRule rule{.only_names = false, .names = {"a"}};
  SeriesGroups groups(&rule);

  EXPECT_EQ(groups.Insert(LabelsOf(R"(m{a="1", c="2"})")), 0U);
  EXPECT_EQ(groups.Insert(LabelsOf(R"(n{a="2", c="2"})")), 0U);
  EXPECT_EQ(groups.Insert(LabelsOf(R"(m{a="1", c="3"})")), 1U);
  EXPECT_EQ(GroupLabels(LabelsOf(R"(m{a="1", c="2"})"), rule), LabelsOf(R"({c="2"})"));
}

TEST(SeriesGroupsTest, AMetricNameThatIsNamedDecides) {
  const GroupingRule rule{.only_names = true, .names = {"__name__"}};
  SeriesGroups groups(&rule);

  EXPECT_EQ(groups.Insert(LabelsOf("m")), 0U);
  EXPECT_EQ(groups.Insert(LabelsOf("n")), 1U);
  EXPECT_EQ(GroupLabels(LabelsOf(R"(m{a="1"})"), rule), LabelsOf("m"));
}

TEST(SeriesGroupsTest, NoValueLooksLikeTwoLabels) {
  const GroupingRule rule{.only_names = false, .names = {}};
  SeriesGroups groups(&rule);

  EXPECT_EQ(groups.Insert(Labels({{"a", "1b"}, {"c", "2"}})), 0U);
  EXPECT_EQ(groups.Insert(Labels({{"a", "1"}, {"bc", "2"}})), 1U);
}

TEST(SeriesGroupsTest, VisitsTheElementsOfAGroupAtEachStep) {
  Budget budget(nullptr, nullptr);
  std::vector<double> ones(20, 1.0);
  std::vector<double> last(20, kNoValue);
  last[19] = 2.0;
  const HeldVector vector =
      Held(&budget, {{R"({a="1", b="1"})", ones}, {R"({a="2"})", ones}, {R"({a="1"})", last}});
  const GroupingRule by_a{.only_names = true, .names = {"a"}};
  const auto groups = MembersOf(vector, by_a);
  ASSERT_THAT(groups, ElementsAre(ElementsAre(0, 2), ElementsAre(1)));

  std::vector<double> sums;
  ASSERT_OK(VisitSteps(vector, groups[0], [&](size_t step, std::span<const StepElement> elements) {
    EXPECT_EQ(step, sums.size());
    double sum = 0;
    for (const StepElement& element : elements)
      sum += element.value;
    sums.push_back(sum);
  }));

  ASSERT_EQ(sums.size(), 20U);
  EXPECT_EQ(sums[18], 1.0);
  EXPECT_EQ(sums[19], 3.0);
}

TEST(SeriesGroupsTest, StepsWithoutElementsAreNotVisited) {
  Budget budget(nullptr, nullptr);
  const HeldVector vector = Held(&budget, {{"m", {kNoValue, 1, kNoValue}}});

  std::vector<size_t> steps;
  ASSERT_OK(VisitSteps(vector, std::vector<size_t>{0},
                       [&](size_t step, std::span<const StepElement>) { steps.push_back(step); }));

  EXPECT_THAT(steps, ElementsAre(1));
}

}  // namespace
}  // namespace hourcell::promql
