// ConnectionContext: what all connections of a server share.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "codec/base/clock.h"
#include "engine/tsdb.h"
#include "server/access/access_policy.h"
#include "server/access/authenticator.h"
#include "server/http/http_message.h"
#include "server/net/connection_counters.h"
#include "server/net/tls_context.h"

namespace hourcell {

class RequestBodyBudget;
class ConnectionQuota;
class HttpApi;
class QueryGate;
struct TelnetCounters;
struct TelnetSettings;
struct WorkerPool;

// Logins that wait for their check at once, in all and from one address; more are asked to come
// again. A hash takes tens of milliseconds: what waits longer than a minute has mostly given up.
inline constexpr size_t kLoginsWaitingMax = 1024;
inline constexpr size_t kLoginsOfAddressMax = 64;

// Pointers are borrowed; immutable while connections live.
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
  ConnectionQuota* quota = nullptr;          // of all listeners; null = none
  ConnectionQuota* logins = nullptr;         // those that wait for login_pool; null = no limit
  QueryGate* query_gate = nullptr;           // null = queries are other requests, without a limit
  int64_t query_timeout_ms = 0;              // of a query, its wait included; 0 = none
  Clock* clock = Clock::System();            // of that
  RequestBodyBudget* body_budget = nullptr;  // null = bodies are not counted
  size_t body_bytes_max = 0;
  int64_t idle_timeout_s = 0;  // 0 = none
  // Until a request that was begun, or a TLS handshake, must be here; 0 = none.
  int64_t request_timeout_ms = 0;
  int64_t send_timeout_ms =
      0;  // until a client that takes nothing of a response is dropped; 0 = none
  // Answers requests that may take long; null = AnswerRequest with the members above.
  std::function<HttpResponse(HttpRequest* request)> answer = {};
};

// Whether a login of the client at `remote`, an address with or without a port, may wait for its
// check; LeaveLogins undoes that.
bool EnterLogins(const ConnectionContext& context, std::string_view remote);
void LeaveLogins(const ConnectionContext& context, std::string_view remote);

}  // namespace hourcell
