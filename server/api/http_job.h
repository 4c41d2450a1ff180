// HttpJob: one HTTP request from its arrival to its answer, with its place among the queries and
// its share of the memory of bodies. Independent of sockets.
//
//   HttpJob task(&context, std::move(request), std::move(body), &stopping);
//   WorkerPool* const pool = task.Enter();
//   if (pool == nullptr || task.may_be_quick()) ... task.Answer()
//   without a result, or if not called ... in a thread of the pool: task.AnswerTo(target)
//
// Thread-compatible: the connection's strand uses it first, then a thread of the pool.

#pragma once

#include <atomic>
#include <chrono>
#include <optional>

#include "server/api/query_gate.h"
#include "server/http/body/body_stream.h"
#include "server/http/http_message.h"
#include "server/http/http_response.h"
#include "server/http/request_body_budget.h"

namespace hourcell {

struct HttpContext;
struct WorkerPool;

class HttpJob {
 public:
  // `context` and `stopping` are borrowed. `body`: the request body's share of the memory of all
  // bodies, released once the answer is made. `*stopping`: answers close their connections.
  HttpJob(const HttpContext* context,
          HttpRequest request,
          RequestBodyBudget::Hold body,
          const std::atomic<bool>* stopping);

  HttpRequest& request() { return request_; }

  // The pool that must answer, by the request's route; a query takes its place, and its time
  // starts. Null: answer now with Answer, because the request is quick, its target cannot be
  // decoded, or there are too many queries. REQUIRES: the request's rights are known; called once.
  WorkerPool* Enter();

  // Whether to call Answer first, although Enter returned a pool: the query may be quick.
  bool may_be_quick() const { return may_be_quick_; }

  // Answers; nothing if the request turns out to need something slow: then a pool must answer.
  // REQUIRES: Enter returned null, or may_be_quick.
  std::optional<HttpWire> Answer();

  // Answers into `target`, and returns the rest of the output, as SendBody. May block for long.
  // REQUIRES: Enter returned a pool, or Answer nothing.
  HttpWire AnswerTo(StreamTarget target);

 private:
  void Record();
  WorkerPool* EnterBodies();
  HttpResponse QueryResponse();
  HttpResponse Response();
  bool LooksQuick() const;

  const HttpContext* context_;
  HttpRequest request_;
  RequestBodyBudget::Hold body_;
  const std::atomic<bool>* stopping_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool is_put_ = false;
  std::optional<QueryGate::Pass> pass_;
  std::optional<HttpResponse> refusal_;  // of Enter
  bool may_be_quick_ = false;
};

}  // namespace hourcell
