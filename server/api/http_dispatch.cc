#include "server/api/http_dispatch.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "server/api/routes.h"
#include "server/http/http_error.h"
#include "server/http/http_inflate.h"
#include "server/http/http_status.h"
#include "server/http/http_target.h"

namespace hourcell {
namespace {

HttpResponse MustWait() {
  HttpResponse response;
  response.must_wait = true;
  return response;
}

}  // namespace

std::optional<HttpResponse> ReadTarget(HttpRequest* request) {
  if (!request->path.empty()) return std::nullopt;
  const absl::Status status = ParseTarget(request);
  return status.ok() ? std::nullopt : std::optional(FailureResponse(Failed::kBody, status));
}

HttpResponse TooManyQueries() {
  return HttpError(503, "Too many queries", "The queue of queries is full; try again later");
}

HttpResponse TooManyLogins() {
  return HttpError(503, "Too many logins", "The queue of logins is full; try again later");
}

HttpResponse AnswerRequest(size_t body_bytes_max,
                           Routes* api,
                           HttpRequest* request,
                           RequestBodyBudget::Hold* body) {
  // The work is not done for strangers: none of what they may ask has a body.
  if (!request->rights.is_none()) {
    const size_t bytes_max =
        request->may_wait ? body_bytes_max : std::min(body_bytes_max, kSmallBodyBytesMax);
    if (const absl::Status status = InflateBody(bytes_max, request, body); !status.ok()) {
      if (absl::IsResourceExhausted(status) && bytes_max < body_bytes_max) return MustWait();
      return FailureResponse(Failed::kBody, status);
    }
  }
  return api->Begin(*request);
}

}  // namespace hourcell
