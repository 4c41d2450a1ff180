// Makes the engine's Options from the settings. Thread-compatible, as Config.

#pragma once

#include <absl/status/statusor.h>

#include "engine/options.h"
#include "server/config/config.h"
#include "server/config/storage_choice.h"

namespace hourcell {

// kInvalidArgument: settings that contradict each other, or that Config does not check (a time
// zone, a duration, settings of regions, the file of limits and its content).
// kNotFound: the file of limits cannot be read.
// `other`: for a store that several processes can open.
absl::StatusOr<Options> EngineOptionsOf(const Config& config,
                                        OtherWriter other = OtherWriter::kRefuse);

}  // namespace hourcell
