// Connection: one accepted socket until it is closed. The first byte decides its protocol for good:
// 'A' to 'Z' is HTTP, anything else the line protocol; 0x16 is TLS, where there is a certificate,
// and the first byte inside of it decides in the same way.
//
// Everything of a connection runs on its strand, one step at a time. Lines and puts are done right
// there; HTTP requests that may take long go to the worker pool, one at a time a connection, so
// that responses keep the order of their requests. While one is answered nothing is read:
// pipelining clients wait in their own send buffer. A long response goes out in pieces while the
// pool's thread still prints it (body_stream.h). All the while the socket is looked at: when the
// client has hung up, or reads nothing for too long, the query that prints is cancelled.
//
// A line session that has to wait for a commit does so in a pool, too, and one whose store asks for
// patience is tried again by a timer. A login that has to be checked is checked in a pool of its
// own, so that those who guess hold up each other only. Nothing is read meanwhile, so that the
// sender feels it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "codec/base/clock.h"
#include "engine/stats.h"
#include "engine/tsdb.h"
#include "server/access_policy.h"
#include "server/access_rights.h"
#include "server/authenticator.h"
#include "server/connection_counters.h"
#include "server/http_api.h"
#include "server/http_message.h"
#include "server/telnet_session.h"
#include "server/tls_context.h"

namespace hourcell {

class BodyMemory;
class ConnectionQuota;
class QueryGate;
struct Socket;
struct WorkerPool;

// After how long commits that nobody waited for are settled: their points counted, their failures
// told.
inline constexpr int64_t kSettleMs = 100;
// How long to leave a store alone that asks for patience.
inline constexpr int64_t kThrottlePauseMs = 10;
// How long a client may take to read its last replies before its connection is closed all the same.
inline constexpr int64_t kFlushMs = 10'000;
// How long the client's further bytes are read and dropped after the last reply: closing at once
// would reset the connection, and the reply might be lost with it.
inline constexpr int64_t kLingerMs = 2'000;
inline constexpr int64_t kStopLingerMs = 200;  // when the server stops
// How often a client is looked at whose request is being answered, and how many looks in a row find
// that it has hung up before it is believed.
inline constexpr int64_t kLookMs = 250;
inline constexpr int kLooksToBelieve = 2;

// What all connections of a server share. Pointers are borrowed; immutable while connections live.
struct ConnectionContext {
  Tsdb* tsdb = nullptr;
  HttpApi* http_api = nullptr;
  WorkerPool* pool = nullptr;              // answers requests that may take long, but for queries
  WorkerPool* query_pool = nullptr;        // answers queries; needed where there is a gate
  WorkerPool* commit_pool = nullptr;       // where commits are waited for; null = `pool`
  WorkerPool* login_pool = nullptr;        // where logins are checked; needed where there are users
  const AccessPolicy* access = nullptr;    // null = an address alone gives no rights
  Authenticator* authenticator = nullptr;  // null = the server has no users
  const TlsContext* tls = nullptr;         // null = TLS is not spoken
  bool tls_required = false;               // and nothing else is
  const TelnetSettings* telnet = nullptr;
  const TelnetCounters* telnet_counters = nullptr;
  const ConnectionCounters* counters = nullptr;
  ConnectionQuota* quota = nullptr;   // of all listeners; null = none
  QueryGate* query_gate = nullptr;    // null = queries are other requests, without a limit
  int64_t query_timeout_ms = 0;       // of a query, its wait included; 0 = none
  Clock* clock = Clock::System();     // of that
  BodyMemory* body_memory = nullptr;  // null = bodies are not counted
  size_t body_bytes_max = 0;
  int64_t idle_timeout_s = 0;  // 0 = none
  // Until a request that was begun, or a TLS handshake, must be here; 0 = none.
  int64_t request_timeout_ms = 0;
  int64_t send_timeout_ms =
      0;  // until a client that takes nothing of a response is dropped; 0 = none
  // Answers requests that may take long; null = AnswerRequest with the members above.
  std::function<HttpResponse(HttpRequest* request)> answer = {};
};

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
