#include "server/api/routes.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "server/admin/region_json.h"
#include "server/api/http_login.h"
#include "server/api/info_handlers.h"
#include "server/api/query_page.h"
#include "server/api/route_rights.h"
#include "server/api/web_page.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_error.h"
#include "server/http/http_target.h"
#include "server/log/log.h"
#include "server/names/annotation_handler.h"
#include "server/names/suggest_handler.h"

namespace hourcell {
namespace {

constexpr size_t kCallbackBytesMax = 128;

// Groups of jobs: what seals or merges the whole store, and what changes its regions.
constexpr std::string_view kStoreJobs = "store";
constexpr std::string_view kRegionJobs = "regions";

absl::StatusOr<CorsPolicy> CorsOf(const Config& config) {
  return CorsPolicy::Create(config.text("tsd.http.request.cors_domains"),
                            config.text("tsd.http.request.cors_headers"));
}

CorsPolicy CheckedCorsOf(const Config& config) {
  absl::StatusOr<CorsPolicy> cors = CorsOf(config);
  HOURCELL_CHECK(cors.ok());
  return *std::move(cors);
}

StatOrigin OriginOf(const Config& config) {
  StatOrigin origin{.host = HostName(), .port = std::nullopt};
  if (config.boolean("tsd.core.stats_with_port")) {
    origin.port = static_cast<uint16_t>(config.integer("tsd.network.port"));
  }
  return origin;
}

PutHandler::Settings PutSettingsOf(const Config& config) {
  PutHandler::Settings settings{
      .tags_max = static_cast<size_t>(config.integer("tsd.storage.max_tags")),
      .tag_header = config.text("tsd.http.header_tag")};
  absl::AsciiStrToLower(&settings.tag_header);
  return settings;
}

// A name that a script may call: letters, digits and _ $ . [ ]. Anything else could be a script.
bool IsCallbackName(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.[]";
  return !text.empty() && text.size() <= kCallbackBytesMax &&
         text.find_first_not_of(kAlphabet) == std::string_view::npos;
}

// Wraps a JSON body for ?jsonp. It is a script then, and browsers take no other type for one.
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

// The standard library's exceptions, out of memory above all: the client still gets its answer.
// What they say is for the log: it may name files.
HttpResponse ErrorOf(const std::exception& exception) {
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) {
    LogError("request: out of memory");
    return HttpError(503, "The server is out of memory; please try again later");
  }
  LogError("request: {}", exception.what());
  return HttpError(500, "An unknown exception occurred");
}

constexpr uint8_t Bit(HttpMethod method) {
  return static_cast<uint8_t>(1U << static_cast<uint8_t>(method));
}
constexpr uint8_t kGet = Bit(HttpMethod::kGet);
constexpr uint8_t kPost = Bit(HttpMethod::kPost);
constexpr uint8_t kPut = Bit(HttpMethod::kPut);
constexpr uint8_t kDelete = Bit(HttpMethod::kDelete);
constexpr uint8_t kAll = kGet | kPost | kPut | kDelete;

}  // namespace

struct HttpApi::Endpoint {
  bool api = false;  // under /api
  std::string_view name;
  std::string_view sub;             // "*": any, and none
  uint8_t methods = 0;              // bits by HttpMethod
  std::string_view absent_in = "";  // the tsd.mode that has it not
  HttpResponse (HttpApi::*handler)(const HttpRequest&) = nullptr;
};

const HttpApi::Endpoint HttpApi::kEndpoints[] = {
    {true, "put", "", kPost, "ro", &HttpApi::Put},
    {true, "query", "", kGet | kPost | kDelete, "wo", &HttpApi::Query},
    {true, "query", "last", kGet | kPost, "wo", &HttpApi::Last},
    {true, "search", "*", kGet | kPost, "wo", &HttpApi::Search},
    {true, "suggest", "", kGet | kPost, "wo", &HttpApi::Suggest},
    {true, "aggregators", "", kGet | kPost, "", &HttpApi::Aggregators},
    {true, "version", "", kGet | kPost, "", &HttpApi::Version},
    {true, "stats", "", kGet | kPost, "", &HttpApi::StatsJson},
    {true, "stats", "query", kGet | kDelete, "", &HttpApi::QueryStats},
    {true, "config", "", kGet | kPost, "", &HttpApi::ConfigJson},
    {true, "config", "filters", kGet | kPost, "", &HttpApi::Filters},
    {true, "serializers", "", kGet | kPost, "", &HttpApi::Serializers},
    {true, "dropcaches", "", kGet | kDelete, "", &HttpApi::DropCaches},
    {true, "annotation", "", kAll, "", &HttpApi::Annotation},
    {true, "annotation", "bulk", kAll, "", &HttpApi::Annotation},
    {true, "annotations", "", kAll, "", &HttpApi::Annotation},
    {true, "uid", "assign", kGet | kPost, "ro", &HttpApi::Uid},
    {true, "uid", "rename", kGet | kPost, "ro", &HttpApi::Uid},
    {true, "uid", "*", kAll, "ro", &HttpApi::Uid},
    {true, "admin", "seal", kPost, "ro", &HttpApi::Seal},
    {true, "admin", "flush", kPost, "ro", &HttpApi::Flush},
    {true, "admin", "compact", kPost, "ro", &HttpApi::Compact},
    {true, "admin", "backup", kGet | kPost, "ro", &HttpApi::Backup},
    {true, "admin", "fsck", kGet | kPost | kDelete, "", &HttpApi::Fsck},
    {true, "admin", "jobs", kGet | kDelete, "", &HttpApi::Jobs},
    {true, "admin", "ttl", kGet | kPost, "ro", &HttpApi::Ttl},
    {true, "admin", "salt", kGet | kPost, "ro", &HttpApi::Salt},
    {true, "admin", "regions", kGet, "", &HttpApi::Regions},
    {true, "admin", "regions/check", kGet, "", &HttpApi::CheckRegions},
    {true, "admin", "regions/split", kPost, "ro", &HttpApi::SplitRegion},
    {true, "admin", "regions/merge", kPost, "ro", &HttpApi::MergeRegions},
    {true, "admin", "regions/rolling", kPost, "ro", &HttpApi::RollRegions},
    {false, "", "", kGet, "", &HttpApi::WebPage},
    {false, "assets", "*", kGet, "", &HttpApi::WebPage},
    {false, "q", "", kGet, "wo", &HttpApi::QueryPage},
    {false, "suggest", "", kGet, "wo", &HttpApi::Suggest},
    {false, "aggregators", "", kGet, "", &HttpApi::Aggregators},
    {false, "version", "", kGet, "", &HttpApi::VersionText},
    {false, "stats", "", kGet, "", &HttpApi::StatsText},
};

absl::Status HttpApi::CheckConfig(const Config& config) {
  return CorsOf(config).status();
}

HttpApi::HttpApi(Tsdb* tsdb, const Config* config, Clock* clock)
    : tsdb_(tsdb),
      config_(config),
      clock_(clock),
      mode_(config->text("tsd.mode")),
      authenticates_(!config->text("tsd.auth.file").empty()),
      origin_(OriginOf(*config)),
      cors_(CheckedCorsOf(*config)),
      guard_(*config, origin_.host, &cors_),
      jsonp_(config->boolean("tsd.http.jsonp")),
      put_(tsdb, PutSettingsOf(*config)),
      queries_(clock),
      query_({.tsdb = tsdb,
              .clock = clock,
              .registry = &queries_,
              .timezone = config->text("tsd.core.timezone"),
              .allow_delete = config->boolean("tsd.http.query.allow_delete") && mode_ != "ro"}),
      admin_(tsdb, clock),
      regions_(tsdb),
      jobs_(clock) {}

HttpResponse HttpApi::Handle(const HttpRequest& request) {
  return CompleteBody(Begin(request));
}

HttpResponse HttpApi::Begin(const HttpRequest& request) {
  try {
    if (!guard_.IsOwnPage(request)) {
      if (auto response = cors_.Intercept(request)) {
        cors_.AddHeaders(request, &*response);
        return *std::move(response);
      }
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

// What every response of a handler gets.
void HttpApi::FinishResponse(const HttpRequest& request, HttpResponse* response) const {
  if (jsonp_) ApplyJsonp(request, response);
  cors_.AddHeaders(request, response);
}

const HttpApi::Endpoint* HttpApi::Find(const Route& route) const {
  for (const Endpoint& endpoint : kEndpoints) {
    if (endpoint.api == (route.api_version > 0) && endpoint.name == route.endpoint &&
        (endpoint.sub == route.sub || endpoint.sub == "*") && endpoint.absent_in != mode_) {
      return &endpoint;
    }
  }
  return nullptr;
}

// What is wrong with a request before anything of it is done, or its endpoint.
std::optional<HttpResponse> HttpApi::Refuse(const HttpRequest& request,
                                            const Endpoint** found) const {
  if (auto refusal = guard_.Refuse(request)) return refusal;
  if (request.login_refused) return AccessRefused(request, {}, authenticates_);
  const absl::StatusOr<Route> route = ParseRoute(request.path);
  if (!route.ok()) return HttpError(400, route.status());
  if (route->api_version > kApiVersionMax) {
    return HttpError(501, "Requested API version is greater than the max implemented",
                     fmt::format("API version [{}] is greater than the max [{}]",
                                 route->api_version, kApiVersionMax));
  }
  const Endpoint* const endpoint = *found = Find(*route);
  if (endpoint == nullptr) {
    return route->api_version > 0 ? HttpError(404, "Endpoint not found")
                                  : PageError(request, 404, "Page Not Found");
  }
  return RefuseRoute(request, *route, *endpoint);
}

std::optional<HttpResponse> HttpApi::RefuseRoute(const HttpRequest& request,
                                                 const Route& route,
                                                 const Endpoint& endpoint) const {
  const std::optional<HttpMethod> method = ParseHttpMethod(request.method);
  if (!method || (endpoint.methods & Bit(*method)) == 0) return MethodNotAllowed(request);
  // A method that stands for no other is the handler's to refuse.
  const HttpMethod effective = EffectiveMethod(request).value_or(*method);
  // The page asks who the user is: it comes without a login.
  if (IsWebPath(request.path)) return std::nullopt;
  const AccessRights needs = RightsFor(route, effective);
  if (request.rights.is_none() || !request.rights.Covers(needs)) {
    return AccessRefused(request, needs, authenticates_);
  }
  if (Changes(route, effective)) {
    if (request.method == "HEAD") return MethodNotAllowed(request);
    if (CanBeForged(request)) return ForgeableRefused();
  }
  if (const std::string* callback = request.param("jsonp");
      !jsonp_ && callback != nullptr && !callback->empty()) {
    return HttpError(400, "Bad request", "JSONP is not enabled (tsd.http.jsonp=false)");
  }
  return std::nullopt;
}

std::optional<HttpResponse> HttpApi::RefuseUnread(HttpRequest head) const {
  if (!ParseTarget(&head).ok()) return HttpError(400, "The request target cannot be decoded");
  const Endpoint* endpoint = nullptr;
  std::optional<HttpResponse> response = Refuse(head, &endpoint);
  if (response.has_value()) FinishResponse(head, &*response);
  return response;
}

HttpResponse HttpApi::Dispatch(const HttpRequest& request) {
  const Endpoint* endpoint = nullptr;
  if (auto refusal = Refuse(request, &endpoint)) return *std::move(refusal);
  if (const std::string* serializer = request.param("serializer");
      serializer != nullptr && *serializer != "json") {
    return HttpError(400, "Requested serializer was not found",
                     fmt::format("Could not find a serializer with the name: {}", *serializer));
  }
  return (this->*endpoint->handler)(request);
}

HttpResponse HttpApi::QueryPage(const HttpRequest& request) {
  return AnswerQueryPage(request, query_.service());
}

HttpResponse HttpApi::Suggest(const HttpRequest& request) {
  return HandleSuggest(request, query_.service());
}

HttpResponse HttpApi::Aggregators(const HttpRequest&) {
  return AggregatorsInfo();
}

HttpResponse HttpApi::Version(const HttpRequest&) {
  return VersionInfo();
}

HttpResponse HttpApi::VersionText(const HttpRequest& request) {
  return request.has_param("json") ? VersionInfo() : VersionPage();
}

HttpResponse HttpApi::StatsJson(const HttpRequest&) {
  return StatsInfo(tsdb_->stats(), clock_->NowMs(), origin_);
}

HttpResponse HttpApi::StatsText(const HttpRequest& request) {
  return StatsPage(tsdb_->stats(), clock_->NowMs(), origin_, request.has_param("json"));
}

// One after the other: whether a TTL is a shorter one depends on the one before.
HttpResponse HttpApi::Ttl(const HttpRequest& request) {
  MutexLock lock(&ttl_mutex_);
  return HandleTtl(request, config_->boolean("tsd.http.ttl.allow_shorter"), tsdb_);
}

HttpResponse HttpApi::ConfigJson(const HttpRequest&) {
  return ConfigInfo(*config_);
}

HttpResponse HttpApi::Filters(const HttpRequest&) {
  return FiltersInfo();
}

HttpResponse HttpApi::Serializers(const HttpRequest&) {
  return SerializersInfo();
}

HttpResponse HttpApi::DropCaches(const HttpRequest&) {
  if (!config_->boolean("tsd.rpc.allow_dropcaches")) {
    return HttpError(403, "Forbidden",
                     "Dropping caches is not enabled (tsd.rpc.allow_dropcaches=false)");
  }
  tsdb_->DropCaches();
  HttpResponse response;
  response.body = "{\"status\":\"200\",\"message\":\"Caches dropped\"}";
  return response;
}

HttpResponse HttpApi::Seal(const HttpRequest& request) {
  return StartJob(request,
                  {.kind = "seal",
                   .group = kStoreJobs,
                   .work = [this](JobWatch* /*watch*/) { return admin_.Seal(); }},
                  &jobs_);
}

HttpResponse HttpApi::Flush(const HttpRequest& request) {
  return StartJob(request,
                  {.kind = "flush",
                   .group = kStoreJobs,
                   .work = [this](JobWatch* /*watch*/) { return admin_.Flush(); }},
                  &jobs_);
}

HttpResponse HttpApi::Compact(const HttpRequest& request) {
  return StartJob(request,
                  {.kind = "compact",
                   .group = kStoreJobs,
                   .work = [this](JobWatch* watch) { return admin_.Compact(watch); }},
                  &jobs_);
}

HttpResponse HttpApi::Salt(const HttpRequest& request) {
  return HandleSalt(request, tsdb_, clock_->NowMs(), kStoreJobs, &jobs_);
}

HttpResponse HttpApi::Backup(const HttpRequest& request) {
  return HandleBackup(request, config_->text("tsd.storage.backup.directory"), tsdb_, clock_,
                      &jobs_);
}

HttpResponse HttpApi::Fsck(const HttpRequest& request) {
  return HandleFsck(request, tsdb_, clock_, &jobs_);
}

HttpResponse HttpApi::SplitRegion(const HttpRequest& request) {
  if (auto refusal = RegionHandler::RefuseSplit(request)) return *std::move(refusal);
  return StartJob(
      request,
      {.kind = "split",
       .group = kRegionJobs,
       .work = [this, request](JobWatch* /*watch*/) { return regions_.Split(request); }},
      &jobs_);
}

HttpResponse HttpApi::MergeRegions(const HttpRequest& request) {
  if (auto refusal = RegionHandler::RefuseMerge(request)) return *std::move(refusal);
  return StartJob(
      request,
      {.kind = "merge",
       .group = kRegionJobs,
       .work = [this, request](JobWatch* /*watch*/) { return regions_.Merge(request); }},
      &jobs_);
}

HttpResponse HttpApi::RollRegions(const HttpRequest& request) {
  const absl::StatusOr<RollingSplitRequest> wish = ParseRollingJson(request.body);
  if (auto refusal = RegionHandler::RefuseRolling(request)) return *std::move(refusal);
  const auto probe = [this, table = wish->table] {
    const std::optional<RollingProgress> rolling = regions_.RollingSoFar(table);
    return JobProgress{.phase = "cut",
                       .done = rolling.has_value() ? rolling->made : 0,
                       .total = rolling.has_value() ? rolling->keys : 0,
                       .unit = "regions"};
  };
  return StartJob(
      request,
      {.kind = "rolling-split",
       .group = kRegionJobs,
       .work = [this, request](JobWatch* /*watch*/) { return regions_.Rolling(request); },
       .probe = probe},
      &jobs_);
}

// Reads are absent in mode wo and writes in ro, whatever the verb on the wire.
HttpResponse HttpApi::Annotation(const HttpRequest& request) {
  const std::string_view absent_in = EffectiveMethod(request) == HttpMethod::kGet ? "wo" : "ro";
  if (mode_ == absent_in) return HttpError(404, "Endpoint not found");
  return HandleAnnotation(request, tsdb_, clock_);
}

HttpResponse HttpApi::WebPage(const HttpRequest& request) {
  return AnswerWebPage(request);
}

}  // namespace hourcell
