// CorsPolicy: cross-origin requests by OpenTSDB's rules: a list of domains, or * for all.
//
// Immutable; thread-safe.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/base/strings.h"
#include "server/http/http_message.h"

namespace hourcell {

class CorsPolicy {
 public:
  // `domains`: tsd.http.request.cors_domains, comma-separated; empty permits none. `headers`:
  // tsd.http.request.cors_headers, sent unchanged. kInvalidArgument: * together with domains.
  static absl::StatusOr<CorsPolicy> Create(std::string_view domains, std::string_view headers);

  // The response to requests that are not handled further: a preflight (200, empty), any other
  // OPTIONS (405; the caller adds Allow), a forbidden origin (200 with error JSON, as in OpenTSDB).
  // Otherwise nullopt. Not for requests of this server's own pages.
  std::optional<HttpResponse> Intercept(const HttpRequest& request) const;

  // True if a setting permits the origin.
  bool Allows(std::string_view origin) const;

  // Adds the Access-Control headers for a permitted origin, and Vary if the response depends on the
  // origin. `methods`: the methods of the request's route, "GET, POST".
  void AddHeaders(const HttpRequest& request,
                  std::string_view methods,
                  HttpResponse* response) const;

 private:
  CorsPolicy() = default;
  bool is_configured() const { return any_ || !domains_.empty(); }

  bool any_ = false;
  StringSet domains_;  // in lower case
  std::string headers_;
};

}  // namespace hourcell
