// Translates a query of Grafana's OpenTSDB source, a target of a panel, to one of its Prometheus
// source.
//
//   {"metric": "cpu", "aggregator": "zimsum", "downsampleInterval": "1m",
//    "downsampleAggregator": "avg", "tags": {"host": "$host"}}
//   sum by (host) (avg_over_time(cpu{host=~"$host"}[59s999ms] offset -59s999ms))
//
// Pure; thread-safe.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "promql/label_matcher.h"
#include "server/translate/grafana/json_tree.h"
#include "server/translate/grafana/panel_variables.h"

namespace hourcell {

// Fields of a target of the Prometheus source.
struct PanelExpression {
  std::string expr;
  std::string legend;         // legendFormat
  std::string interval = {};  // the shortest step; empty: that of the panel
  // As in Translation.
  std::vector<std::string> conditions = {};
};

// Fields of a target of the OpenTSDB source, which that of the Prometheus source does not have.
std::span<const std::string_view> OpentsdbTargetFields();

// kInvalidArgument: a field is wrong; kUnimplemented: PromQL
// cannot say it, with the reason.
absl::StatusOr<PanelExpression> TranslateTarget(const JsonNode& target,
                                                const PanelVariables::Table& table);

// A matcher whose value has words of `variables` takes all values that Grafana may write there.
void WidenMatcher(const PanelVariables& variables, promql::LabelMatcher* matcher);

}  // namespace hourcell
