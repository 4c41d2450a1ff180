#include "server/http_answer.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "server/ascii.h"
#include "server/http_error.h"
#include "server/http_inflate.h"
#include "server/http_target.h"

namespace hourcell {
namespace {

HttpResponse ErrorOf(const absl::Status& status) {
  const std::string message(status.message().data(), status.message().size());
  switch (status.code()) {
    case absl::StatusCode::kResourceExhausted:
      return HttpError(413, message);
    case absl::StatusCode::kUnimplemented:
      return HttpError(415, message);
    default:
      return HttpError(400, message);
  }
}

bool EndsIgnoringCase(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         EqualsIgnoringCase(text.substr(text.size() - end.size()), end);
}

}  // namespace

bool MayTakeLong(const HttpRequest& request) {
  std::string_view path = std::string_view(request.target).substr(0, request.target.find('?'));
  while (path.ends_with('/'))
    path.remove_suffix(1);
  return !EndsIgnoringCase(path, "/put") && !EndsIgnoringCase(path, "/stats/query");
}

HttpResponse AnswerRequest(size_t body_bytes_max, HttpApi* api, HttpRequest* request) {
  if (const absl::Status status = ParseTarget(request); !status.ok()) return ErrorOf(status);
  // The work is not done for strangers: none of what they may ask has a body.
  if (!request->rights.is_none()) {
    if (const absl::Status status = InflateBody(body_bytes_max, request); !status.ok()) {
      return ErrorOf(status);
    }
  }
  return api->Begin(*request);
}

}  // namespace hourcell
