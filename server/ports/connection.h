// Connection: one accepted socket until it is closed: TLS, input and output, idle timeout, and the
// last bytes before the close, for both protocols. The first byte decides the protocol of the
// connection: 'A' to 'Z' is HTTP (http_session.h), anything else the line protocol
// (telnet_session.h). 0x16 is TLS if the server has a certificate; the first byte inside TLS then
// decides the same way.
//
// A connection runs on the thread of its reactor (reactors.h), one step at a time. It does not read
// while its session has work in progress elsewhere, so that the sender slows down.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/access/access_policy.h"
#include "server/access/access_rights.h"
#include "server/net/connection_counters.h"
#include "server/net/nodes/relay_proof.h"
#include "server/net/tls_context.h"

namespace hourcell {

class ConnectionQuota;
struct HttpContext;
struct Socket;
class Session;
struct TelnetContext;
class Transport;

// The processes that may send a client's identity before a connection's first byte
// (relay_header.h): those that prove that they know the secret (relay_proof.h). The client has the
// rights of the listener that accepted it, and those of its address. Such a process may also watch
// this one (writer_watch.h).
struct RelayTrust {
  std::shared_ptr<const RelayKeys> keys;  // null: relays are not accepted
  std::vector<AccessRights> listeners;    // of a client without credentials, by listener
  bool is_required = false;               // connections without a relay header are closed
};

// State shared by all connections of a server. Pointers are borrowed; immutable while connections
// live.
struct ConnectionContext {
  const HttpContext* http = nullptr;
  const TelnetContext* telnet = nullptr;
  const AccessPolicy* access = nullptr;  // null = rights do not depend on the address
  const RelayTrust* relay = nullptr;     // null = relays are not accepted
  const TlsContext* tls = nullptr;       // null = without TLS
  bool tls_required = false;             // plain connections are refused
  const ConnectionCounters* counters = nullptr;
  ConnectionQuota* quota = nullptr;  // of all listeners; null = no limits
  // Starts the session on a port with a single protocol; null = the first byte decides.
  std::function<std::unique_ptr<Session>(Transport*, AccessRights)> start = nullptr;
  int64_t idle_timeout_s = 0;        // 0 = none
  int64_t handshake_timeout_ms = 0;  // of TLS; 0 = none
};

// How long a client may take to read its last replies before the connection is closed.
inline constexpr int64_t kFlushMs = 10'000;
// How long further input is read and dropped after the last reply: closing at once would reset the
// connection, and the client might lose the reply.
inline constexpr int64_t kLingerMs = 2'000;
inline constexpr int64_t kStopLingerMs = 200;  // when the server stops

// Thread-safe.
class Connection {
 public:
  virtual ~Connection() = default;

  // Answers the input already read, then closes.
  virtual void Stop() = 0;

  // Closes at once.
  virtual void Abort() = 0;
};

// Serves `socket`, whose executor runs one step at a time. `rights`: of the listener; the rights of
// the client's address are added. Calls `on_closed` once, when the connection is closed.
std::shared_ptr<Connection> StartConnection(Socket socket,
                                            const ConnectionContext* context,
                                            AccessRights rights,
                                            std::function<void()> on_closed);

}  // namespace hourcell
