// The JSON of POST /api/admin/layouts: the cases of the layout benchmark to run on the real engine.
//
//   {"size":"short","layouts":["opentsdb",..],"cells":[..],"rules":[..],"workloads":[..],
//    "points":60000,"seed":1}
//
// Pure; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "bench/lab/layouts/cases/case_matrix.h"

namespace hourcell {

inline constexpr size_t kLabCasesMax = 64;
inline constexpr uint64_t kLabCasePointsMax = 1'000'000;

// The cases. kInvalidArgument, with the field: an unknown or malformed field, an unknown name, more
// than kLabCasesMax cases.
absl::StatusOr<std::vector<layouts::CaseSpec>> ParseLayoutsJson(const std::string& body);

}  // namespace hourcell
