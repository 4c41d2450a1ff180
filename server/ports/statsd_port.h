// The UDP port of StatsD (server/inputs/statsd/statsd_socket.h).

#pragma once

#include <memory>

#include <absl/status/statusor.h>

#include "server/ports/input_port.h"

namespace hourcell {

// kInvalidArgument: as StatsdSettingsOf.
absl::StatusOr<std::unique_ptr<InputPort>> MakeStatsdPort(const InputParts& parts);

}  // namespace hourcell
