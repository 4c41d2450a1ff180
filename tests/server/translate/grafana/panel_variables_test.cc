#include "server/translate/grafana/panel_variables.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::panel_variables_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The text after Hide and Show.
std::string InPromql(std::string_view text) {
  const PanelVariables::Table none;
  PanelVariables variables(&none);
  const auto hidden = variables.Hide(text);
  return hidden.ok() ? variables.Show(*hidden) : std::string(hidden.status().message());
}

TEST(PanelVariablesTest, VariablesSurvive) {
  for (const std::string_view text :
       {"$host", "[[host]]", "${host}", "a-$host.b", "$a$b", "${a}x[[b]]", "${a.text}", "${a:raw}",
        "$__interval", "${host:text}", "plain", "", "a$", "$-", "[[", "${", "${}", "[[a"}) {
    EXPECT_EQ(InPromql(text), text);
  }
}

TEST(PanelVariablesTest, FormatsOfOpentsdbAreThoseOfPromql) {
  EXPECT_EQ(InPromql("${host:pipe}"), "${host}");
  EXPECT_EQ(InPromql("[[host:pipe]].x"), "${host}.x");
  EXPECT_EQ(InPromql("${host.text:regex}"), "${host.text}");
}

TEST(PanelVariablesTest, OtherFormatsAreRefused) {
  EXPECT_EQ(InPromql("a${host:csv}"),
            "variable \"${host:csv}\": cannot be written in PromQL; expected no format, or pipe, "
            "regex, raw or text, got \"csv\"");
  EXPECT_THAT(InPromql("${host.a\"b}"), HasSubstr("got \"a\\\"b\""));
  EXPECT_THAT(InPromql("variableword0z"), HasSubstr("expected a text without the word"));
}

TEST(PanelVariablesTest, WordsAreLettersAndDigits) {
  const PanelVariables::Table none;
  PanelVariables variables(&none);
  EXPECT_EQ(*variables.Hide("a.$b-[[c]]"), "a.variableword0z-variableword1z");
  EXPECT_EQ(*variables.Hide("$b"), "variableword2z");
  EXPECT_EQ(variables.Show("x variableword2z variableword1zvariableword0z variableword3z"),
            "x $b [[c]]$b variableword3z");
  EXPECT_TRUE(PanelVariables::HasWord("a variableword"));
  EXPECT_FALSE(PanelVariables::HasWord("a variable"));
}

TEST(PanelVariablesTest, KnowsTheVariablesOfTheDashboard) {
  PanelVariables::Table table;
  table["many"] = {.has_several_values = true, .has_tag_values = true};
  table["one"] = {.has_tag_values = true};
  table["custom"] = {};
  PanelVariables variables(&table);
  EXPECT_TRUE(variables.HasSeveralValues(*variables.Hide("$many")));
  EXPECT_FALSE(variables.HasSeveralValues(*variables.Hide("a$one")));
  EXPECT_TRUE(variables.HasSeveralValues(*variables.Hide("$one$many")));
  EXPECT_TRUE(variables.HasSeveralValues(*variables.Hide("$unknown")));
  EXPECT_FALSE(variables.HasSeveralValues("plain"));
  EXPECT_THAT(variables.FreeVariables(*variables.Hide("$one|$many")), IsEmpty());
  EXPECT_THAT(variables.FreeVariables(*variables.Hide("$one|$custom|[[x]]")),
              ElementsAre("$custom", "[[x]]"));
}

TEST(PanelVariablesTest, AliasesBecomeLegends) {
  std::vector<std::string> keys;
  EXPECT_EQ(LegendOfAlias("$tag_host of [[tag_dc]], ${tag_a}: $env $tag_", &keys),
            "{{host}} of {{dc}}, {{a}}: $env $tag_");
  EXPECT_THAT(keys, ElementsAre("host", "dc", "a"));
}

TEST(PanelVariablesTest, FindsVariables) {
  EXPECT_TRUE(HasPanelVariable("a$b"));
  EXPECT_FALSE(HasPanelVariable("^a$"));
  EXPECT_EQ(PanelVariableName("${b}"), "b");
  EXPECT_EQ(PanelVariableName("[[b]]"), "b");
  EXPECT_EQ(PanelVariableName("$b"), "b");
  EXPECT_EQ(PanelVariableName("$b "), "");
  EXPECT_EQ(PanelVariableName("b"), "");
}

}  // namespace
}  // namespace hourcell::panel_variables_test
