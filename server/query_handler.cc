#include "server/query_handler.h"

#include <optional>
#include <string>
#include <utility>

#include "server/http_error.h"
#include "server/http_router.h"
#include "server/query_json.h"
#include "server/query_page.h"
#include "server/query_request.h"
#include "server/query_string.h"
#include "server/query_writer.h"

namespace hourcell {
namespace {

int StatusFor(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kUnimplemented:
      return 400;
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kDeadlineExceeded:
      return 413;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kFailedPrecondition:
      return 503;
    default:
      return 500;
  }
}

HttpResponse DeleteRefused() {
  return HttpError(400, "Bad request",
                   "Deleting data is not enabled (tsd.http.query.allow_delete=false)");
}

}  // namespace

HttpResponse QueryHandler::Handle(const HttpRequest& request) {
  const absl::StatusOr<Route> route = ParseRoute(request.path);
  if (route.ok() && route->api_version == 0) return AnswerQueryPage(request, tsdb_, clock_);
  const std::optional<HttpMethod> method = EffectiveMethod(request);
  if (!method || *method == HttpMethod::kPut) return MethodNotAllowed(request);
  if (*method == HttpMethod::kDelete) return DeleteRefused();

  const int64_t start_ms = clock_->NowMs();
  // The method itself, not what it stands for, says whether there is a body.
  absl::StatusOr<QueryRequest> query = request.method == "POST"
                                           ? ParseQueryJson(request.body, start_ms)
                                           : ParseQueryString(request, start_ms);
  if (!query.ok()) {
    HttpResponse response = HttpError(400, std::string(query.status().message()));
    return response;
  }
  if (query->delete_points) return DeleteRefused();
  query->printing.arrays = request.has_param("arrays");

  const absl::StatusOr<QueryResult> result = tsdb_->Query(query->spec);
  if (!result.ok()) return QueryError(result.status());
  HttpResponse response;
  const absl::Status written = AppendQueryResult(query->spec, *result, query->printing,
                                                 clock_->NowMs() - start_ms, &response.body);
  return written.ok() ? response : QueryError(written);
}

HttpResponse QueryError(const absl::Status& status) {
  const std::string text(status.message());
  HttpResponse response = HttpError(StatusFor(status.code()), text, text);
  if (response.status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace hourcell
