// InputPort: the port of one input protocol, of one server. It exists also while its port is not
// open, so that its statistics do, too.
//
// TcpInputPort serves TCP connections of such a protocol. The limits of connections are those of
// the server (server/net/connection_quota.h), and its number of connections is a gauge with the
// port as its tag (listener.h).
//
// Thread-safe once open.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "engine/append.h"
#include "engine/tsdb.h"
#include "server/access/access_policy.h"
#include "server/access/access_rights.h"
#include "server/config/config.h"
#include "server/inputs/input_settings.h"
#include "server/inputs/name_rule.h"
#include "server/net/session.h"
#include "server/ports/connection.h"
#include "server/ports/listener.h"

namespace hourcell {

class Transport;
class Reactors;
struct WorkerPool;

// Shared by the protocols; all are borrowed and outlive the ports.
struct InputParts {
  const Config* config = nullptr;
  Tsdb* tsdb = nullptr;
  const AccessPolicy* access = nullptr;
  const ConnectionContext* connections = nullptr;  // shared by all connections of the server
  Reactors* reactors = nullptr;
  WorkerPool* pool = nullptr;  // where points wait for the store
  Clock* clock = nullptr;
  const InputSettings* settings = nullptr;
  const NameRule* names = nullptr;
  const NewSeriesQuota* new_series = nullptr;  // null: no limit
};

class InputPort {
 public:
  virtual ~InputPort() = default;

  // Binds `port` (0 = any) of the address and serves. Clients have the rights that the address
  // gives without credentials, and those of the client's address. Call at most once. Errors: as
  // ListenSocket::Open.
  virtual absl::Status Open(const ListenAddress& address, uint16_t port) = 0;

  // 0: not open.
  virtual uint16_t port() const = 0;

  // As in Listener. Also writes points that the input still holds.
  virtual size_t Stop(int64_t grace_ms) = 0;
  virtual void SkipDrain() = 0;
};

// A protocol of TCP connections.
class TcpProtocol {
 public:
  virtual ~TcpProtocol() = default;

  // Starts the session of a connection. `transport`, which owns the session, is borrowed.
  virtual std::unique_ptr<Session> StartSession(Transport* transport, AccessRights rights) = 0;
};

class TcpInputPort : public InputPort {
 public:
  TcpInputPort(const InputParts& parts, std::unique_ptr<TcpProtocol> protocol);

  absl::Status Open(const ListenAddress& address, uint16_t port) override;
  uint16_t port() const override;
  size_t Stop(int64_t grace_ms) override;
  void SkipDrain() override;

 private:
  const InputParts parts_;
  const std::unique_ptr<TcpProtocol> protocol_;
  ConnectionContext connections_;
  std::unique_ptr<Listener> listener_;
};

}  // namespace hourcell
