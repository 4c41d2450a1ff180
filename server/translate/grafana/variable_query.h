// Translates the query of a variable of Grafana's OpenTSDB source to one of its Prometheus source.
//
//   tag_values(sys.cpu.user, host, dc=$dc)
//   label_values({__name__="sys.cpu.user",dc="$dc"}, host)
//
// Pure; thread-safe.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "server/translate/grafana/panel_variables.h"

namespace hourcell {

struct VariableQuery {
  std::string text;
  std::string regex = {};  // of the variable: what is listed of the query's values; empty: all
  std::vector<std::string> conditions = {};
};

// kUnimplemented: Grafana's Prometheus source lacks such a query; kInvalidArgument: it is not one
// of the OpenTSDB source.
absl::StatusOr<VariableQuery> TranslateVariableQuery(std::string_view query,
                                                     const PanelVariables::Table& table);

// True for a query that only the OpenTSDB source has.
bool IsOpentsdbVariableQuery(std::string_view query);

}  // namespace hourcell
