// HttpJob: one HTTP request from when it is here until its answer is, with its place among the
// queries and its share of the memory of bodies. No sockets.
//
//   HttpJob task(&context, std::move(request), std::move(body), &stopping);
//   WorkerPool* const pool = task.Enter();
//   if (pool == nullptr || task.may_be_quick()) ... task.Answer()
//   if that gave nothing, or was not called ... in a thread of the pool: task.AnswerTo(target)
//
// Thread-compatible: the connection's strand has it first, then a thread of the pool.

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
  // `context` and `stopping` are borrowed. `body`: what the request's body has of the memory of all
  // bodies; it is given back when the answer is made. `*stopping`: answers end their connections.
  HttpJob(const HttpContext* context,
          HttpRequest request,
          RequestBodyBudget::Hold body,
          const std::atomic<bool>* stopping);

  HttpRequest& request() { return request_; }

  // The pool that is to answer, by the request's route; a query has its place, and its time runs,
  // from now on. Null: it is answered at once, by Answer, since that is quick, since the target
  // cannot be decoded, or since there are too many queries.
  // REQUIRES: the request's rights are known; called once.
  WorkerPool* Enter();

  // Whether Answer is to be called first, though Enter gave a pool: the query may be quick.
  bool may_be_quick() const { return may_be_quick_; }

  // Answers; nothing if it has to wait for something slow after all: a pool is to answer.
  // REQUIRES: Enter gave null, or may_be_quick.
  std::optional<HttpWire> Answer();

  // Answers into `target`, and returns what is to be sent after that, as SendBody. May block for
  // long. REQUIRES: Enter gave a pool, or Answer nothing.
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
