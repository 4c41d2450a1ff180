// Maps a request to its route and method.
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

// The newest supported version of /api/v<N>.
inline constexpr int64_t kApiVersionMax = 1;

// A path without its API version. Borrows the path.
struct RoutePath {
  int64_t api_version = 0;  // 0 = not under /api; may be over kApiVersionMax
  std::string_view rest;    // as sent, without leading and trailing '/': "Config/filters"
};

// Splits a decoded path. Ignores trailing '/'. Allocates only on failure. kInvalidArgument: the
// path does not begin with '/', or its API version is 0 or malformed.
absl::StatusOr<RoutePath> ParseRoutePath(std::string_view path);

struct Route {
  int64_t api_version = 0;  // as in RoutePath
  std::string endpoint;     // in lower case; empty for "/" and "/api"
  std::string sub;          // the text after the endpoint, in lower case, without a trailing '/'
  friend bool operator==(const Route&, const Route&) = default;
};

// The route of a decoded path, for handlers of several routes. Errors: as ParseRoutePath.
absl::StatusOr<Route> ParseRoute(std::string_view path);

enum class HttpMethod : uint8_t { kGet, kPost, kPut, kDelete, kOptions };

// Parses an upper-case method name; GET for HEAD; nullopt for other verbs.
std::optional<HttpMethod> ParseHttpMethod(std::string_view name);

// The request's method where method_override is allowed: a GET takes the parameter's method, in any
// case; others keep their own. Nullopt for unknown methods, for an override to OPTIONS, and on HEAD
// for one to any but GET.
std::optional<HttpMethod> EffectiveMethod(const HttpRequest& request);

// 405 with OpenTSDB's texts.
HttpResponse MethodNotAllowed(const HttpRequest& request);

// The error page for paths outside /api: HTML, or {"err":"..."} if the request has ?json.
HttpResponse PageError(const HttpRequest& request, int status, std::string_view message);

}  // namespace hourcell
