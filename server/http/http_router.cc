#include "server/http/http_router.h"

#include <algorithm>
#include <charconv>

#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/http/http_error.h"
#include "server/text/ascii.h"
#include "server/text/json_text.h"

namespace hourcell {
namespace {

std::string Upper(std::string_view text) {
  std::string upper(text);
  absl::AsciiStrToUpper(&upper);
  return upper;
}

// Removes the text up to the next '/', and the '/', from `path`. Returns the text.
std::string_view TakeSegment(std::string_view* path) {
  const std::string_view segment = path->substr(0, path->find('/'));
  path->remove_prefix(std::min(segment.size() + 1, path->size()));
  return segment;
}

// "v1" gives 1; nullopt for other segments.
std::optional<absl::StatusOr<int64_t>> ParseVersion(std::string_view segment) {
  if (segment.size() < 2 || LowerCase(segment[0]) != 'v') return std::nullopt;
  const std::string_view digits = segment.substr(1);
  // An endpoint that begins with v: /api/version.
  if (digits[0] < '0' || digits[0] > '9') return std::nullopt;
  int64_t version = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), version);
  // Version 0 means outside /api.
  if (error != std::errc() || end != digits.end() || version == 0) {
    return absl::InvalidArgumentError(fmt::format("Invalid API version format supplied: {}",
                                                  QuoteForMessage(LowerCase(segment))));
  }
  return version;
}

}  // namespace

absl::StatusOr<RoutePath> ParseRoutePath(std::string_view path) {
  if (!path.starts_with('/')) {
    return absl::InvalidArgumentError(
        fmt::format("path: does not begin with '/'; got {}", QuoteForMessage(path)));
  }
  std::string_view rest = path.substr(1);
  while (rest.ends_with('/'))
    rest.remove_suffix(1);

  std::string_view after_api = rest;
  if (!EqualsIgnoringCase(TakeSegment(&after_api), "api")) return RoutePath{.rest = rest};
  RoutePath route{.api_version = 1, .rest = after_api};
  if (const auto version = ParseVersion(TakeSegment(&after_api))) {
    if (!version->ok()) return version->status();
    route = {.api_version = **version, .rest = after_api};
  }
  return route;
}

absl::StatusOr<Route> ParseRoute(std::string_view path) {
  HOURCELL_ASSIGN_OR_RETURN(const RoutePath parts, ParseRoutePath(path));
  std::string_view sub = parts.rest;
  const std::string_view endpoint = TakeSegment(&sub);
  return Route{
      .api_version = parts.api_version, .endpoint = LowerCase(endpoint), .sub = LowerCase(sub)};
}

std::optional<HttpMethod> ParseHttpMethod(std::string_view name) {
  if (name == "GET" || name == "HEAD") return HttpMethod::kGet;
  if (name == "POST") return HttpMethod::kPost;
  if (name == "PUT") return HttpMethod::kPut;
  if (name == "DELETE") return HttpMethod::kDelete;
  if (name == "OPTIONS") return HttpMethod::kOptions;
  return std::nullopt;
}

std::optional<HttpMethod> EffectiveMethod(const HttpRequest& request) {
  const std::optional<HttpMethod> method = ParseHttpMethod(request.method);
  const std::string* override_name = request.param("method_override");
  if (method != HttpMethod::kGet || override_name == nullptr) return method;
  const std::optional<HttpMethod> wanted = ParseHttpMethod(Upper(*override_name));
  if (request.method == "HEAD" && wanted != HttpMethod::kGet) return std::nullopt;
  return wanted == HttpMethod::kOptions ? std::nullopt : wanted;
}

HttpResponse MethodNotAllowed(const HttpRequest& request) {
  return HttpError(
      405, "Method not allowed",
      fmt::format("The HTTP method [{}] is not permitted for this endpoint", request.method));
}

HttpResponse PageError(const HttpRequest& request, int status, std::string_view message) {
  HttpResponse response;
  response.status = status;
  if (request.has_param("json")) {
    response.body = "{\"err\":";
    AppendJsonString(message, &response.body);
    response.body += "}";
    return response;
  }
  response.content_type = "text/html; charset=UTF-8";
  response.body = fmt::format(
      "<!DOCTYPE html><html><head><title>{0} {1}</title></head>"
      "<body><h1>{1}</h1><p>This is an error page of Hourcell.</p></body></html>",
      status, EscapeMarkup(message));
  return response;
}

}  // namespace hourcell
