// DataSources: which parts of a dashboard belong to Grafana's OpenTSDB source, and the references
// to its Prometheus source.
//
// A reference is {"type": "opentsdb", "uid": ...}, or, in old dashboards, a name, an input of the
// export (${DS_OPENTSDB}), a variable of data sources ($source), or missing: the default source. A
// part whose reference does not say its kind belongs to the OpenTSDB source if it has that source's
// fields. Thread-compatible.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/strings.h"
#include "server/translate/grafana/json_tree.h"

namespace hourcell {

enum class SourceKind : uint8_t { kMissing, kUnknown, kOpentsdb, kMixed, kOther };

// The query of a variable: a text, or an object with a text.
std::string VariableQueryText(const JsonNode& variable);

class DataSources {
 public:
  // `data_source`: as in TranslateDashboard. The nodes are borrowed.
  DataSources(JsonTree* tree, JsonNode* model, const std::string& data_source);

  // Of a reference; null: missing.
  SourceKind KindOf(const JsonNode* reference) const;
  // `panel_kind`: of the reference of its panel.
  bool IsOpentsdbTarget(const JsonNode& target, SourceKind panel_kind) const;
  bool IsOpentsdbVariable(const JsonNode& variable) const;

  // Sets the reference of a variable or a target.
  void SetPrometheus(JsonNode* part);
  // Sets the reference of a panel with translated targets. `kept` are its other targets.
  void SetPanelSource(JsonNode* panel, const std::vector<JsonNode*>& kept);
  // Adds the input of the Prometheus source if SetPrometheus refers to it, and removes the input of
  // the OpenTSDB source if nothing refers to it.
  void UpdateInputs();

 private:
  SourceKind KindOfName(std::string_view name) const;
  bool HasInput(std::string_view name) const;

  JsonTree& tree_;
  JsonNode& model_;
  // The plugins of inputs and of variables of data sources.
  StringMap<std::string> plugins_;
  bool is_input_;      // the Prometheus source
  std::string input_;  // its name
  std::string reference_;
  bool is_used_ = false;
};

}  // namespace hourcell
