#include "server/query/query_handler.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codec/base/strings.h"
#include "server/http/guard/web_guard.h"
#include "server/http/http_error.h"
#include "server/http/http_router.h"
#include "server/query/delete_handler.h"
#include "server/query/query_json.h"
#include "server/query/query_string.h"
#include "server/query/query_writer.h"

namespace hourcell {
namespace {}  // namespace

HttpResponse QueryHandler::Handle(const HttpRequest& request) {
  const std::optional<HttpMethod> method = EffectiveMethod(request);
  if (!method || *method == HttpMethod::kPut) return MethodNotAllowed(request);
  const bool wants_delete = *method == HttpMethod::kDelete;
  if (wants_delete && !service_.allow_delete) return DeleteRefused();

  const int64_t now_ms = service_.clock->NowMs();
  // The method itself, not what it stands for, says whether there is a body.
  absl::StatusOr<QueryRequest> query = request.method == "POST"
                                           ? ParseQueryJson(request.body, now_ms, service_.timezone)
                                           : ParseQueryString(request, now_ms, service_.timezone);
  if (!query.ok()) return HttpError(400, query.status());
  query->printing.arrays = request.has_param("arrays");
  query->printing.explain |= request.has_param("explain");
  if (wants_delete || query->delete_points) {
    if (!service_.allow_delete) return DeleteRefused();
    if (!request.rights.Covers(AccessRights::Admin())) return DeleteForbidden();
    if (CanBeForged(request)) return ForgeableRefused();
    query->spec.deadline_ms = request.deadline_ms;
    return AnswerDelete(*std::move(query), service_.clock->MonotonicMs(), request, service_);
  }

  query->spec.deadline_ms = request.deadline_ms;
  HttpResponse response;
  response.produce = [this, &request, parsed = *std::move(query)](BodyWriter* body,
                                                                  HttpResponse* failure) {
    return Print(request, parsed, body, failure);
  };
  return response;
}

bool QueryHandler::Print(const HttpRequest& request,
                         const QueryRequest& query,
                         BodyWriter* body,
                         HttpResponse* failure) const {
  // Most queries take less than a millisecond.
  using std::chrono::steady_clock;
  const steady_clock::time_point start = steady_clock::now();
  QueryWriter writer(query.spec, query.printing, body);
  const auto finish = [&](const QueryControl& control) {
    const auto elapsed = steady_clock::now() - start;
    writer.Finish(control, std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count());
  };
  const absl::Status status = RunListedQuery(service_, request, query, &writer, finish, body);
  if (!status.ok()) *failure = QueryError(status);
  return status.ok();
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
    return HttpError(400, fmt::format("id: got {}; want the queryId of a running query",
                                      QuoteForMessage(*text)));
  }
  const absl::StatusOr<std::string> cancelled = service_.registry->Cancel(*id);
  if (!cancelled.ok()) return HttpError(404, cancelled.status());
  response.body = fmt::format("{{\"cancelled\":{}}}", *cancelled);
  return response;
}

}  // namespace hourcell
