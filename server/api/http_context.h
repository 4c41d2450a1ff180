// HttpContext: what all HTTP sessions of a server share.

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

class Routes;
class QueryGate;
class RequestBodyBudget;
struct WorkerPool;

// The threads that answer what the socket's thread does not.
struct HttpPools {
  WorkerPool* workers = nullptr;  // requests that may take long, but for queries
  WorkerPool* queries = nullptr;  // needed where there is a query gate
  WorkerPool* bodies = nullptr;   // large bodies of points; null = the workers
};

// How long requests take, by what they ask for.
struct HttpLatencies {
  LatencyHistogram* put = nullptr;
  LatencyHistogram* query = nullptr;  // what reads the store for a client
  LatencyHistogram* other = nullptr;
};

// The bytes of a request, target and body, of which it is tried whether it is a quick query: they
// have some hundred names, each a look-up.
inline constexpr size_t kQuickRequestBytesMax = 4096;

// Pointers are borrowed; immutable while sessions live.
struct HttpContext {
  Routes* api = nullptr;
  HttpPools pools = {};
  LoginQueue logins = {};
  const AccessPolicy* access = nullptr;  // null = no proxy is trusted
  const ConnectionCounters* counters = nullptr;
  HttpLatencies latencies = {};     // null = not recorded
  QueryGate* query_gate = nullptr;  // null = queries are other requests, without a limit
  int64_t query_timeout_ms = 0;     // of a query, its wait included; 0 = none
  int64_t body_timeout_ms = 0;      // of the work on a large body, its wait included; 0 = none
  Clock* clock = Clock::System();   // of these
  // The most bytes of a query, target and body, for its thread to try whether it is quick; 0 = none
  // is tried.
  size_t quick_query_bytes = 0;
  RequestBodyBudget* body_budget = nullptr;  // null = bodies are not counted
  size_t body_bytes_max = 0;
  int64_t request_timeout_ms = 0;  // until a request that was begun must be here; 0 = none
  int64_t send_timeout_ms = 0;     // until a client that takes nothing of a response is dropped
  bool one_answer = false;         // each connection is closed after it
  // Answers requests; null = AnswerRequest with the members above.
  std::function<HttpResponse(HttpRequest* request)> answer = {};
};

}  // namespace hourcell
