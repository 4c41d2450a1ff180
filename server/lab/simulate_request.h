// SimulateRequest: a parsed request of POST /api/admin/simulate:
//
//   {"fleet":"metrics=10,tags=host:100,duration=1d",  as --fleet; or "ids":<n> and "rate":<n>
//    "designs":[{"name":"plain","layout":"opentsdb","distributor":"none","presplit":"hex:16",
//                "engine":"hourcell","seed":1,"settings":{"<setting>":"<value>",..}},
//               "salted: layout=salted:20 presplit=salt",..],   or as the text of --design
//    "window":"1m","settle":"1h",                               as the flags
//    "heat_rows":48,"heat_steps":96}                            maximum size of the maps
//
// All fields are optional; the default is one design of the defaults. Pure; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "bench/lab/simulate/input/fleet.h"
#include "bench/lab/simulate/input/id_source.h"
#include "bench/lab/simulate/simulation.h"

namespace hourcell {

inline constexpr size_t kLabDesignsMax = 8;
inline constexpr uint64_t kLabSeriesMax = 1'000'000;  // of a fleet
inline constexpr uint64_t kLabIdsMax = 1'000'000'000;
inline constexpr size_t kLabHeatRowsMax = 256;
inline constexpr size_t kLabHeatStepsMax = 384;

struct SimulateRequest {
  FleetSpec fleet = {};
  std::optional<IdSpec> ids = {};  // instead of the fleet
  std::vector<SimulationDesign> designs = {};
  uint64_t window_ms = 0;  // SimulationOptions
  uint64_t settle_ms = 0;
  size_t heat_rows = 48;
  size_t heat_steps = 96;  // an even number
};

// kInvalidArgument, with the field: an unknown, malformed or out-of-range field, errors of
// ParseFleet and ParseDesign, or a pre-split from a file, since the server must not read it.
absl::StatusOr<SimulateRequest> ParseSimulateJson(const std::string& body);

}  // namespace hourcell
