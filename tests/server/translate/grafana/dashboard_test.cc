#include "server/translate/grafana/dashboard.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/strings.h"

namespace hourcell::dashboard_test {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

DashboardTranslation Translated(std::string_view json, const std::string& data_source = "prom") {
  const auto made = TranslateDashboard(json, data_source);
  EXPECT_TRUE(made.ok()) << made.status();
  return made.ok() ? *made : DashboardTranslation();
}

// A panel of four targets: translated, translated under a condition, refused, of another source.
constexpr std::string_view kDashboard = R"json({
  "annotations": {
    "list": [
      {"name": "notes", "datasource": {"type": "opentsdb", "uid": "tsdb"}, "target": "cpu"},
      {"name": "builtIn", "datasource": {"type": "grafana", "uid": "-- Grafana --"}}
    ]
  },
  "unknown": [1.0, 1e2, {"a": "\u00e4"}],
  "panels": [
    {
      "datasource": {
        "type": "opentsdb",
        "uid": "tsdb"
      },
      "id": 17,
      "targets": [
        {
          "aggregator": "zimsum",
          "downsampleAggregator": "avg",
          "downsampleInterval": "1m",
          "metric": "cpu",
          "refId": "A",
          "tags": {
            "host": "$host"
          },
          "unknown": "kept"
        },
        {
          "aggregator": "sum",
          "downsampleInterval": "1m",
          "metric": "mem",
          "hide": true
        },
        {"aggregator": "sum", "metric": "p", "downsampleAggregator": "p99", "refId": "C"},
        {"datasource": {"type": "loki", "uid": "logs"}, "expr": "{a=\"b\"}", "refId": "D"}
      ],
      "title": "CPU"
    },
    {"title": "row", "type": "row", "panels": [
      {"title": "inner", "datasource": {"type": "opentsdb"}, "targets": [
        {"metric": "cpu", "aggregator": "none", "downsampleInterval": "1m", "refId": "A"},
        {"datasource": {"type": "__expr__", "uid": "__expr__"}, "expression": "$A * 2"},
        {"refId": "E"}]}]}
  ],
  "templating": {
    "list": [
      {"name": "host", "type": "query", "datasource": {"type": "opentsdb", "uid": "tsdb"},
       "query": "tag_values(cpu, host)", "definition": "tag_values(cpu, host)",
       "multi": true, "includeAll": true, "allValue": "*", "refresh": 1},
      {"name": "value", "type": "query", "datasource": {"type": "opentsdb", "uid": "tsdb"},
       "query": "suggest_tagv(web)"}
    ]
  }
}
)json";

TEST(DashboardTest, ListsItsQueries) {
  const DashboardTranslation made = Translated(kDashboard);
  ASSERT_THAT(made.parts, SizeIs(7));
  const auto& parts = made.parts;
  EXPECT_EQ(parts[0].kind, DashboardPart::Kind::kVariable);
  EXPECT_EQ(parts[0].name, "host");
  EXPECT_EQ(parts[0].translation, "label_values(cpu{}, host)");
  EXPECT_EQ(parts[1].name, "value");
  EXPECT_THAT(parts[1].error, HasSubstr("suggest_tagv"));
  EXPECT_EQ(parts[2].kind, DashboardPart::Kind::kAnnotation);
  EXPECT_EQ(parts[2].name, "notes");
  EXPECT_THAT(parts[2].error, HasSubstr("PromQL cannot express annotations"));
  EXPECT_EQ(parts[3].name, "CPU");
  EXPECT_EQ(parts[3].ref_id, "A");
  EXPECT_EQ(parts[3].translation,
            "sum by (host) (avg_over_time(cpu{host=~\"$host\"}[59s999ms] offset -59s999ms))");
  EXPECT_THAT(parts[3].conditions, IsEmpty());
  EXPECT_EQ(parts[4].ref_id, "B");
  EXPECT_THAT(parts[4].conditions, SizeIs(1));
  EXPECT_EQ(parts[5].ref_id, "C");
  EXPECT_THAT(parts[5].error, HasSubstr("p99"));
  EXPECT_EQ(parts[6].name, "inner");
}

TEST(DashboardTest, OtherPartsKeepTheirBytes) {
  std::string expected(kDashboard);
  const auto replace = [&expected](std::string_view from, std::string_view to) {
    const size_t at = expected.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    expected.replace(at, from.size(), to);
  };
  replace("{\n        \"type\": \"opentsdb\",\n        \"uid\": \"tsdb\"\n      }",
          R"({"type":"datasource","uid":"-- Mixed --"})");
  replace(R"json(          "aggregator": "zimsum",
          "downsampleAggregator": "avg",
          "downsampleInterval": "1m",
          "metric": "cpu",
          "refId": "A",
          "tags": {
            "host": "$host"
          },
          "unknown": "kept"
)json",
          R"json(          "refId": "A",
          "unknown": "kept",
          "datasource": {"type":"prometheus","uid":"prom"},
          "editorMode": "code",
          "expr": "sum by (host) (avg_over_time(cpu{host=~\"$host\"}[59s999ms] offset -59s999ms))",
          "interval": "1m",
          "legendFormat": "cpu{host={{host}}}",
          "range": true
)json");
  replace(R"json(          "aggregator": "sum",
          "downsampleInterval": "1m",
          "metric": "mem",
          "hide": true
)json",
          R"json(          "hide": true,
          "refId": "B",
          "datasource": {"type":"prometheus","uid":"prom"},
          "editorMode": "code",
          "expr": "sum(avg_over_time(mem[59s999ms] offset -59s999ms))",
          "interval": "1m",
          "legendFormat": "mem",
          "range": true
)json");
  replace(R"json("p99", "refId": "C"})json", R"json("p99", "refId": "C", "datasource": {
        "type": "opentsdb",
        "uid": "tsdb"
      }})json");
  replace(R"json("inner", "datasource": {"type": "opentsdb"})json",
          R"json("inner", "datasource": {"type":"prometheus","uid":"prom"})json");
  replace(R"json({"metric": "cpu", "aggregator": "none", "downsampleInterval": "1m",)json"
          R"json( "refId": "A"})json",
          R"json({"refId": "A","datasource": {"type":"prometheus","uid":"prom"},)json"
          R"json("editorMode": "code",)json"
          R"json("expr": "avg_over_time(cpu[59s999ms] offset -59s999ms)",)json"
          R"json("interval": "1m","legendFormat": "cpu","range": true})json");
  replace(R"json({"refId": "E"})json",
          R"json({"refId": "E","datasource": {"type":"prometheus","uid":"prom"},)json"
          R"json("editorMode": "code","expr": "","legendFormat": "","range": true})json");
  replace(R"json("datasource": {"type": "opentsdb", "uid": "tsdb"},
       "query": "tag_values(cpu, host)", "definition": "tag_values(cpu, host)",
       "multi": true, "includeAll": true, "allValue": "*",)json",
          R"json("datasource": {"type":"prometheus","uid":"prom"},
       "query": "label_values(cpu{}, host)", "definition": "label_values(cpu{}, host)",
       "multi": true, "includeAll": true, "allValue": ".+",)json");

  EXPECT_EQ(Translated(kDashboard).text, expected);
}

TEST(DashboardTest, ATranslatedDashboardStays) {
  for (const std::string data_source : {"prom", ""}) {
    const DashboardTranslation once = Translated(kDashboard, data_source);
    const DashboardTranslation twice = Translated(once.text, data_source);
    EXPECT_EQ(twice.text, once.text);
    EXPECT_THAT(twice.parts, ElementsAre(Field(&DashboardPart::name, "value"),
                                         Field(&DashboardPart::name, "notes"),
                                         Field(&DashboardPart::name, "CPU")));
  }
}

TEST(DashboardTest, WithoutASourceTheImportAsks) {
  const DashboardTranslation made = Translated(
      R"({"__inputs":[{"name":"DS_TSDB","pluginId":"opentsdb"}],"panels":[{"datasource":)"
      R"("${DS_TSDB}","targets":[{"metric":"a","aggregator":"none","downsampleInterval":"1m"}]}]})",
      "");
  EXPECT_THAT(made.text,
              HasSubstr(R"("datasource":{"type":"prometheus","uid":"${DS_PROMETHEUS}"})"));
  EXPECT_THAT(made.text, HasSubstr(R"("pluginId":"prometheus")"));
  EXPECT_THAT(made.text, Not(HasSubstr("DS_TSDB")));
}

TEST(DashboardTest, RowsAndAnswersOfTheApiAreRead) {
  constexpr std::string_view kPanel =
      R"([{"datasource":null,"targets":[{"metric":"a","aggregator":"none"}]}])";
  for (const std::string& json :
       {R"({"rows":[{"panels":)" + std::string(kPanel) + "}]}",
        R"({"meta":{},"dashboard":{"panels":)" + std::string(kPanel) + "}}",
        R"({"apiVersion":"v1","spec":{"panels":)" + std::string(kPanel) + "}}"}) {
    EXPECT_THAT(Translated(json).text, HasSubstr("avg_over_time(a[$__interval]")) << json;
  }
}

TEST(DashboardTest, VariablesOfEachKindAreTranslated) {
  const DashboardTranslation made = Translated(
      R"json({"panels":[],"templating":{"list":[
          {"name":"k","type":"query","query":"suggest_tagk(h)"},
          {"name":"r","type":"query","query":"suggest_tagk(h)","regex":"/a/","allValue":"web*"},
          {"name":"o","type":"query","query":{"query":"tag_names(a)","refId":"x"}}]}})json");
  EXPECT_THAT(made.text,
              HasSubstr(R"json("query":"label_names()","datasource":)json"
                        R"json({"type":"prometheus","uid":"prom"},"regex":"/^h/"})json"));
  EXPECT_THAT(made.text, HasSubstr(R"json("query":"label_names(^a$)")json"));
  ASSERT_THAT(made.parts, SizeIs(3));
  EXPECT_THAT(made.parts[1].conditions,
              ElementsAre(HasSubstr("such as sys_cpu"),
                          "the value of All, \"web*\", is a regular expression",
                          "the regex of the variable takes no names but those of /^h/"));
}

TEST(DashboardTest, TargetsWithoutARefIdGetFreeOnes) {
  std::string targets = R"json({"metric":"a","aggregator":"none","refId":"B"})json";
  for (int i = 0; i < 27; ++i)
    targets += R"json(,{"metric":"a","aggregator":"none"})json";
  const DashboardTranslation made =
      Translated(R"json({"panels":[{"targets":[)json" + targets + "]}]}");
  ASSERT_THAT(made.parts, SizeIs(28));
  EXPECT_EQ(made.parts[1].ref_id, "A");
  EXPECT_EQ(made.parts[2].ref_id, "C");
  EXPECT_EQ(made.parts[26].ref_id, "A1");
  EXPECT_EQ(made.parts[27].ref_id, "B1");
}

TEST(DashboardTest, OtherTextsAreRefused) {
  const auto error = [](std::string_view json) {
    const auto made = TranslateDashboard(json, "");
    return made.ok() ? "" : std::string(MessageOf(made.status()));
  };
  EXPECT_THAT(error("[]"),
              HasSubstr("expected an object with \"panels\" or \"rows\", got neither"));
  EXPECT_THAT(error("{\"panels\":{}}"), HasSubstr("got neither"));
  EXPECT_THAT(error(R"({"spec":{"elements":{}}})"), HasSubstr("got schema V2"));
  EXPECT_THAT(error("{"), HasSubstr("dashboard: not JSON"));
}

}  // namespace
}  // namespace hourcell::dashboard_test
