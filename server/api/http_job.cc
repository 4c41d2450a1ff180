#include "server/api/http_job.h"

#include <utility>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "server/api/http_context.h"
#include "server/api/http_dispatch.h"
#include "server/api/route_table.h"
#include "server/http/http_inflate.h"
#include "server/query/query_run.h"

namespace hourcell {
namespace {

// The engine's message for a query that exceeded its time.
constexpr char kTimedOut[] =
    "Sorry, your query timed out. Please try filtering using more tags or decrease your time "
    "range.";

}  // namespace

HttpJob::HttpJob(const HttpContext* context,
                 HttpRequest request,
                 RequestBodyBudget::Hold body,
                 const std::atomic<bool>* stopping)
    : context_(context),
      request_(std::move(request)),
      body_(std::move(body)),
      stopping_(stopping) {}

// A short GET or POST; only the attempt shows whether the query is quick.
bool HttpJob::LooksQuick() const {
  return request_.target.size() + request_.body.size() <= context_->quick_query_bytes &&
         (request_.method == "GET" || request_.method == "POST") &&
         request_.header("content-encoding").empty();
}

WorkerPool* HttpJob::Enter() {
  HOURCELL_DCHECK(!refusal_.has_value() && !pass_.has_value());  // called once
  refusal_ = ReadTarget(&request_);
  // Most requests of a client without rights are refused, so they do not take a query's place.
  if (refusal_.has_value() || request_.rights.is_none()) return nullptr;
  const RouteRow* const row = FindRoute(request_.path);
  is_put_ = row != nullptr && row->post.effect == Effect::kTakesAnyForm;
  const AnsweredOn threads = ThreadsFor(row);
  if (threads == AnsweredOn::kSocketThread) {
    return ClaimsMoreThan(kSmallBodyBytesMax, request_) ? EnterBodies() : nullptr;
  }
  if (context_->query_gate == nullptr || threads == AnsweredOn::kWorkers)
    return context_->pools.workers;
  if (std::optional<QueryGate::Pass> pass = context_->query_gate->Enter()) {
    pass_.emplace(*std::move(pass));
    if (context_->query_timeout_ms > 0) {
      request_.deadline_ms = context_->clock->MonotonicMs() + context_->query_timeout_ms;
    }
    may_be_quick_ =
        threads == AnsweredOn::kQuickOrQueryThreads && LooksQuick() && pass_->BeginTry();
    return context_->pools.queries;
  }
  context_->counters->queries_refused->Add(1);
  refusal_ = TooManyQueries();
  return nullptr;
}

// The cost of a large body depends on more than the number of its points.
WorkerPool* HttpJob::EnterBodies() {
  if (context_->body_timeout_ms > 0) {
    request_.deadline_ms = context_->clock->MonotonicMs() + context_->body_timeout_ms;
  }
  HttpPools pools = context_->pools;
  return is_put_ && pools.bodies != nullptr ? pools.bodies : pools.workers;
}

std::optional<HttpWire> HttpJob::Answer() {
  request_.only_if_quick = std::exchange(may_be_quick_, false);
  if (request_.only_if_quick) pass_->Begin();
  HttpResponse response = refusal_.has_value() ? *std::move(refusal_) : CompleteBody(Response());
  if (response.must_wait) {
    if (std::exchange(request_.only_if_quick, false)) pass_->Requeue();
    return std::nullopt;
  }
  pass_.reset();
  body_.Release();
  Record();
  return FormatResponse(request_, std::move(response));
}

HttpWire HttpJob::AnswerTo(StreamTarget target) {
  HOURCELL_DCHECK(!refusal_.has_value());  // Answer gives refusals
  request_.may_wait = true;
  HttpWire rest =
      SendBody(request_, pass_.has_value() ? QueryResponse() : Response(), std::move(target));
  Record();
  pass_.reset();
  body_.Release();
  return rest;
}

// Refused requests count, too: their clients waited.
void HttpJob::Record() {
  const HttpLatencies& latencies = context_->latencies;
  LatencyHistogram* histogram = latencies.other;
  if (pass_.has_value()) {
    histogram = latencies.query;
  } else if (is_put_) {
    histogram = latencies.put;
  }
  if (histogram == nullptr) return;
  const auto taken = std::chrono::steady_clock::now() - begin_;
  histogram->Record(std::chrono::duration_cast<std::chrono::microseconds>(taken).count());
}

// A query whose time is over before it begins is not run.
HttpResponse HttpJob::QueryResponse() {
  pass_->Begin();
  if (request_.deadline_ms == 0 || context_->clock->MonotonicMs() <= request_.deadline_ms) {
    return Response();
  }
  context_->counters->queries_late->Add(1);
  return QueryError(absl::DeadlineExceededError(kTimedOut));
}

HttpResponse HttpJob::Response() {
  request_.memory = &body_;
  HttpResponse response =
      context_->answer != nullptr
          ? context_->answer(&request_)
          : AnswerRequest(context_->body_bytes_max, context_->api, &request_, &body_);
  if (body_.was_refused()) {
    context_->counters->bodies_no_memory->Add(1);
    if (context_->body_budget != nullptr)
      context_->body_budget->NoteRefused(std::chrono::steady_clock::now());
  }
  if (*stopping_) response.close = true;
  return response;
}

}  // namespace hourcell
