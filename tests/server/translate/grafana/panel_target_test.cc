#include "server/translate/grafana/panel_target.h"

#include <memory>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/translate/promql_translation.h"

namespace hourcell::panel_target_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

PanelVariables::Table Variables() {
  PanelVariables::Table table;
  table["hosts"] = {.has_several_values = true, .has_tag_values = true};
  table["host"] = {.has_tag_values = true};
  table["custom"] = {};
  return table;
}

absl::StatusOr<PanelExpression> TryTranslate(std::string_view target) {
  const auto tree = JsonTree::Parse(target);
  EXPECT_TRUE(tree.ok()) << tree.status();
  return TranslateTarget((*tree)->root(), Variables());
}

PanelExpression TranslatedTarget(std::string_view target) {
  const auto made = TryTranslate(target);
  EXPECT_TRUE(made.ok()) << made.status();
  return made.ok() ? *made : PanelExpression();
}

std::string ExprOf(std::string_view target) {
  const auto made = TryTranslate(target);
  return made.ok() ? made->expr : std::string(made.status().message());
}

TEST(PanelTargetTest, ATargetIsTheQueryThatGrafanaSends) {
  struct Case {
    std::string_view target;
    std::string_view m;
  };
  for (const Case& each : {
           Case{R"({"metric":"cpu","aggregator":"zimsum","downsampleInterval":"1m",
                    "downsampleAggregator":"max","tags":{"host":"*"}})",
                "zimsum:1m-max:cpu{host=*}"},
           Case{R"({"metric":"sys.cpu","disableDownsampling":true})", "avg:sys.cpu"},
           Case{R"({"metric":"cpu","aggregator":"sum","downsampleInterval":" 10s ",
                    "downsampleFillPolicy":"nan","filters":[
                    {"type":"wildcard","tagk":"host","filter":"web*","groupBy":true},
                    {"type":"not_literal_or","tagk":"dc","filter":"lga|ams"},
                    {"type":"not_key","tagk":"old","filter":"","groupBy":true}],
                    "tags":{"ignored":"beside filters"}})",
                "sum:10s-avg-nan:cpu{host=wildcard(web*)}{dc=not_literal_or(lga|ams),old=not_key()"
                "}"},
           Case{R"({"metric":"cpu","aggregator":"none","downsampleInterval":"1m",
                    "downsampleFillPolicy":"none","shouldComputeRate":true,"isCounter":true})",
                "none:1m-avg:rate{dropcounter}:cpu"},
           Case{R"({"metric":"cpu","aggregator":"none","downsampleInterval":"1m",
                    "shouldComputeRate":true,"isCounter":true,"counterMax":"65535",
                    "counterResetValue":10})",
                "none:1m-avg:rate{counter,65535,10}:cpu"},
       }) {
    const PanelExpression made = TranslatedTarget(each.target);
    const auto of_m = TranslateToPromql(each.m);
    ASSERT_TRUE(of_m.ok()) << of_m.status();
    EXPECT_EQ(made.expr, of_m->text);
    EXPECT_EQ(made.conditions, of_m->conditions);
  }
}

TEST(PanelTargetTest, AFixedIntervalIsTheShortestStep) {
  EXPECT_EQ(TranslatedTarget(R"({"metric":"cpu","downsampleInterval":"5m"})").interval, "5m");
  EXPECT_EQ(TranslatedTarget(R"({"metric":"cpu","disableDownsampling":true})").interval, "");
}

TEST(PanelTargetTest, WithoutAnIntervalGrafanaChooses) {
  const PanelExpression made = TranslatedTarget(R"({"metric":"cpu","aggregator":"zimsum"})");
  EXPECT_EQ(made.expr, "sum(avg_over_time(cpu[$__interval] offset -$__interval))");
  EXPECT_EQ(made.interval, "");
  EXPECT_THAT(made.conditions,
              ElementsAre("no point is at a multiple of $__interval, which two ranges have"));
  EXPECT_EQ(TranslatedTarget(
                R"({"metric":"c","aggregator":"zimsum","downsampleInterval":"${__interval}"})")
                .interval,
            "");
}

TEST(PanelTargetTest, AnIntervalMayBeAVariable) {
  const PanelExpression made = TranslatedTarget(
      R"({"metric":"cpu2h11m59s","aggregator":"sum","downsampleInterval":"$step",
          "shouldComputeRate":true})");
  EXPECT_EQ(made.expr,
            "sum((avg_over_time(cpu2h11m59s[$step] offset -$step) - "
            "avg_over_time(cpu2h11m59s[$step] offset 1ms)) / ($__interval_ms / 1000))");
  EXPECT_EQ(made.interval, "$step");
  EXPECT_THAT(made.conditions,
              ElementsAre("no point is at a multiple of $step, which two ranges have",
                          "the step of the panel is $step",
                          "each series has a point in each $step between its first and its last "
                          "point",
                          HasSubstr("the first step does not count")));
}

TEST(PanelTargetTest, FiltersTakeAllValuesOfAVariable) {
  const auto selector = [](const std::string& type, const std::string& filter) {
    return ExprOf(R"({"metric":"cpu","aggregator":"none","disableDownsampling":true,"filters":[
                      {"type":")" +
                  type + R"(","tagk":"host","filter":")" + filter + R"("}]})");
  };
  EXPECT_EQ(selector("literal_or", "$hosts"), "cpu{host=~\"$hosts\"}");
  EXPECT_EQ(selector("literal_or", "[[hosts]]"), "cpu{host=~\"[[hosts]]\"}");
  EXPECT_EQ(selector("literal_or", "${hosts:pipe}"), "cpu{host=~\"${hosts}\"}");
  EXPECT_EQ(selector("literal_or", "$unknown"), "cpu{host=~\"$unknown\"}");
  EXPECT_EQ(selector("literal_or", "$host"), "cpu{host=\"$host\"}");
  EXPECT_EQ(selector("literal_or", "$hosts.lga"), "cpu{host=~\"$hosts\\\\.lga\"}");
  EXPECT_EQ(selector("literal_or", "a|$hosts"), "cpu{host=~\"a|$hosts\"}");
  EXPECT_EQ(selector("not_literal_or", "$hosts"), "cpu{host!=\"\",host!~\"$hosts\"}");
  EXPECT_EQ(selector("iliteral_or", "$hosts"), "cpu{host=~\"(?i:$hosts)\"}");
  EXPECT_EQ(selector("wildcard", "web*$hosts"), "cpu{host=~\"web.*$hosts\"}");
  EXPECT_EQ(selector("wildcard", "$hosts"), "cpu{host=~\"$hosts\"}");
  EXPECT_EQ(selector("regexp", "^$hosts$"), "cpu{host=~\".*(?:^$hosts$).*\"}");
}

TEST(PanelTargetTest, ValuesThatMayBeNoTagsAreACondition) {
  const auto conditions = [](const std::string& tag) {
    return TranslatedTarget(R"({"metric":"cpu","aggregator":"zimsum","downsampleInterval":"1m",
                                "tags":{"host":")" +
                            tag + "\"}}")
        .conditions;
  };
  EXPECT_THAT(conditions("$host"), IsEmpty());
  EXPECT_THAT(conditions("$hosts"), IsEmpty());
  EXPECT_THAT(conditions("$custom"), ElementsAre("the values of $custom have no * and no |"));
  EXPECT_THAT(conditions("a|$host"),
              ElementsAre("the variables of \"a|$host\" have no special characters of regular "
                          "expressions"));
  EXPECT_THAT(conditions("wildcard($host)"), ElementsAre("$host has .* in place of *"));
  EXPECT_THAT(conditions("regexp(a$hosts)"),
              ElementsAre("the variables of \"a$hosts\" have no special characters of regular "
                          "expressions"));
}

TEST(PanelTargetTest, NamesMayHaveVariables) {
  EXPECT_EQ(ExprOf(R"({"metric":"$custom.qps","aggregator":"zimsum","disableDownsampling":true,
                       "tags":{"$host":"*"}})"),
            "sum by ($host) ({__name__=\"$custom.qps\",$host!=\"\"})");
  const PanelExpression made =
      TranslatedTarget(R"({"metric":"a.$hosts","aggregator":"none","disableDownsampling":true})");
  EXPECT_EQ(made.expr, "{__name__=~\"a\\\\.$hosts\"}");
  EXPECT_THAT(made.conditions, Contains("a.$hosts has one value"));
}

TEST(PanelTargetTest, TheLegendIsThatOfOpentsdb) {
  const auto legend = [](const std::string& fields) {
    return TranslatedTarget(
               R"({"metric":"a.cpu","aggregator":"zimsum","downsampleInterval":"1m",)" + fields +
               "}")
        .legend;
  };
  EXPECT_EQ(legend(R"("tags":{})"), "a.cpu");
  EXPECT_EQ(legend(R"("tags":{"host":"*","d-c":"$host"})"), "a.cpu{host={{host}}, d-c={{d_c}}}");
  EXPECT_EQ(legend(R"("alias":"$tag_host on $dc","tags":{"host":"*"})"), "{{host}} on $dc");
  const PanelExpression made = TranslatedTarget(
      R"({"metric":"cpu","aggregator":"zimsum","downsampleInterval":"1m","alias":"$tag_host"})");
  EXPECT_THAT(made.conditions,
              ElementsAre("the legend lacks host, which the expression does not group by"));
}

TEST(PanelTargetTest, SomeTargetsAreRefused) {
  EXPECT_THAT(ExprOf(R"({"metric":"a","aggregator":"$agg"})"),
              HasSubstr("aggregator: PromQL has another expression for each one; expected a name, "
                        "got the variable \"$agg\""));
  EXPECT_THAT(ExprOf(R"({"metric":"a","aggregator":"nosuch"})"), HasSubstr("nosuch"));
  EXPECT_THAT(ExprOf(R"({"metric":"a","downsampleAggregator":"[[agg]]"})"),
              HasSubstr("downsampleAggregator: PromQL"));
  EXPECT_THAT(ExprOf(R"({"metric":"a","downsampleInterval":"1m","downsampleAggregator":"p99"})"),
              HasSubstr("p99"));
  EXPECT_THAT(ExprOf(R"({"metric":"a","downsampleInterval":"soon"})"), HasSubstr("soon"));
  EXPECT_THAT(ExprOf(R"({"metric":"a","explicitTags":true})"), HasSubstr("explicit_tags"));
  EXPECT_THAT(ExprOf(R"({"metric":"a","shouldComputeRate":true,"counterMax":"many"})"),
              HasSubstr("counterMax: expected an integer, got \"many\""));
  EXPECT_THAT(ExprOf(R"({"metric":"${a:csv}"})"), HasSubstr("got \"csv\""));
  EXPECT_THAT(ExprOf(R"({"metric":"a","filters":["x"]})"),
              HasSubstr("filters: expected objects, got"));
  EXPECT_THAT(ExprOf(R"({"metric":"a","filters":[{"type":"regexp","filter":"x"}]})"),
              HasSubstr("expected a tagk, got none"));
  EXPECT_THAT(ExprOf(R"({"metric":"a","filters":[{"type":"regexp","tagk":"k"}]})"),
              HasSubstr("\"k\": expected a filter, got none"));
  EXPECT_THAT(
      ExprOf(R"({"metric":"a","filters":[{"type":"regexp","tagk":"k","filter":"$hosts("}]})"),
      HasSubstr("$hosts("));
}

}  // namespace
}  // namespace hourcell::panel_target_test
