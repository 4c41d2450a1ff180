#include "server/api/http_dispatch.h"

#include <cstddef>
#include <optional>
#include <string>

#include "server/api/routes.h"
#include "server/http/http_error.h"
#include "server/http/http_inflate.h"
#include "server/http/http_target.h"

namespace hourcell {
namespace {

HttpResponse ComeAgain(HttpResponse response) {
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

HttpResponse ErrorOf(const absl::Status& status) {
  const std::string message(status.message().data(), status.message().size());
  switch (status.code()) {
    case absl::StatusCode::kResourceExhausted:
      return HttpError(413, message);
    case absl::StatusCode::kUnimplemented:
      return HttpError(415, message);
    case absl::StatusCode::kUnavailable:
      return ComeAgain(HttpError(503, message));
    default:
      return HttpError(400, message);
  }
}

}  // namespace

std::optional<HttpResponse> ReadTarget(HttpRequest* request) {
  if (!request->path.empty()) return std::nullopt;
  const absl::Status status = ParseTarget(request);
  return status.ok() ? std::nullopt : std::optional(ErrorOf(status));
}

HttpResponse TooManyQueries() {
  return ComeAgain(HttpError(503, "Too many queries", "They run or wait; try again later"));
}

HttpResponse TooManyLogins() {
  return ComeAgain(HttpError(503, "Too many logins", "They wait for their check; try again later"));
}

HttpResponse AnswerRequest(size_t body_bytes_max,
                           HttpApi* api,
                           HttpRequest* request,
                           RequestBodyBudget::Hold* body) {
  // The work is not done for strangers: none of what they may ask has a body.
  if (!request->rights.is_none()) {
    if (const absl::Status status = InflateBody(body_bytes_max, request, body); !status.ok()) {
      return ErrorOf(status);
    }
  }
  return api->Begin(*request);
}

}  // namespace hourcell
