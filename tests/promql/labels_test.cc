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

TEST(LabelsTest, TheTextIsThatOfPrometheusErrors) {
  EXPECT_EQ(Labels().Text(), "{}");
  EXPECT_EQ(Labels({{"__name__", "m"}, {"a", "2"}}).Text(), R"({__name__="m", a="2"})");
}

TEST(LabelsTest, TheTextEscapesWhatCannotBePrinted) {
  const auto quoted = [](std::string value) { return Labels({{"a", std::move(value)}}).Text(); };
  EXPECT_EQ(quoted("x\"y\\z"), R"({a="x\"y\\z"})");
  EXPECT_EQ(quoted("\a\b\f\n\r\t\v"), R"({a="\a\b\f\n\r\t\v"})");
  EXPECT_EQ(quoted("\x01\x7f"), R"({a="\x01\x7f"})");
  EXPECT_EQ(quoted("\xc3\xa9\xc2\xa0\xe2\x80\x8b\xf0\x9f\x98\x80"),
            "{a=\"\xc3\xa9\\u00a0\\u200b\xf0\x9f\x98\x80\"}");
  EXPECT_EQ(quoted("\xff\xc3"), R"({a="\xff\xc3"})");
  EXPECT_EQ(quoted("\xf3\xa0\x80\x81"), R"({a="\U000e0001"})");
}

}  // namespace
}  // namespace hourcell::promql
