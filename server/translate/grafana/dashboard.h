// Translates a dashboard of Grafana from its OpenTSDB source to its Prometheus source.
//
// Changed are the targets of panels, the variables and the references to data sources that belong
// to the OpenTSDB source; all else keeps its bytes. A refused part stays as it was, with its data
// source: a panel with translated and other targets gets the source "-- Mixed --". Pure;
// thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace hourcell {

// A query of the dashboard.
struct DashboardPart {
  enum class Kind : uint8_t { kTarget, kVariable, kAnnotation };
  Kind kind = Kind::kTarget;
  std::string name;         // the title of its panel, or its own name
  std::string ref_id = {};  // of a target
  std::string translation = {};
  std::vector<std::string> conditions = {};  // as in Translation
  std::string error = {};                    // not empty: it is refused, and unchanged
};

struct DashboardTranslation {
  std::string text;
  std::vector<DashboardPart> parts = {};
};

// `data_source`: the UID of the Prometheus source; empty: an input of the dashboard, which the user
// chooses during the import. kInvalidArgument: `json` is not a dashboard.
absl::StatusOr<DashboardTranslation> TranslateDashboard(std::string_view json,
                                                        const std::string& data_source);

}  // namespace hourcell
