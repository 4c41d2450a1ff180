#include "server/http/http_error.h"

#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "server/http/http_message.h"
#include "server/text/json_text.h"

namespace hourcell {
namespace {

constexpr int kComeAgain = 503;

// The bytes of an error's JSON without its texts.
constexpr size_t kFrameBytes = 64;

}  // namespace

HttpResponse HttpError(int status, std::string_view message, std::string_view details) {
  HttpResponse response;
  response.status = status;
  response.body.reserve(kFrameBytes + message.size() + details.size());
  response.body.append("{\"error\":{\"code\":");
  response.body.append(std::to_string(status));
  response.body.append(",\"message\":");
  AppendJsonString(message, &response.body);
  if (!details.empty()) {
    response.body.append(",\"details\":");
    AppendJsonString(details, &response.body);
  }
  response.body.append("}}");
  if (status == kComeAgain) response.headers.emplace_back("Retry-After", "1");
  return response;
}

HttpResponse HttpError(int status, const absl::Status& error) {
  HOURCELL_DCHECK(!error.ok());
  const auto text = error.message();
  return HttpError(status, std::string_view(text.data(), text.size()));
}

}  // namespace hourcell
