// The port of Graphite's plaintext protocol (server/inputs/graphite/graphite_session.h).

#pragma once

#include <memory>

#include <absl/status/statusor.h>

#include "server/ports/input_port.h"

namespace hourcell {

absl::StatusOr<std::unique_ptr<InputPort>> MakeGraphitePort(const InputParts& parts);

}  // namespace hourcell
