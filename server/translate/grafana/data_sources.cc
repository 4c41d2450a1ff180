#include "server/translate/grafana/data_sources.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "server/translate/grafana/panel_variables.h"
#include "server/translate/grafana/variable_query.h"

namespace hourcell {
namespace {

constexpr std::string_view kOpentsdb = "opentsdb";
constexpr std::string_view kPrometheus = "prometheus";
constexpr std::string_view kMixedUid = "-- Mixed --";

std::string ReferenceTo(std::string_view type, std::string_view uid) {
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  json.Field("type", type);
  json.Field("uid", uid);
  json.CloseObject();
  return text;
}

std::string PrometheusInput(std::string_view name) {
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  json.Field("name", name);
  json.Field("label", "Prometheus");
  json.Field("description", "");
  json.Field("type", "datasource");
  json.Field("pluginId", kPrometheus);
  json.Field("pluginName", "Prometheus");
  json.CloseObject();
  return text;
}

bool IsNull(const JsonNode* node) {
  return node == nullptr || node->raw == "null";
}

}  // namespace

std::string VariableQueryText(const JsonNode& variable) {
  const JsonNode* const query = variable.Find("query");
  if (query == nullptr) return "";
  return query->is_object() ? query->TextOf("query") : query->ValueText();
}

DataSources::DataSources(JsonTree* tree, JsonNode* model, const std::string& data_source)
    : tree_(*tree), model_(*model), is_input_(data_source.empty()) {
  if (const JsonNode* const inputs = model_.FindArray("__inputs")) {
    for (const JsonItem& input : inputs->items)
      plugins_[input.value.TextOf("name")] = input.value.TextOf("pluginId");
  }
  JsonNode* const templating = model_.FindObject("templating");
  JsonNode* const list = templating == nullptr ? nullptr : templating->FindArray("list");
  if (list != nullptr) {
    for (const JsonItem& item : list->items) {
      if (item.value.TextOf("type") == "datasource")
        plugins_[item.value.TextOf("name")] = VariableQueryText(item.value);
    }
  }
  input_ = "DS_PROMETHEUS";
  for (size_t i = 2; plugins_.contains(input_) && plugins_[input_] != kPrometheus; ++i)
    input_ = fmt::format("DS_PROMETHEUS_{}", i);
  reference_ = ReferenceTo(kPrometheus, is_input_ ? fmt::format("${{{}}}", input_) : data_source);
}

SourceKind DataSources::KindOfName(std::string_view name) const {
  if (name == kMixedUid) return SourceKind::kMixed;
  if (name.starts_with("-- ")) return SourceKind::kOther;
  const auto plugin = plugins_.find(PanelVariableName(name));
  if (plugin == plugins_.end() || plugin->second.empty()) return SourceKind::kUnknown;
  return plugin->second == kOpentsdb ? SourceKind::kOpentsdb : SourceKind::kOther;
}

SourceKind DataSources::KindOf(const JsonNode* reference) const {
  if (IsNull(reference)) return SourceKind::kMissing;
  if (!reference->is_object()) return KindOfName(reference->ValueText());
  const std::string type = reference->TextOf("type");
  const std::string uid = reference->TextOf("uid");
  if (uid == kMixedUid) return SourceKind::kMixed;
  if (type.empty()) return uid.empty() ? SourceKind::kMissing : KindOfName(uid);
  return type == kOpentsdb ? SourceKind::kOpentsdb : SourceKind::kOther;
}

bool DataSources::IsOpentsdbTarget(const JsonNode& target, SourceKind panel_kind) const {
  if (!target.is_object()) return false;
  SourceKind kind = KindOf(target.Find("datasource"));
  if (kind == SourceKind::kMissing || kind == SourceKind::kMixed) kind = panel_kind;
  if (kind == SourceKind::kOpentsdb) return true;
  if (kind == SourceKind::kOther) return false;
  const JsonNode* const metric = target.Find("metric");
  return metric != nullptr && metric->is_string() &&
         (target.Find("aggregator") != nullptr || target.Find("downsampleAggregator") != nullptr);
}

bool DataSources::IsOpentsdbVariable(const JsonNode& variable) const {
  const std::string type = variable.TextOf("type");
  if (!variable.is_object() || (!type.empty() && type != "query")) return false;
  const SourceKind kind = KindOf(variable.Find("datasource"));
  if (kind == SourceKind::kOpentsdb) return true;
  return kind != SourceKind::kOther && IsOpentsdbVariableQuery(VariableQueryText(variable));
}

void DataSources::SetPrometheus(JsonNode* part) {
  tree_.Set(part, "datasource", reference_);
  is_used_ = true;
}

// Expressions of Grafana, which calculate with other targets, do not make a panel mixed.
void DataSources::SetPanelSource(JsonNode* panel, const std::vector<JsonNode*>& kept) {
  const JsonNode* const own = panel->Find("datasource");
  const std::string before = IsNull(own) ? "" : JsonTree::TextOf(*own);
  const bool was_mixed = KindOf(own) == SourceKind::kMixed;
  bool is_mixed = false;
  for (JsonNode* const target : kept) {
    const JsonNode* const reference = target->Find("datasource");
    if (reference != nullptr && reference->TextOf("type") == "__expr__") continue;
    is_mixed = true;
    if (target->is_object() && IsNull(reference) && !before.empty() && !was_mixed)
      tree_.Set(target, "datasource", before);
  }
  if (is_mixed) {
    if (!was_mixed) tree_.Set(panel, "datasource", ReferenceTo("datasource", kMixedUid));
  } else {
    SetPrometheus(panel);
  }
}

bool DataSources::HasInput(std::string_view name) const {
  const JsonNode* const inputs = std::as_const(model_).Find("__inputs");
  return inputs != nullptr && std::ranges::any_of(inputs->items, [name](const JsonItem& item) {
           return item.value.TextOf("name") == name;
         });
}

void DataSources::UpdateInputs() {
  if (!is_used_) return;
  JsonNode* inputs = model_.FindArray("__inputs");
  if (inputs != nullptr) {
    // The usual export has one. The text is searched once for it.
    const auto is_old = [](const JsonItem& item) {
      return item.value.TextOf("pluginId") == kOpentsdb;
    };
    const auto old = std::ranges::find_if(inputs->items, is_old);
    if (old != inputs->items.end() && std::ranges::count_if(inputs->items, is_old) == 1 &&
        tree_.Text().find(fmt::format("${{{}}}", old->value.TextOf("name"))) == std::string::npos)
      inputs->items.erase(old);
  }
  if (!is_input_ || HasInput(input_)) return;
  if (inputs == nullptr) {
    tree_.Set(&model_, "__inputs", "[]");
    inputs = model_.FindArray("__inputs");
  }
  tree_.Append(inputs, PrometheusInput(input_));
}

}  // namespace hourcell
