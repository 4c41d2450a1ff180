#include "server/translate/grafana/variable_query.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::variable_query_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

absl::StatusOr<VariableQuery> TryTranslate(std::string_view query) {
  PanelVariables::Table table;
  table["dc"] = {.has_several_values = true, .has_tag_values = true};
  table["metric"] = {.has_tag_values = true};
  return TranslateVariableQuery(query, table);
}

std::string TextOf(std::string_view query) {
  const auto made = TryTranslate(query);
  return made.ok() ? made->text : std::string(made.status().message());
}

TEST(VariableQueryTest, TagValuesAreLabelValues) {
  EXPECT_EQ(TextOf("tag_values(cpu, host)"), "label_values(cpu{}, host)");
  EXPECT_EQ(TextOf("tag_values(sys.cpu.user,host)"),
            "label_values({__name__=\"sys.cpu.user\"}, host)");
  EXPECT_EQ(TextOf("tag_values(cpu, host, dc=$dc, env=*, rack=r1)"),
            "label_values(cpu{dc=~\"$dc\",env!=\"\",rack=\"r1\"}, host)");
  EXPECT_EQ(TextOf("tag_values($metric, d-c)"), "label_values({__name__=\"$metric\"}, d_c)");
  EXPECT_EQ(TextOf("tag_values(a.$dc, host)"), "label_values({__name__=~\"a\\\\.$dc\"}, host)");
  EXPECT_EQ(TextOf("tag_values(*, host)"), "label_values({__name__!=\"\"}, host)");
  EXPECT_THAT(TryTranslate("tag_values(cpu, host)")->conditions, IsEmpty());
}

TEST(VariableQueryTest, NamesHaveThePatternOfTheirPrefix) {
  EXPECT_EQ(TextOf("metrics(sys.cpu)"), "metrics(^sys.cpu)");
  EXPECT_EQ(TextOf("metrics()"), "metrics(^)");
  EXPECT_EQ(TextOf("metrics($metric-a)"), "metrics(^$metric.a)");
  EXPECT_EQ(TextOf("tag_names(sys.cpu)"), "label_names(^sys.cpu$)");
  EXPECT_EQ(TextOf("suggest_tagk()"), "label_names()");
  EXPECT_EQ(TryTranslate("suggest_tagk(h+)")->regex, "/^h./");
  EXPECT_THAT(TryTranslate("metrics(sys)")->conditions,
              ElementsAre("the names are those of PromQL, such as sys_cpu for sys.cpu"));
}

TEST(VariableQueryTest, OtherQueriesAreRefused) {
  EXPECT_THAT(TextOf("suggest_tagv(web)"),
              HasSubstr("\"suggest_tagv(web)\": PromQL lists the values of one label; expected "
                        "tag_values(METRIC, KEY)"));
  EXPECT_THAT(TextOf("hosts"), HasSubstr("expected metrics(), tag_names(), tag_values() or "
                                         "suggest_tagk(), got \"hosts\""));
  EXPECT_THAT(TextOf("tag_values(cpu)"), HasSubstr("expected a metric and a tag, got \"cpu\""));
  EXPECT_THAT(TextOf("tag_values(,a)"), HasSubstr("expected a metric and a tag"));
  EXPECT_THAT(TextOf("tag_values(cpu, a, b)"), HasSubstr("expected filters KEY=VALUE, got \"b\""));
  EXPECT_THAT(TextOf("tag_values(cpu, a, b=wildcard($dc))"), HasSubstr("$dc"));
  EXPECT_THAT(TextOf("tag_values(${a:csv}, a)"), HasSubstr("got \"csv\""));
}

TEST(VariableQueryTest, KnowsTheQueriesOfOpentsdb) {
  for (const std::string_view query :
       {"tag_values(a, b)", " tag_names(a)", "suggest_tagk()", "suggest_tagv(x)"}) {
    EXPECT_TRUE(IsOpentsdbVariableQuery(query)) << query;
  }
  for (const std::string_view query : {"metrics(a)", "label_values(a, b)", "tag_values", ""})
    EXPECT_FALSE(IsOpentsdbVariableQuery(query)) << query;
}

}  // namespace
}  // namespace hourcell::variable_query_test
