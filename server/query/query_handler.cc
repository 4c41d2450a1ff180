#include "server/query/query_handler.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codec/base/stop_watch.h"
#include "codec/base/strings.h"
#include "engine/query/query_plan.h"
#include "server/http/guard/web_guard.h"
#include "server/http/http_error.h"
#include "server/http/http_router.h"
#include "server/query/delete_handler.h"
#include "server/query/query_json.h"
#include "server/query/query_string.h"
#include "server/query/query_writer.h"

namespace hourcell {
namespace {

// A limit for quick queries: the plan of each sub query takes some microseconds.
constexpr size_t kQuickSubQueriesMax = 16;

// The server then handles the request again, on a thread that may wait.
HttpResponse NotQuick() {
  HttpResponse response;
  response.must_wait = true;
  return response;
}

}  // namespace

absl::StatusOr<QueryRequest> QueryHandler::Parse(const HttpRequest& request,
                                                 QueryTrace* trace) const {
  const StopWatch watch(&trace->parse_us);
  const int64_t now_ms = service_.clock->NowMs();
  // Not the effective method: only a real POST has a body.
  return request.method == "POST" ? ParseQueryJson(request.body, now_ms, service_.timezone)
                                  : ParseQueryString(request, now_ms, service_.timezone);
}

HttpResponse QueryHandler::Handle(const HttpRequest& request) {
  const std::optional<HttpMethod> method = EffectiveMethod(request);
  if (!method || *method == HttpMethod::kPut) return MethodNotAllowed(request);
  const bool wants_delete = *method == HttpMethod::kDelete;
  const bool is_dry_run = request.has_param("dry_run");  // it changes nothing
  if (wants_delete && !service_.allow_delete && !is_dry_run) return DeleteRefused();

  QueryTrace trace(request);
  absl::StatusOr<QueryRequest> query = Parse(request, &trace);
  if (!query.ok()) return HttpError(400, query.status());
  if (wants_delete || query->delete_points) {
    query->dry_run |= is_dry_run;
    if (!service_.allow_delete && !query->dry_run) return DeleteRefused();
    if (!request.rights.Covers(AccessRights::Admin())) return DeleteForbidden();
    if (CanBeForged(request)) return ForgeableRefused();
    if (request.only_if_quick) return NotQuick();
    // It would delete the groups that a function leaves out, too.
    if (HasFunctions(query->spec)) {
      return HttpError(400, absl::InvalidArgumentError("functions: not allowed in a deletion"));
    }
    query->spec.deadline_ms = request.deadline_ms;
    const auto is_of_all_metrics = [](const SubQuery& sub_query) {
      return sub_query.metric.empty() && sub_query.tsuids.empty();
    };
    // The points of all metrics may be too many to print.
    if (query->dry_run || query->counts || request.has_param("counts") ||
        std::ranges::any_of(query->spec.queries, is_of_all_metrics)) {
      return AnswerDeleteCounts(*std::move(query), request, service_);
    }
    return AnswerDelete(*std::move(query), service_.clock->MonotonicMs(), request, service_);
  }

  return Answer(request, *std::move(query), std::move(trace));
}

HttpResponse QueryHandler::Answer(const HttpRequest& request,
                                  QueryRequest query,
                                  QueryTrace trace) {
  QueryPrinting& printing = query.printing;
  printing.arrays = request.has_param("arrays");
  printing.trace |= request.has_param("show_trace");
  printing.explain |= request.has_param("explain") || printing.trace;
  query.spec.deadline_ms = request.deadline_ms;
  if (request.only_if_quick) {
    if (query.spec.queries.size() > kQuickSubQueriesMax) return NotQuick();
    query.spec.quick = service_.quick;
  }
  HttpResponse response;
  response.produce = [this, &request,
                      parsed = std::make_shared<const QueryRequest>(std::move(query)),
                      trace = std::move(trace)](BodyWriter* body, HttpResponse* failure) mutable {
    return Print(request, parsed, &trace, body, failure);
  };
  return response;
}

bool QueryHandler::Print(const HttpRequest& request,
                         const std::shared_ptr<const QueryRequest>& query,
                         QueryTrace* trace,
                         BodyWriter* body,
                         HttpResponse* failure) const {
  // Clock has milliseconds; most queries take less than one.
  using std::chrono::steady_clock;
  const steady_clock::time_point start = steady_clock::now();
  const QueryPrinting& printing = query->printing;
  QueryWriter writer(query->spec, printing, body, printing.trace ? trace : nullptr);
  const auto finish = [&](const QueryControl& control) {
    const auto elapsed = steady_clock::now() - start;
    writer.Finish(control, std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count());
  };
  const absl::Status status = RunListedQuery(service_, request, query, &writer, finish, body);
  if (status.ok()) return true;
  *failure = request.only_if_quick && absl::IsAborted(status) ? NotQuick() : QueryError(status);
  return false;
}

HttpResponse QueryHandler::HandleList(const HttpRequest& request) {
  const std::optional<HttpMethod> method = EffectiveMethod(request);
  HttpResponse response;
  if (method == HttpMethod::kGet) {
    response.body = service_.registry->Json();
    return response;
  }
  if (method != HttpMethod::kDelete) return MethodNotAllowed(request);
  const std::string* const text = request.param("id");
  if (text == nullptr) return HttpError(400, "Missing parameter <code>id</code>");
  const std::optional<uint64_t> id = ParseUnsigned(*text);
  if (!id.has_value()) {
    return HttpError(400, fmt::format("id: expected the queryId of a running query, got {}",
                                      QuoteForMessage(*text)));
  }
  const absl::StatusOr<std::string> cancelled = service_.registry->Cancel(*id);
  if (!cancelled.ok()) return HttpError(404, cancelled.status());
  response.body = fmt::format("{{\"cancelled\":{}}}", *cancelled);
  return response;
}

}  // namespace hourcell
