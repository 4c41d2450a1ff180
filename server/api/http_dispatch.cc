#include "server/api/http_dispatch.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "server/api/route_table.h"
#include "server/api/routes.h"
#include "server/http/http_error.h"
#include "server/http/http_inflate.h"
#include "server/http/http_status.h"
#include "server/http/http_target.h"
#include "server/text/ascii.h"

namespace hourcell {
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

namespace {

HttpResponse MustWait() {
  HttpResponse response;
  response.must_wait = true;
  return response;
}

// Adds the Content-Encoding that a client left out, if the body shows it. Bodies of other clients
// cannot look like it: a block states the exact size of its contents.
void GuessEncoding(HttpRequest* request) {
  if (request->body.empty() || !request->header("content-encoding").empty()) return;
  const std::string_view type = request->header("content-type");
  constexpr std::string_view kProtobuf = "application/x-protobuf";
  if (!type.empty() && !EqualsIgnoringCase(type.substr(0, kProtobuf.size()), kProtobuf)) return;
  const RouteRow* const row = FindRoute(request->path);
  if (row == nullptr || !row->guesses_snappy || !IsSnappyBlock(request->body)) return;
  request->headers.emplace_back("content-encoding", "snappy");
}

}  // namespace

HttpResponse AnswerRequest(size_t body_bytes_max,
                           Routes* api,
                           HttpRequest* request,
                           RequestBodyBudget::Hold* body) {
  // Skipped for clients without rights: their requests need no body.
  if (!request->rights.is_none()) {
    // Checks the head before the body is inflated, because inflating may fail with another error.
    if (!request->header("content-encoding").empty()) {
      if (auto refusal = api->RefuseUnread(*request)) return *std::move(refusal);
    }
    GuessEncoding(request);
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
