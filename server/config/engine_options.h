// Makes the engine's Options from the settings, for a store in tsd.storage.directory. For another
// storage engine see server/cluster/storage_choice.h. Thread-compatible, as Config.

#pragma once

#include <absl/status/statusor.h>

#include "engine/options.h"
#include "server/config/config.h"

namespace hourcell {

// kInvalidArgument: settings that contradict each other, or that Config does not check (a time
// zone, a duration, settings of regions, the file of limits and its content).
// kNotFound: the file of limits cannot be read.
absl::StatusOr<Options> EngineOptionsOf(const Config& config);

}  // namespace hourcell
