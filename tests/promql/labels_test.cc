#include "promql/labels.h"

#include <gtest/gtest.h>

namespace hourcell::promql {
namespace {

TEST(LabelsTest, AreSortedAndHaveNoEmptyValue) {
  const Labels labels({{"b", "2"}, {"a", "1"}, {"c", ""}});
  EXPECT_EQ(labels.pairs(), (std::vector<Labels::Pair>{{"a", "1"}, {"b", "2"}}));
}

TEST(LabelsTest, TheLastOfEqualNamesCounts) {
  EXPECT_EQ(Labels({{"a", "1"}, {"a", "2"}}), Labels({{"a", "2"}}));
  EXPECT_EQ(Labels({{"a", "1"}, {"a", ""}}), Labels());
}

TEST(LabelsTest, SetAddsReplacesAndRemoves) {
  Labels labels({{"b", "2"}});
  labels.Set("a", "1");
  labels.Set("b", "3");
  EXPECT_EQ(labels, Labels({{"a", "1"}, {"b", "3"}}));
  labels.Set("a", "");
  EXPECT_EQ(labels.Get("a"), "");
  EXPECT_EQ(labels.Get("b"), "3");
}

TEST(LabelsTest, KeepAndWithoutDivideTheLabels) {
  const Labels labels({{"__name__", "m"}, {"a", "1"}, {"b", "2"}});
  EXPECT_EQ(labels.Keep({"a", "z"}), Labels({{"a", "1"}}));
  EXPECT_EQ(labels.Without({"a", "z"}), Labels({{"__name__", "m"}, {"b", "2"}}));
  EXPECT_EQ(labels.WithoutMetricName(), Labels({{"a", "1"}, {"b", "2"}}));
}

}  // namespace
}  // namespace hourcell::promql
