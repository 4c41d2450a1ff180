// StoreNeeds: the promises of a store of tables that the engine needs for correct answers, with the
// reasons. A store that lacks one is refused when it is opened, not when a query misses a point.
//
// The engine works without all other promises: groups are listed in an order in which they may be
// cut (engine/table/tables.h), and stores without files refuse a backup.

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

// kFailedPrecondition: `promised` lacks a need. The message names the store's engine (`name`) and
// all missing promises, with the reasons.
absl::Status CheckStoreNeeds(std::string_view name, const TableCapabilities& promised);

}  // namespace hourcell
