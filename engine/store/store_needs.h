// StoreNeeds: the promises of a store of tables without which the engine gives wrong answers, and
// why. A store that lacks one is refused when it is opened, not when a query misses a point.
//
// What is not here the engine does without: groups are listed in an order in which they may be cut
// (engine/table/tables.h), and a backup is refused where the tables are no files.

#pragma once

#include <span>
#include <string_view>

#include <absl/status/status.h>

#include "engine/table/table_capabilities.h"

namespace hourcell {

struct StoreNeed {
  TableCapability capability;
  std::string_view reason;  // completes "the engine needs it: ..."
};

std::span<const StoreNeed> StoreNeeds();

// kFailedPrecondition: `promised` lacks what the engine needs; the message names the store's engine
// (`name`) and all that it lacks, with the reasons.
absl::Status CheckStoreNeeds(std::string_view name, const TableCapabilities& promised);

}  // namespace hourcell
