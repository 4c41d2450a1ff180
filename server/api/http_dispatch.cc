#include "server/api/http_dispatch.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "server/api/routes.h"
#include "server/http/http_error.h"
#include "server/http/http_inflate.h"
#include "server/http/http_target.h"
#include "server/text/ascii.h"

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

bool EndsIgnoringCase(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         EqualsIgnoringCase(text.substr(text.size() - end.size()), end);
}

// The path of a target, without slashes at its end.
std::string_view PathOf(std::string_view target) {
  std::string_view path = target.substr(0, target.find('?'));
  while (path.ends_with('/'))
    path.remove_suffix(1);
  return path;
}

// What is answered without a look at the store, or, of puts, without waiting for anything slow.
constexpr std::string_view kQuickEnds[] = {"/put",         "/stats/query", "/version",
                                           "/aggregators", "/serializers", "/config/filters"};
constexpr std::string_view kQueryEnds[] = {"/query", "/q", "/query/last", "/suggest",
                                           "/search/lookup"};

bool EndsLikeOneOf(std::string_view path, std::span<const std::string_view> ends) {
  return std::ranges::any_of(ends,
                             [path](std::string_view end) { return EndsIgnoringCase(path, end); });
}

}  // namespace

bool MayTakeLong(const HttpRequest& request) {
  return !EndsLikeOneOf(PathOf(request.target), kQuickEnds);
}

bool IsQuery(const HttpRequest& request) {
  const std::string_view path = PathOf(request.target);
  return path.find('%') != std::string_view::npos || EndsLikeOneOf(path, kQueryEnds);
}

HttpResponse TooManyQueries() {
  return ComeAgain(
      HttpError(503, "Too many queries", "The queue of queries is full; try again later"));
}

HttpResponse TooManyLogins() {
  return ComeAgain(
      HttpError(503, "Too many logins", "The queue of logins is full; try again later"));
}

HttpResponse AnswerRequest(size_t body_bytes_max,
                           HttpApi* api,
                           HttpRequest* request,
                           RequestBodyBudget::Hold* body) {
  if (const absl::Status status = ParseTarget(request); !status.ok()) return ErrorOf(status);
  // The work is not done for strangers: none of what they may ask has a body.
  if (!request->rights.is_none()) {
    if (const absl::Status status = InflateBody(body_bytes_max, request, body); !status.ok()) {
      return ErrorOf(status);
    }
  }
  return api->Begin(*request);
}

}  // namespace hourcell
