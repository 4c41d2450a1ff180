#include "server/http/guard/cors.h"

#include <fmt/format.h>

#include "codec/base/strings.h"
#include "server/config/setting_list.h"
#include "server/http/http_error.h"

namespace hourcell {
namespace {}  // namespace

absl::StatusOr<CorsPolicy> CorsPolicy::Create(std::string_view domains, std::string_view headers) {
  CorsPolicy policy;
  policy.headers_ = headers;
  for (const std::string_view domain : ListItems(domains)) {
    if (domain == "*") {
      policy.any_ = true;
    } else if (!domain.empty()) {
      policy.domains_.insert(LowerCase(domain));
    }
  }
  if (policy.any_ && !policy.domains_.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "tsd.http.request.cors_domains: * together with domains; expected either, got {}",
        QuoteForMessage(domains)));
  }
  return policy;
}

std::optional<HttpResponse> CorsPolicy::Intercept(const HttpRequest& request) const {
  const std::string_view origin = request.header("origin");
  const bool options = request.method == "OPTIONS";
  if (!is_configured() || origin.empty()) {
    if (!options) return std::nullopt;
    return HttpError(405, "Method not allowed", "The HTTP method [OPTIONS] is not permitted");
  }
  if (!Allows(origin)) {
    return HttpError(200, "CORS domain not allowed",
                     fmt::format("The domain [{}] is not permitted access", origin));
  }
  if (options) return HttpResponse{};
  return std::nullopt;
}

void CorsPolicy::AddHeaders(const HttpRequest& request,
                            std::string_view methods,
                            HttpResponse* response) const {
  const std::string_view origin = request.header("origin");
  if (!origin.empty() && Allows(origin)) {
    response->headers.emplace_back("Access-Control-Allow-Origin", origin);
    response->headers.emplace_back("Access-Control-Allow-Methods", methods);
    response->headers.emplace_back("Access-Control-Allow-Headers", headers_);
  }
  if (!origin.empty() || is_configured()) response->headers.emplace_back("Vary", "Origin");
}

bool CorsPolicy::Allows(std::string_view origin) const {
  return any_ || domains_.contains(LowerCase(origin));
}

}  // namespace hourcell
