// InputPorts: the ports of the table of ports (port_table.h), on tsd.network.bind, as the settings
// name them. Clients have the rights that the first listener gives without credentials, and those
// of their address. With tsd.mode=ro no port is opened.
//
// Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "engine/tsdb.h"
#include "server/access/access_policy.h"
#include "server/config/config.h"

namespace hourcell {

struct ConnectionContext;
class Reactors;
struct WorkerPool;

class InputPorts {
 public:
  // All are borrowed and outlive the object.
  struct Parts {
    const Config* config = nullptr;
    Tsdb* tsdb = nullptr;
    const AccessPolicy* access = nullptr;
    const ConnectionContext* connections = nullptr;  // shared by all connections
    Reactors* reactors = nullptr;
    WorkerPool* pool = nullptr;  // where points wait for the store
    Clock* clock = nullptr;
  };

  // Binds and serves. Errors: as ListenSocket::Open; kInvalidArgument: settings of an input, also
  // if its port stays closed.
  static absl::StatusOr<std::unique_ptr<InputPorts>> Open(const Parts& parts);

  ~InputPorts();
  InputPorts(const InputPorts&) = delete;
  InputPorts& operator=(const InputPorts&) = delete;

  // The port of a protocol (PortRow::protocol); 0 = not open. REQUIRES: the table has the protocol.
  uint16_t port(std::string_view protocol) const;

  // As in Listener. Stop also writes points that an input has gathered.
  size_t Stop(int64_t grace_ms);
  void SkipDrain();

 private:
  class Impl;
  explicit InputPorts(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace hourcell
