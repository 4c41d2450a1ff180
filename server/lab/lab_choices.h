// The choices in the design lab, as JSON: GET /api/admin/simulate. Pure; thread-safe.

#pragma once

#include <string>

namespace hourcell {

// {"layouts":[{"name","fields","idea"},..],"layout_fields":[..],
//  "distributors":[{"name","idea"},..],"presplits":[{"name","idea"},..],
//  "policies":[..],"engines":[..],
//  "bench":{"layouts":[{"name","fields","idea"},..],"cells":[..],"rules":[..],"workloads":[..],
//           "figures":[{"name","head"},..]},
//  "limits":{..}}
std::string LabChoicesJson();

}  // namespace hourcell
