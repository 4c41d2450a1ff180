#include "server/api/routes.h"

#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/api/http_login.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_error.h"
#include "server/http/http_router.h"
#include "server/inputs/input_settings.h"
#include "server/log/log.h"
#include "server/text/stats_text.h"

namespace hourcell {
namespace {

constexpr size_t kCallbackBytesMax = 128;

absl::StatusOr<CorsPolicy> CorsOf(const Config& config) {
  return CorsPolicy::Create(config.text("tsd.http.request.cors_domains"),
                            config.text("tsd.http.request.cors_headers"));
}

CorsPolicy CheckedCorsOf(const Config& config) {
  absl::StatusOr<CorsPolicy> cors = CorsOf(config);
  HOURCELL_CHECK(cors.ok());
  return *std::move(cors);
}

// A name that a script may call: letters, digits and _ $ . [ ]. Other text could itself be a
// script.
bool IsCallbackName(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.[]";
  return !text.empty() && text.size() <= kCallbackBytesMax &&
         text.find_first_not_of(kAlphabet) == std::string_view::npos;
}

// Wraps a JSON body for ?jsonp. Browsers require the type of a script for it.
void ApplyJsonp(const HttpRequest& request, HttpResponse* response) {
  const std::string* callback = request.param("jsonp");
  if (callback == nullptr || callback->empty()) return;
  if (response->body.empty() && response->produce == nullptr) return;
  if (!response->content_type.starts_with("application/json")) return;
  if (!IsCallbackName(*callback)) {
    *response = HttpError(400, "Invalid jsonp callback name");
    return;
  }
  response->content_type = "text/javascript; charset=UTF-8";
  if (response->produce == nullptr) {
    response->body = fmt::format("{}({})", *callback, response->body);
    return;
  }
  response->produce = [name = *callback, inner = std::move(response->produce)](
                          BodyWriter* body, HttpResponse* failure) {
    body->buffer().append(name).append("(");
    if (!inner(body, failure)) return false;
    body->buffer().append(")");
    return true;
  };
}

// Handles exceptions of the standard library, usually out of memory: the client still gets a
// response. Their texts go to the log only, because they may contain file names.
HttpResponse ErrorOf(const std::exception& exception) {
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) {
    LogError("request: out of memory");
    return HttpError(503, "The server is out of memory; please try again later");
  }
  LogError("request: {}", exception.what());
  return HttpError(500, "An unknown exception occurred");
}

// RFC 9110 requires it with a 405. A path without a route allows nothing.
void AddAllow(std::string verbs, HttpResponse* response) {
  response->headers.emplace_back("Allow", std::move(verbs));
}

}  // namespace

absl::Status Routes::CheckConfig(const Config& config) {
  HOURCELL_RETURN_IF_ERROR(InputSettingsOf(config).status());
  HOURCELL_RETURN_IF_ERROR(RollupRulesOf(config).status());
  HOURCELL_RETURN_IF_ERROR(
      ParseHistogramCodecs(config.text("tsd.core.histograms.config")).status());
  return CorsOf(config).status();
}

Routes::Routes(Tsdb* tsdb, const Config* config, Clock* clock)
    : config_(config),
      mode_(config->text("tsd.mode")),
      authenticates_(!config->text("tsd.auth.file").empty()),
      cors_(CheckedCorsOf(*config)),
      guard_(*config, HostName(), &cors_),
      jsonp_(config->boolean("tsd.http.jsonp")),
      endpoints_(tsdb, config, clock) {
  HOURCELL_DCHECK(CheckConfig(*config).ok());
}

HttpResponse Routes::Handle(const HttpRequest& request) {
  return CompleteBody(Begin(request));
}

HttpResponse Routes::Begin(const HttpRequest& request) {
  try {
    if (auto response = cors_.Intercept(request);
        response.has_value() && !guard_.IsOwnPage(request)) {
      if (response->status == 405) AddAllow(AllowedOf(request), &*response);
      cors_.AddHeaders(request, AllowedOf(request), &*response);
      return *std::move(response);
    }
    HttpResponse response = Dispatch(request);
    FinishResponse(request, &response);
    if (response.produce != nullptr) {
      response.produce = [this, &request, inner = std::move(response.produce)](
                             BodyWriter* body, HttpResponse* failure) {
        try {
          if (inner(body, failure)) return true;
        } catch (const std::exception& exception) {
          *failure = ErrorOf(exception);
        }
        FinishResponse(request, failure);
        return false;
      };
    }
    return response;
  } catch (const std::exception& exception) {
    return ErrorOf(exception);
  }
}

// Adds the headers of every response of a handler.
void Routes::FinishResponse(const HttpRequest& request, HttpResponse* response) const {
  if (jsonp_) ApplyJsonp(request, response);
  const bool is_cross_origin = !request.header("origin").empty();
  cors_.AddHeaders(request, is_cross_origin ? AllowedOf(request) : std::string(), response);
}

// The verbs of the request's route; empty without a route.
std::string Routes::AllowedOf(const HttpRequest& request) const {
  const absl::StatusOr<RoutePath> path = ParseRoutePath(request.path);
  const RouteRow* const row = path.ok() ? FindRoute(*path) : nullptr;
  return row == nullptr ? std::string() : AllowedVerbs(*row, mode_);
}

// Checks a request before any of its work: returns the refusal, or sets the row that answers it.
std::optional<HttpResponse> Routes::Refuse(const HttpRequest& request,
                                           const RouteRow** found) const {
  if (auto refusal = guard_.Refuse(request)) return refusal;
  if (request.login_refused) return AccessRefused(request, {}, authenticates_);
  const absl::StatusOr<RoutePath> path = ParseRoutePath(request.path);
  if (!path.ok()) return HttpError(400, path.status());
  const RouteRow* const row = *found = FindRoute(*path);
  if (path->api_version > kApiVersionMax && (row == nullptr || !row->NamesItsVersion())) {
    return HttpError(501, "Requested API version is greater than the max implemented",
                     fmt::format("API version [{}] is greater than the max [{}]", path->api_version,
                                 kApiVersionMax));
  }
  if (row == nullptr || !row->IsOfferedIn(mode_)) {
    return path->api_version > 0 ? HttpError(404, "Endpoint not found")
                                 : PageError(request, 404, "Page Not Found");
  }
  return RefuseVerb(request, *row);
}

// For a route that the mode offers. Refuses a verb that the route does not have, on the wire and as
// a method_override alike.
std::optional<HttpResponse> Routes::RefuseVerb(const HttpRequest& request,
                                               const RouteRow& row) const {
  const std::optional<HttpMethod> method = ParseHttpMethod(request.method);
  const std::optional<HttpMethod> effective = EffectiveMethod(request);
  const bool is_offered =
      method && effective && row.Of(*effective).offered &&
      (row.Of(*method).offered || (*method == HttpMethod::kGet && row.get_is_override));
  if (!is_offered || (request.method == "HEAD" && row.get.effect != Effect::kReads)) {
    HttpResponse response = MethodNotAllowed(request);
    AddAllow(AllowedVerbs(row, mode_), &response);
    return response;
  }
  const VerbRow& verb = row.Of(*effective);
  if (verb.absent_in == mode_) return HttpError(404, "Endpoint not found");
  if (verb.right == Right::kNone) return std::nullopt;
  const AccessRights needs = RightsOf(verb.right);
  if (request.rights.is_none() || !request.rights.Covers(needs)) {
    return AccessRefused(request, needs, authenticates_);
  }
  const bool is_enabled = row.enabled_by.empty() || config_->boolean(row.enabled_by);
  if (verb.effect == Effect::kChanges && is_enabled && CanBeForged(request)) {
    return ForgeableRefused();
  }
  if (const std::string* callback = request.param("jsonp");
      !jsonp_ && callback != nullptr && !callback->empty()) {
    return HttpError(400, "Bad request", "JSONP is not enabled (tsd.http.jsonp=false)");
  }
  if (row.refuse_head != nullptr && *effective == HttpMethod::kPost) {
    return row.refuse_head(request);
  }
  return std::nullopt;
}

std::optional<HttpResponse> Routes::RefuseUnread(const HttpRequest& head) const {
  const RouteRow* row = nullptr;
  std::optional<HttpResponse> response = Refuse(head, &row);
  if (response.has_value()) FinishResponse(head, &*response);
  return response;
}

HttpResponse Routes::Dispatch(const HttpRequest& request) {
  const RouteRow* row = nullptr;
  if (auto refusal = Refuse(request, &row)) return *std::move(refusal);
  if (const std::string* serializer = request.param("serializer");
      serializer != nullptr && *serializer != "json") {
    return HttpError(
        400, "Requested serializer was not found",
        fmt::format("Could not find a serializer with the name: {}", TextForMessage(*serializer)));
  }
  return (endpoints_.*row->handler)(request);
}

}  // namespace hourcell
