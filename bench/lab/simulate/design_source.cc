#include "bench/lab/simulate/design_source.h"

#include <memory>
#include <utility>

namespace hourcell {
namespace {

using MadeSource = absl::StatusOr<std::unique_ptr<PutSource>>;

}  // namespace

PutSourceFactory FleetSource(FleetSpec spec, const SimulationDesign& design) {
  // Load is measured by the second.
  const bool by_load = design.settings.regions.split.policy == SplitPolicyKind::kLoad;
  if (by_load) spec.slice_ms = 1'000;
  const bool by_row = design.settings.cells.model == CellModel::kHourcell && !by_load;
  return [spec = std::move(spec), by_row, seed = design.settings.seed]() -> MadeSource {
    return MakeFleet(spec, by_row ? FleetSteps::kRows : FleetSteps::kPoints, seed);
  };
}

PutSourceFactory IdsSource(const IdSpec& spec) {
  return [spec]() -> MadeSource { return MakeIds(spec); };
}

KeyNames KeyNamesOf(const FleetSpec& spec) {
  KeyNames names{.uid_bytes = spec.uid_bytes};
  for (const FleetSpec::Tag& tag : spec.tags)
    names.tags.push_back(tag.name);
  return names;
}

}  // namespace hourcell
