// The table of input ports: one row for each protocol with a separate port. To add one, see
// server/inputs/README.md. docs/inputs.md has this table. Pure; thread-safe.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <absl/status/statusor.h>

#include "server/ports/input_port.h"

namespace hourcell {

enum class PortTransport : uint8_t { kTcp, kUdp };

struct PortRow {
  std::string_view protocol;  // names the port in Server::input_port, and the input's counters
  std::string_view setting;   // of the port: -1 = closed, 0 = any free port
  PortTransport transport = PortTransport::kTcp;
  std::string_view carries;  // in the log: "Graphite's lines"
  // Makes the port, still closed. kInvalidArgument: the protocol's settings are invalid.
  absl::StatusOr<std::unique_ptr<InputPort>> (*make)(const InputParts& parts) = nullptr;
};

std::span<const PortRow> PortTable();

}  // namespace hourcell
