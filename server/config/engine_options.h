// What the engine gets of the settings: its Options. Thread-compatible, as Config is.

#pragma once

#include <absl/status/statusor.h>

#include "engine/options.h"
#include "server/config/config.h"
#include "server/config/storage_choice.h"

namespace hourcell {

// kInvalidArgument: settings that make no sense together, or that only their user can check (a time
// zone, a duration, settings of regions, the file of limits and what is in it).
// kNotFound: there is no such file of limits.
// `other`: of a store that several processes can open.
absl::StatusOr<Options> EngineOptionsOf(const Config& config,
                                        OtherWriter other = OtherWriter::kRefuse);

}  // namespace hourcell
