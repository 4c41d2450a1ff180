#include "server/cors.h"

#include <algorithm>

#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include "server/http_error.h"

namespace hourcell {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  absl::AsciiStrToLower(&lower);
  return lower;
}

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' '))
    text.remove_prefix(1);
  while (text.ends_with(' '))
    text.remove_suffix(1);
  return text;
}

}  // namespace

absl::StatusOr<CorsPolicy> CorsPolicy::Create(std::string_view domains, std::string_view headers) {
  CorsPolicy policy;
  policy.headers_ = headers;
  std::string_view rest = domains;
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view domain = Trim(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (domain == "*") {
      policy.any_ = true;
    } else if (!domain.empty()) {
      policy.domains_.insert(Lower(domain));
    }
  }
  if (policy.any_ && !policy.domains_.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("tsd.http.request.cors_domains: * together with domains; got {}; want either",
                    QuoteForMessage(domains)));
  }
  return policy;
}

std::optional<HttpResponse> CorsPolicy::Intercept(const HttpRequest& request) const {
  const std::string_view origin = request.header("origin");
  const bool configured = any_ || !domains_.empty();
  const bool options = request.method == "OPTIONS";
  if (!configured || origin.empty()) {
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

void CorsPolicy::AddHeaders(const HttpRequest& request, HttpResponse* response) const {
  const std::string_view origin = request.header("origin");
  if (origin.empty() || !Allows(origin)) return;
  response->headers.emplace_back("Access-Control-Allow-Origin", origin);
  response->headers.emplace_back("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE");
  response->headers.emplace_back("Access-Control-Allow-Headers", headers_);
}

bool CorsPolicy::Allows(std::string_view origin) const {
  return any_ || domains_.contains(Lower(origin));
}

}  // namespace hourcell
