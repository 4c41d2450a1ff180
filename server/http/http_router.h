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

// A path with its API version taken off. Borrows the path.
struct RoutePath {
  int64_t api_version = 0;  // 0 = not under /api; may be over kApiVersionMax
  std::string_view rest;    // as sent, without '/' at its ends: "Config/filters"
};

// The parts of a decoded path. The last '/' do not count. Allocates nothing unless it fails.
// kInvalidArgument: the path does not begin with '/'; /api/v<no number, or 0>.
absl::StatusOr<RoutePath> ParseRoutePath(std::string_view path);

struct Route {
  int64_t api_version = 0;  // as of RoutePath
  std::string endpoint;     // in lower case; empty for "/" and "/api"
  std::string sub;          // what follows the endpoint, in lower case, without a last '/'
  friend bool operator==(const Route&, const Route&) = default;
};

// The route of a decoded path, for handlers that answer several. Errors: as ParseRoutePath.
absl::StatusOr<Route> ParseRoute(std::string_view path);

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
