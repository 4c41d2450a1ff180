// Where a request goes: the route of its path and the method it stands for.
//
//   /api/v1/Put/        api 1, endpoint "put"
//   /api/config/filters api 1, endpoint "config", sub "filters"
//   /q                  api 0, endpoint "q"
//
// Pure functions; thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "server/http/http_message.h"

namespace hourcell {

// The newest version of /api/v<N> that is spoken.
inline constexpr int64_t kApiVersionMax = 1;

struct Route {
  int64_t api_version = 0;  // 0 = not under /api; may be over kApiVersionMax
  std::string endpoint;     // in lower case; empty for "/" and "/api"
  std::string sub;          // what follows the endpoint, in lower case, without a last '/'
  friend bool operator==(const Route&, const Route&) = default;
};

// The route of a decoded path. A last '/' does not count.
// kInvalidArgument: the path does not begin with '/'; /api/v<no number, or 0>.
absl::StatusOr<Route> ParseRoute(std::string_view path);

// The path in lower case and shortened to what OpenTSDB calls its base route: "", "q", "api",
// "api/put". For counters.
std::string BaseRoute(const Route& route);

enum class HttpMethod : uint8_t { kGet, kPost, kPut, kDelete, kOptions };

// The method by its name in upper case, GET for HEAD; nothing for any other verb.
std::optional<HttpMethod> ParseHttpMethod(std::string_view name);

// The method a request stands for where method_override is allowed: on a real GET that of the
// parameter, in any case, else its own. Nothing if it names no method, or another than a HEAD's.
std::optional<HttpMethod> EffectiveMethod(const HttpRequest& request);

// 405 with OpenTSDB's texts.
HttpResponse MethodNotAllowed(const HttpRequest& request);

// The error page for paths outside /api: HTML, or {"err":"..."} if the request has ?json.
HttpResponse PageError(const HttpRequest& request, int status, std::string_view message);

}  // namespace hourcell
