#include "promql/values/label_functions.h"

#include <gtest/gtest.h>

#include "codec/base/strings.h"

namespace hourcell::promql {
namespace {

// The label `to` after label_replace of the label `from`.
std::string Replace(std::string_view replacement, std::string_view regexp, std::string_view value) {
  const auto made = LabelReplacement::Create("to", replacement, "from", regexp);
  if (!made.ok()) return std::string(MessageOf(made.status()));
  return std::string(made->Apply(Labels({{"from", std::string(value)}, {"to", "old"}})).Get("to"));
}

TEST(LabelFunctionsTest, AReplacementRefersToGroupsAsInGo) {
  EXPECT_EQ(Replace("$1", "(.*):.*", "host:80"), "host");
  EXPECT_EQ(Replace("${1}x$2", "(.*):(.*)", "host:80"), "hostx80");
  EXPECT_EQ(Replace("$name/${name}", "(?P<name>.*):.*", "host:80"), "host/host");
  EXPECT_EQ(Replace("$0", "(.*):.*", "host:80"), "host:80");
  EXPECT_EQ(Replace("a$$1", "(.*):.*", "host:80"), "a$1");
}

TEST(LabelFunctionsTest, TheNameOfAGroupIsAsLongAsPossible) {
  EXPECT_EQ(Replace("<$1x>", "(.*):.*", "host:80"), "<>");
  EXPECT_EQ(Replace("<$1-x>", "(.*):.*", "host:80"), "<host-x>");
  EXPECT_EQ(Replace("<$1é>", "(.*):.*", "host:80"), "<>");
  EXPECT_EQ(Replace("<$01>", "(.*):.*", "host:80"), "<>");
  EXPECT_EQ(Replace("<$9>", "(.*):.*", "host:80"), "<>");
  EXPECT_EQ(Replace("<$99999999999>", "(.*):.*", "host:80"), "<>");
}

TEST(LabelFunctionsTest, ADollarSignWithoutANameIsText) {
  EXPECT_EQ(Replace("$", ".*", "a"), "$");
  EXPECT_EQ(Replace("$-", ".*", "a"), "$-");
  EXPECT_EQ(Replace("${1", "(.*)", "a"), "${1");
  EXPECT_EQ(Replace("${}", "(.*)", "a"), "${}");
}

TEST(LabelFunctionsTest, TheExpressionMatchesTheWholeValue) {
  EXPECT_EQ(Replace("new", "b", "abc"), "old");
  EXPECT_EQ(Replace("new", "a|abc", "abc"), "new");
  EXPECT_EQ(Replace("new", "", ""), "new");
  EXPECT_EQ(Replace("$1", "(.+)", ""), "old");
}

TEST(LabelFunctionsTest, AnEmptyReplacementRemovesTheLabel) {
  const auto made = LabelReplacement::Create("to", "", "from", ".*");
  ASSERT_TRUE(made.ok());

  EXPECT_EQ(made->Apply(Labels({{"from", "a"}, {"to", "b"}})), Labels({{"from", "a"}}));
}

TEST(LabelFunctionsTest, AGroupThatDoesNotMatchIsEmpty) {
  EXPECT_EQ(Replace("<$1$2>", "(a)|(b)", "b"), "<b>");
}

TEST(LabelFunctionsTest, ErrorsAreThoseOfPrometheus) {
  const auto error = [](std::string_view target, std::string_view regexp) {
    return std::string(MessageOf(LabelReplacement::Create(target, "$1", "from", regexp).status()));
  };
  EXPECT_EQ(error("a b", "("), "invalid regular expression in label_replace(): (");
  EXPECT_EQ(error("a b", "a"), "invalid destination label name in label_replace(): a b");
}

TEST(LabelFunctionsTest, JoiningTakesAbsentLabelsAsEmpty) {
  const Labels labels({{"a", "1"}, {"b", "2"}});
  const std::vector<std::string> sources{"a", "none", "b"};

  EXPECT_EQ(JoinLabels(labels, "c", "-", sources), Labels({{"a", "1"}, {"b", "2"}, {"c", "1--2"}}));
}

TEST(LabelFunctionsTest, JoiningNothingRemovesTheLabel) {
  const Labels labels({{"a", "1"}, {"b", "2"}});

  EXPECT_EQ(JoinLabels(labels, "b", "-", {}), Labels({{"a", "1"}}));
}

TEST(LabelFunctionsTest, JoiningChecksTheNames) {
  const auto error = [](std::string_view target, std::vector<std::string> sources) {
    return std::string(MessageOf(CheckLabelJoin(target, sources)));
  };
  EXPECT_EQ(error("a b", {"a-"}), "invalid source label name in label_join(): a-");
  EXPECT_EQ(error("a b", {"a"}), "invalid destination label name in label_join(): a b");
  EXPECT_EQ(error("b", {"a", "_c9"}), "");
}

TEST(LabelFunctionsTest, NamesOfLabelsAreAsciiWords) {
  for (const std::string_view name : {"a", "_", "__name__", "A9"}) {
    EXPECT_TRUE(IsLabelName(name)) << name;
  }
  for (const std::string_view name : {"", "9a", "a-b", "a:b", "é", "a "}) {
    EXPECT_FALSE(IsLabelName(name)) << name;
  }
}

}  // namespace
}  // namespace hourcell::promql
