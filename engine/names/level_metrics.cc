#include "engine/names/level_metrics.h"

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/rollups/rollup_config.h"

namespace hourcell {

absl::StatusOr<std::vector<std::string>> LevelMetricsOf(std::string_view metric,
                                                        UidDirectory* uids) {
  HOURCELL_DCHECK(!metric.empty());
  std::vector<std::string> levels;
  HOURCELL_RETURN_IF_ERROR(
      uids->VisitNames(UidKind::kMetric, kRollupMetricPrefix, [&](std::string_view name) {
        if (SummarizedMetric(name) == metric) levels.emplace_back(name);
        return true;
      }));
  return levels;
}

}  // namespace hourcell
