#include "server/translate/grafana/dashboard.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/translate/grafana/data_sources.h"
#include "server/translate/grafana/json_tree.h"
#include "server/translate/grafana/panel_target.h"
#include "server/translate/grafana/panel_variables.h"
#include "server/translate/grafana/variable_query.h"

namespace hourcell {
namespace {

// The text is a dashboard, or an answer of Grafana's API with a dashboard in it.
absl::StatusOr<JsonNode*> ModelOf(JsonNode* root) {
  JsonNode* model = root;
  for (const std::string_view key : {"dashboard", "spec"}) {
    if (JsonNode* const inner = root->FindObject(key)) model = inner;
  }
  if (model->Find("elements") != nullptr) {
    return absl::InvalidArgumentError(
        "dashboard: expected Grafana's classic JSON model with \"panels\", got schema V2 with "
        "\"elements\"; export the dashboard as \"Classic\"");
  }
  if (model->FindArray("panels") == nullptr && model->FindArray("rows") == nullptr) {
    return absl::InvalidArgumentError(
        "dashboard: expected an object with \"panels\" or \"rows\", got neither");
  }
  return model;
}

PanelVariables::Table VariablesOf(JsonNode* list, const DataSources& sources) {
  PanelVariables::Table table;
  if (list == nullptr) return table;
  for (JsonItem& item : list->items) {
    const JsonNode& node = item.value;
    PanelVariable variable{.has_several_values = node.IsTrue("multi") || node.IsTrue("includeAll")};
    const std::string all = node.TextOf("allValue");
    variable.has_tag_values = (all.empty() || all == "*") && sources.IsOpentsdbVariable(node);
    table[node.TextOf("name")] = variable;
  }
  return table;
}

class DashboardTranslator {
 public:
  DashboardTranslator(JsonTree* tree, JsonNode* model, const std::string& data_source)
      : tree_(*tree),
        model_(*model),
        sources_(tree, model, data_source),
        variables_(VariablesOf(VariableList(), sources_)) {}

  std::vector<DashboardPart> Translate() {
    TranslateVariables();
    TranslateAnnotations();
    TranslatePanels(&model_);
    if (JsonNode* const rows = model_.FindArray("rows")) {
      for (JsonItem& row : rows->items)
        TranslatePanels(&row.value);
    }
    sources_.UpdateInputs();
    return std::move(parts_);
  }

 private:
  JsonNode* ListOf(std::string_view section) {
    JsonNode* const found = model_.FindObject(section);
    return found == nullptr ? nullptr : found->FindArray("list");
  }
  JsonNode* VariableList() { return ListOf("templating"); }

  void TranslateVariables() {
    JsonNode* const list = VariableList();
    if (list == nullptr) return;
    for (JsonItem& item : list->items) {
      if (sources_.IsOpentsdbVariable(item.value)) TranslateVariable(&item.value);
    }
  }

  void TranslateVariable(JsonNode* variable) {
    DashboardPart part{.kind = DashboardPart::Kind::kVariable, .name = variable->TextOf("name")};
    absl::StatusOr<VariableQuery> made =
        TranslateVariableQuery(VariableQueryText(*variable), variables_);
    if (made.ok()) {
      WriteVariable(variable, &*made);
      part.translation = std::move(made->text);
      part.conditions = std::move(made->conditions);
    } else {
      part.error = MessageOf(made.status());
    }
    parts_.push_back(std::move(part));
  }

  void WriteVariable(JsonNode* variable, VariableQuery* made) {
    sources_.SetPrometheus(variable);
    tree_.SetText(variable, "query", made->text);
    if (variable->Find("definition") != nullptr) tree_.SetText(variable, "definition", made->text);
    const std::string all = variable->TextOf("allValue");
    if (all == "*") {
      tree_.SetText(variable, "allValue", ".+");
    } else if (all.find('*') != std::string::npos) {
      made->conditions.push_back(
          fmt::format("the value of All, {}, is a regular expression", QuoteForMessage(all)));
    }
    if (made->regex.empty()) return;
    if (variable->TextOf("regex").empty()) {
      tree_.SetText(variable, "regex", made->regex);
    } else {
      made->conditions.push_back(
          fmt::format("the regex of the variable takes no names but those of {}", made->regex));
    }
  }

  void TranslateAnnotations() {
    JsonNode* const list = ListOf("annotations");
    if (list == nullptr) return;
    for (JsonItem& item : list->items) {
      if (sources_.KindOf(item.value.Find("datasource")) != SourceKind::kOpentsdb) continue;
      parts_.push_back(
          {.kind = DashboardPart::Kind::kAnnotation,
           .name = item.value.TextOf("name"),
           .error = "PromQL cannot express annotations of the store: expected a query whose "
                    "values are the events, got notes; keep the OpenTSDB source for "
                    "them"});
    }
  }

  void TranslatePanels(JsonNode* of) {
    JsonNode* const panels = of->FindArray("panels");
    if (panels == nullptr) return;
    for (JsonItem& panel : panels->items) {
      TranslatePanel(&panel.value);
      TranslatePanels(&panel.value);
    }
  }

  void TranslatePanel(JsonNode* panel) {
    JsonNode* const targets = panel->FindArray("targets");
    if (targets == nullptr) return;
    const SourceKind kind = sources_.KindOf(panel->Find("datasource"));
    bool is_changed = false;
    std::vector<JsonNode*> kept;
    next_ref_id_ = 0;
    ref_ids_.clear();
    for (const JsonItem& item : targets->items)
      ref_ids_.insert(item.value.TextOf("refId"));
    for (JsonItem& item : targets->items) {
      if (sources_.IsOpentsdbTarget(item.value, kind) && TranslateTargetOf(*panel, &item.value)) {
        is_changed = true;
      } else {
        kept.push_back(&item.value);
      }
    }
    if (is_changed) sources_.SetPanelSource(panel, kept);
  }

  // True: the target is one of the Prometheus source now.
  bool TranslateTargetOf(const JsonNode& panel, JsonNode* target) {
    PanelExpression made;
    if (target->TextOf("metric").empty()) {  // Grafana does not send it
      WriteTarget(made, target);
      return true;
    }
    DashboardPart part{.name = panel.TextOf("title"), .ref_id = target->TextOf("refId")};
    absl::StatusOr<PanelExpression> translated = TranslateTarget(*target, variables_);
    const bool is_translated = translated.ok();
    if (is_translated) {
      made = *std::move(translated);
      WriteTarget(made, target);
      part.ref_id = target->TextOf("refId");
      part.translation = std::move(made.expr);
      part.conditions = std::move(made.conditions);
    } else {
      part.error = MessageOf(translated.status());
    }
    parts_.push_back(std::move(part));
    return is_translated;
  }

  void WriteTarget(const PanelExpression& made, JsonNode* target) {
    if (target->TextOf("refId").empty()) tree_.SetText(target, "refId", FreeRefId());
    for (const std::string_view field : OpentsdbTargetFields())
      JsonTree::Remove(target, field);
    sources_.SetPrometheus(target);
    tree_.SetText(target, "editorMode", "code");
    tree_.SetText(target, "expr", made.expr);
    if (!made.interval.empty()) tree_.SetText(target, "interval", made.interval);
    tree_.SetText(target, "legendFormat", made.legend);
    tree_.Set(target, "range", "true");
  }

  // A, B, ..., Z, A1, B1, ...
  std::string FreeRefId() {
    constexpr size_t kLetters = 26;
    while (true) {
      const size_t i = next_ref_id_++;
      std::string id(1, static_cast<char>('A' + i % kLetters));
      if (i >= kLetters) id += fmt::format("{}", i / kLetters);
      if (!ref_ids_.contains(id)) return id;
    }
  }

  JsonTree& tree_;
  JsonNode& model_;
  DataSources sources_;
  const PanelVariables::Table variables_;
  std::vector<DashboardPart> parts_;
  // Of the panel.
  StringSet ref_ids_;
  size_t next_ref_id_ = 0;
};

}  // namespace

absl::StatusOr<DashboardTranslation> TranslateDashboard(std::string_view json,
                                                        const std::string& data_source) {
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<JsonTree> tree, JsonTree::Parse(json));
  HOURCELL_ASSIGN_OR_RETURN(JsonNode* const model, ModelOf(&tree->root()));
  DashboardTranslation made;
  made.parts = DashboardTranslator(tree.get(), model, data_source).Translate();
  made.text = tree->Text();
  return made;
}

}  // namespace hourcell
