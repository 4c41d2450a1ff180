#include "engine/store/store_needs.h"

#include <array>
#include <iterator>
#include <string>

#include <fmt/format.h>

namespace hourcell {

std::span<const StoreNeed> StoreNeeds() {
  static constexpr std::array kNeeds = {
      StoreNeed{TableCapability::kOrderedScans, "rows of a series are read in the order of time"},
      StoreNeed{TableCapability::kMergeOperands, "a sealed hour is merged into its row unread"},
      StoreNeed{TableCapability::kSnapshots, "all reads of a query see one moment"},
      StoreNeed{TableCapability::kDurable, "the journal deletes what is in the tables"},
  };
  return kNeeds;
}

absl::Status CheckStoreNeeds(std::string_view name, const TableCapabilities& promised) {
  std::string lacking;
  for (const StoreNeed& need : StoreNeeds()) {
    if (promised.Has(need.capability)) continue;
    fmt::format_to(std::back_inserter(lacking), "{}{} ({})", lacking.empty() ? "" : ", ",
                   TableCapabilityName(need.capability), need.reason);
  }
  if (lacking.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("storage engine \"{}\" lacks what a store needs: {}", name, lacking));
}

}  // namespace hourcell
