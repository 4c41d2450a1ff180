#include "server/promql/prom_response.h"

#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

HttpResponse PromError(int status, std::string_view type, std::string_view message) {
  HttpResponse response;
  response.status = status;
  JsonWriter json(&response.body);
  json.OpenObject();
  json.Field("status", "error");
  json.Field("errorType", type);
  json.Field("error", message);
  json.CloseObject();
  return response;
}

}  // namespace

HttpResponse PromSuccess(std::string_view data) {
  HttpResponse response;
  response.body = fmt::format(R"({{"status":"success","data":{}}})", data);
  return response;
}

HttpResponse PromBadData(std::string_view message) {
  return PromError(400, "bad_data", message);
}

HttpResponse PromBadParameter(std::string_view name, std::string_view message) {
  return PromBadData(fmt::format("invalid parameter \"{}\": {}", name, message));
}

HttpResponse PromBadParameter(std::string_view name, const absl::Status& status) {
  return PromBadParameter(name, MessageOf(status));
}

HttpResponse PromFailure(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kResourceExhausted:
      return PromError(422, "execution", MessageOf(status));
    case absl::StatusCode::kCancelled:
      return PromError(503, "canceled", "query was canceled in expression evaluation");
    case absl::StatusCode::kDeadlineExceeded:
      return PromError(503, "timeout", "query timed out in expression evaluation");
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kUnavailable:
      return PromError(503, "unavailable", MessageOf(status));
    default:
      return PromError(500, "internal", MessageOf(status));
  }
}

}  // namespace hourcell
