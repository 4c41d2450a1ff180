// LevelMetricsOf: the metrics that have the rollups of a metric (docs/decisions/0036).

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "uid/uid_directory.h"

namespace hourcell {

// The names of all levels of the metric that have a UID, in their order, such as
// "_rollup/1h-sum/cpu". Includes levels that were removed from the settings: reads the names of all
// levels of the store. Errors of UidDirectory::VisitNames. REQUIRES: `metric` is not empty.
absl::StatusOr<std::vector<std::string>> LevelMetricsOf(std::string_view metric,
                                                        UidDirectory* uids);

}  // namespace hourcell
