// HttpContext: state shared by all HTTP sessions of a server.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "codec/base/clock.h"
#include "engine/stats.h"
#include "server/access/access_policy.h"
#include "server/api/login_queue.h"
#include "server/http/http_message.h"
#include "server/net/connection_counters.h"

namespace hourcell {

class ClientAllowances;
class Routes;
class QueryGate;
class RequestBodyBudget;
struct WorkerPool;

// The threads that answer requests which the socket's thread does not answer.
struct HttpPools {
  WorkerPool* workers = nullptr;  // requests that may take long, except queries
  WorkerPool* queries = nullptr;  // required with a query gate
  WorkerPool* bodies = nullptr;   // large bodies of points; null = the workers
};

// How long requests take, by their kind.
struct HttpLatencies {
  LatencyHistogram* put = nullptr;
  LatencyHistogram* query = nullptr;  // reads of the store for a client
  LatencyHistogram* other = nullptr;
};

// The most bytes, target and body, of a request that may be tried as a quick query: they hold some
// hundred names, each with a lookup.
inline constexpr size_t kQuickRequestBytesMax = 4096;

// Pointers are borrowed; immutable while sessions live.
struct HttpContext {
  Routes* api = nullptr;
  HttpPools pools = {};
  LoginQueue logins = {};
  ClientAllowances* new_series = nullptr;  // of clients without a login; null = no limit
  const AccessPolicy* access = nullptr;    // null = proxies are not trusted
  const ConnectionCounters* counters = nullptr;
  HttpLatencies latencies = {};     // null = not recorded
  QueryGate* query_gate = nullptr;  // null = queries are like other requests, without a limit
  int64_t query_timeout_ms = 0;     // of a query, including its wait; 0 = none
  int64_t body_timeout_ms = 0;      // of the work on a large body, including its wait; 0 = none
  Clock* clock = Clock::System();   // for these
  // The most bytes of a query, target and body, that the socket's thread tries as a quick one; 0 =
  // none.
  size_t quick_query_bytes = 0;
  RequestBodyBudget* body_budget = nullptr;  // null = bodies are not counted
  size_t body_bytes_max = 0;
  int64_t request_timeout_ms = 0;  // from the first byte of a request to its last; 0 = none
  int64_t send_timeout_ms = 0;     // until a client that stalls in a response is dropped
  bool one_answer = false;         // close each connection after its answer
  // Answers requests; null = AnswerRequest with the members above.
  std::function<HttpResponse(HttpRequest* request)> answer = {};
};

}  // namespace hourcell
