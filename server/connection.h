// Connection: one accepted socket until it is closed, with what is the same in either protocol:
// TLS, bytes in and out, silence, and the last bytes before the close. The first byte decides its
// protocol for good: 'A' to 'Z' is HTTP (http_session.h), anything else the line protocol
// (telnet_session.h); 0x16 is TLS, where there is a certificate, and the first byte inside of
// it decides in the same way.
//
// Everything of a connection runs on its strand, one step at a time. While the session has
// work under way elsewhere nothing is read, so that the sender feels it.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/access/access_policy.h"
#include "server/access/access_rights.h"
#include "server/net/connection_counters.h"
#include "server/net/tls_context.h"
#include "server/relay/relay_proof.h"

namespace hourcell {

class ConnectionQuota;
struct HttpContext;
struct Socket;
class Session;
struct TelnetContext;
class Transport;

// Which processes may say, in front of a connection's first byte, who its client is
// (relay_header.h): those that prove that they know the secret (relay_proof.h). The client has the
// rights of the listener that it came to, and those of its own address. Such a process may also
// watch this one (writer_watch.h).
struct RelayTrust {
  std::shared_ptr<const RelayKeys> keys;  // null: nobody may
  std::vector<AccessRights> listeners;    // of a client without credentials, by listener
  bool is_required = false;               // who does not say so is not served
};

// What all connections of a server share. Pointers are borrowed; immutable while connections live.
struct ConnectionContext {
  const HttpContext* http = nullptr;
  const TelnetContext* telnet = nullptr;
  const AccessPolicy* access = nullptr;  // null = an address alone gives no rights
  const RelayTrust* relay = nullptr;     // null = nobody speaks for others
  const TlsContext* tls = nullptr;       // null = TLS is not spoken
  bool tls_required = false;             // and nothing else is
  const ConnectionCounters* counters = nullptr;
  ConnectionQuota* quota = nullptr;  // of all listeners; null = none
  // Starts the session of a connection whose port has one protocol alone; null = the
  // first byte says which it is.
  std::function<std::unique_ptr<Session>(Transport*, AccessRights)> start = nullptr;
  int64_t idle_timeout_s = 0;        // 0 = none
  int64_t handshake_timeout_ms = 0;  // of TLS; 0 = none
};

// How long a client may take to read its last replies before its connection is closed all the same.
inline constexpr int64_t kFlushMs = 10'000;
// How long the client's further bytes are read and dropped after the last reply: closing at once
// would reset the connection, and the reply might be lost with it.
inline constexpr int64_t kLingerMs = 2'000;
inline constexpr int64_t kStopLingerMs = 200;  // when the server stops

// Thread-safe.
class Connection {
 public:
  virtual ~Connection() = default;

  // Answers what was read, then closes.
  virtual void Stop() = 0;

  // Closes at once.
  virtual void Abort() = 0;
};

// Serves `socket`, whose executor is a strand. `rights`: of its listener; those that its address
// gives are added. `on_closed` is called once, when it is closed.
std::shared_ptr<Connection> StartConnection(Socket socket,
                                            const ConnectionContext* context,
                                            AccessRights rights,
                                            std::function<void()> on_closed);

}  // namespace hourcell
