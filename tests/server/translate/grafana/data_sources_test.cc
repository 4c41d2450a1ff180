#include "server/translate/grafana/data_sources.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace hourcell::data_sources_test {
namespace {

std::unique_ptr<JsonTree> Tree(std::string_view text) {
  auto tree = JsonTree::Parse(text);
  EXPECT_TRUE(tree.ok()) << tree.status();
  return tree.ok() ? *std::move(tree) : nullptr;
}

constexpr std::string_view kModel = R"({
  "__inputs": [{"name": "DS_TSDB", "pluginId": "opentsdb"}, {"name": "DS_X", "pluginId": "loki"}],
  "templating": {"list": [{"name": "source", "type": "datasource", "query": "opentsdb"}]}})";

TEST(DataSourcesTest, AReferenceHasAKind) {
  const auto model = Tree(kModel);
  const DataSources sources(model.get(), &model->root(), "uid");
  const auto kind = [&](std::string_view reference) {
    return sources.KindOf(&Tree(reference)->root());
  };
  EXPECT_EQ(kind(R"({"type":"opentsdb","uid":"x"})"), SourceKind::kOpentsdb);
  EXPECT_EQ(kind(R"("${DS_TSDB}")"), SourceKind::kOpentsdb);
  EXPECT_EQ(kind(R"({"uid":"${DS_TSDB}"})"), SourceKind::kOpentsdb);
  EXPECT_EQ(kind(R"("$source")"), SourceKind::kOpentsdb);
  EXPECT_EQ(kind(R"("${DS_X}")"), SourceKind::kOther);
  EXPECT_EQ(kind(R"({"type":"prometheus","uid":"x"})"), SourceKind::kOther);
  EXPECT_EQ(kind(R"("-- Grafana --")"), SourceKind::kOther);
  EXPECT_EQ(kind(R"("-- Mixed --")"), SourceKind::kMixed);
  EXPECT_EQ(kind(R"({"type":"datasource","uid":"-- Mixed --"})"), SourceKind::kMixed);
  EXPECT_EQ(kind(R"("TSDB of lga")"), SourceKind::kUnknown);
  EXPECT_EQ(kind("null"), SourceKind::kMissing);
  EXPECT_EQ(kind("{}"), SourceKind::kMissing);
  EXPECT_EQ(sources.KindOf(nullptr), SourceKind::kMissing);
}

TEST(DataSourcesTest, FieldsTellWhatAReferenceDoesNot) {
  const auto model = Tree(kModel);
  const DataSources sources(model.get(), &model->root(), "uid");
  const auto is_opentsdb = [&](std::string_view target, SourceKind panel_kind) {
    return sources.IsOpentsdbTarget(Tree(target)->root(), panel_kind);
  };
  constexpr std::string_view kFields = R"({"metric":"a","aggregator":"sum"})";
  EXPECT_TRUE(is_opentsdb(kFields, SourceKind::kUnknown));
  EXPECT_TRUE(is_opentsdb(kFields, SourceKind::kMissing));
  EXPECT_TRUE(is_opentsdb(kFields, SourceKind::kMixed));
  EXPECT_FALSE(is_opentsdb(kFields, SourceKind::kOther));
  EXPECT_FALSE(is_opentsdb(R"({"metric":"a"})", SourceKind::kUnknown));
  EXPECT_TRUE(is_opentsdb(R"({"metric":"a"})", SourceKind::kOpentsdb));
  EXPECT_FALSE(is_opentsdb(R"({"metric":"a","aggregator":"sum","datasource":{"type":"x"}})",
                           SourceKind::kOpentsdb));
  EXPECT_FALSE(is_opentsdb("17", SourceKind::kOpentsdb));

  const auto is_opentsdb_variable = [&](std::string_view variable) {
    return sources.IsOpentsdbVariable(Tree(variable)->root());
  };
  EXPECT_TRUE(is_opentsdb_variable(R"json({"type":"query","query":"tag_values(a, b)"})json"));
  EXPECT_TRUE(is_opentsdb_variable(R"json({"query":{"query":"tag_names(a)"}})json"));
  EXPECT_TRUE(is_opentsdb_variable(R"json({"datasource":"$source","query":"metrics(a)"})json"));
  EXPECT_FALSE(is_opentsdb_variable(R"json({"type":"query","query":"metrics(a)"})json"));
  EXPECT_FALSE(is_opentsdb_variable(R"json({"type":"custom","query":"tag_values(a, b)"})json"));
  EXPECT_FALSE(
      is_opentsdb_variable(R"json({"datasource":{"type":"x"},"query":"tag_values(a, b)"})json"));
}

TEST(DataSourcesTest, InputsAreThoseThatAreUsed) {
  const auto model = Tree(kModel);
  DataSources sources(model.get(), &model->root(), "");
  sources.UpdateInputs();
  EXPECT_EQ(model->Text(), kModel);

  const auto panel = Tree(R"({"datasource":"${DS_TSDB}"})");
  DataSources used(panel.get(), &panel->root(), "");
  used.SetPanelSource(&panel->root(), {});
  used.UpdateInputs();
  used.UpdateInputs();
  EXPECT_EQ(panel->Text(),
            R"({"datasource":{"type":"prometheus","uid":"${DS_PROMETHEUS}"},"__inputs":[{"name":)"
            R"("DS_PROMETHEUS","label":"Prometheus","description":"","type":"datasource",)"
            R"("pluginId":"prometheus","pluginName":"Prometheus"}]})");
}

TEST(DataSourcesTest, AnInputOfThatNameIsNotTakenForAnother) {
  const auto model = Tree(R"({"__inputs":[{"name":"DS_PROMETHEUS","pluginId":"loki"}],"a":{}})");
  DataSources sources(model.get(), &model->root(), "");
  sources.SetPrometheus(model->root().Find("a"));
  EXPECT_EQ(model->root().Find("a")->FindObject("datasource")->TextOf("uid"), "${DS_PROMETHEUS_2}");
}

}  // namespace
}  // namespace hourcell::data_sources_test
