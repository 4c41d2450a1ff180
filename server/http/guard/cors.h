// Cross-origin requests by OpenTSDB's rules: a list of domains, or * for all.
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
  // `domains`: tsd.http.request.cors_domains, separated by commas; empty = none is
  // permitted. `headers`: tsd.http.request.cors_headers, sent as they are.
  // kInvalidArgument: * together with domains.
  static absl::StatusOr<CorsPolicy> Create(std::string_view domains, std::string_view headers);

  // The answer to requests that end here: a preflight (200, empty), an OPTIONS that is none (405,
  // to which the caller adds Allow), an origin that is not permitted (status 200 with error JSON,
  // as in OpenTSDB). Else nothing. Not for requests of our own pages.
  std::optional<HttpResponse> Intercept(const HttpRequest& request) const;

  // True for an origin that a setting permits.
  bool Allows(std::string_view origin) const;

  // Adds the Access-Control headers if the request comes from a permitted origin, and Vary where
  // the answer depends on the origin. `methods`: what the request's route allows, "GET, POST".
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
