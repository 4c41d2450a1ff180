// The choices in the design lab, as JSON: GET /api/admin/simulate. Pure; thread-safe.

#pragma once

#include <cstdint>
#include <string>

#include "server/lab/store_fleet.h"

namespace hourcell {

// {"layouts":[{"name","fields","idea"},..],"layout_fields":[..],
//  "distributors":[{"name","idea"},..],"presplits":[{"name","idea"},..],
//  "policies":[..],"engines":[..],
//  "bench":{"layouts":[{"name","fields","idea"},..],"cells":[..],"rules":[..],"workloads":[..],
//           "figures":[{"name","head"},..]},
//  "limits":{..}}
// With the fleet of a store, each of the first "layouts" has the "key" of the
// fleet's series at `now_ms`, in hex, and there is "store":{"fleet","metric"}.
std::string LabChoicesJson(const StoreFleet& store = {}, int64_t now_ms = 0);

}  // namespace hourcell
