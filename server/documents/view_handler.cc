#include "server/documents/view_handler.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/time/time.h>
#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/strings.h"
#include "engine/saved_views.h"
#include "server/documents/saved_view.h"
#include "server/documents/stored_view.h"
#include "server/http/http_error.h"
#include "server/http/http_router.h"
#include "server/http/http_status.h"

namespace hourcell {
namespace {

using ViewText = std::optional<std::string>;

// The name in a path such as /api/v1/views/Web servers; empty: a list of views.
std::string_view ViewNameOf(const HttpRequest& request) {
  const absl::StatusOr<RoutePath> path = ParseRoutePath(request.path);
  if (!path.ok()) return "";
  const size_t slash = std::min(path->rest.find('/'), path->rest.size());
  return path->rest.substr(std::min(slash + 1, path->rest.size()));
}

// A view of the list. A document of a later version has a problem in place of its fields.
void AppendView(std::string_view name, const StoredView& view, int64_t now_ms, JsonWriter* json) {
  json->OpenObject();
  json->Field("name", name);
  const absl::StatusOr<SavedView> parsed = ParseSavedView(view.document, now_ms);
  if (parsed.ok()) {
    json->Field("title", parsed->title);
    json->Field("graphs", parsed->graphs);
    json->Field("start", parsed->start);
    json->Field("end", parsed->end);
    json->Field("tz", parsed->tz);
    json->Field("refresh", parsed->refresh_s);
  } else {
    json->Field("problem", MessageOf(parsed.status()));
  }
  json->Field("changed", view.changed_ms);
  json->Field("by", view.by);
  json->Field("etag", EntityTagOf(view));
  json->CloseObject();
}

void AppendDamagedView(std::string_view name, const absl::Status& damage, JsonWriter* json) {
  json->OpenObject();
  json->Field("name", name);
  json->Field("problem", MessageOf(damage));
  json->CloseObject();
}

HttpResponse ViewFailure(const absl::Status& status) {
  if (absl::IsResourceExhausted(status)) return HttpError(409, status);
  return FailureResponse(Failed::kStore, status);
}

HttpResponse NoSuchView(std::string_view name) {
  return HttpError(404, fmt::format("view {}: not found", QuoteForMessage(name)));
}

HttpResponse ListViews(Tsdb* tsdb, int64_t now_ms) {
  HttpResponse response;
  JsonWriter json(&response.body);
  json.OpenObject();
  json.Field("limit", uint64_t{kSavedViewsMax});
  json.Key("views");
  json.OpenArray();
  const absl::Status visited =
      tsdb->saved_views().Visit([&](std::string_view name, std::string_view text) {
        const absl::StatusOr<StoredView> view = ParseStoredView(text);
        if (view.ok()) {
          AppendView(name, *view, now_ms, &json);
        } else {
          AppendDamagedView(name, view.status(), &json);
        }
        return true;
      });
  if (!visited.ok()) return ViewFailure(visited);
  json.CloseArray();
  json.CloseObject();
  return response;
}

HttpResponse GetView(std::string_view name, Tsdb* tsdb) {
  const absl::StatusOr<ViewText> found = tsdb->saved_views().Find(name);
  if (!found.ok()) return ViewFailure(found.status());
  if (!found->has_value()) return NoSuchView(name);
  absl::StatusOr<StoredView> view = ParseStoredView(**found);
  if (!view.ok()) return ViewFailure(view.status());
  HttpResponse response;
  response.headers = {{"ETag", EntityTagOf(*view)}, {"Cache-Control", "no-cache"}};
  response.body = std::move(view->document);
  return response;
}

std::string ChangeText(const StoredView& view) {
  return fmt::format("changed{}{} at {}", view.by.empty() ? "" : " by ", view.by,
                     absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixMillis(view.changed_ms),
                                      absl::UTCTimeZone()));
}

// A conflict with the present state of a view.
HttpResponse ViewConflict(int status,
                          std::string_view name,
                          std::string_view problem,
                          const std::optional<StoredView>& now) {
  HttpResponse response =
      HttpError(status, fmt::format("view {}: {}", QuoteForMessage(name), problem),
                now.has_value() ? ChangeText(*now) : "there is none of that name");
  if (now.has_value()) response.headers.emplace_back("ETag", EntityTagOf(*now));
  return response;
}

// The refusal of a change to the state `before` of a view; nullopt: the request may change it. A
// row that is damaged can be replaced and removed.
std::optional<HttpResponse> RefuseState(const HttpRequest& request,
                                        HttpMethod method,
                                        std::string_view name,
                                        const ViewText& before) {
  std::optional<StoredView> now;
  if (before.has_value()) {
    absl::StatusOr<StoredView> parsed = ParseStoredView(*before);
    now = parsed.ok() ? *std::move(parsed) : StoredView();
  }
  if (method == HttpMethod::kDelete && !now.has_value()) return NoSuchView(name);
  if (method == HttpMethod::kPost && now.has_value()) {
    return ViewConflict(409, name, "there is one of that name", now);
  }
  // Part of the header: a proxy that compresses makes a tag weak, W/"...".
  const std::string_view wanted = request.header("if-match");
  const bool has_tag = now.has_value() && wanted.find(EntityTagOf(*now)) != std::string_view::npos;
  if (wanted.empty() || has_tag) return std::nullopt;
  return ViewConflict(412, name, "not in the state of If-Match", now);
}

HttpResponse PutView(const HttpRequest& request,
                     HttpMethod method,
                     std::string_view name,
                     Tsdb* tsdb,
                     int64_t now_ms) {
  if (const auto parsed = ParseSavedView(request.body, now_ms); !parsed.ok()) {
    return HttpError(400, parsed.status());
  }
  const StoredView view{.changed_ms = now_ms, .by = request.user, .document = request.body};
  std::optional<HttpResponse> refusal;
  bool is_new = false;
  const absl::Status changed =
      tsdb->saved_views().Change(name, [&](const ViewText& before) -> absl::StatusOr<ViewText> {
        refusal = RefuseState(request, method, name, before);
        if (refusal.has_value()) return before;
        is_new = !before.has_value();
        return ViewText(PrintStoredView(view));
      });
  if (!changed.ok()) return ViewFailure(changed);
  if (refusal.has_value()) return *std::move(refusal);
  HttpResponse response;
  response.status = is_new ? 201 : 200;
  response.headers = {{"ETag", EntityTagOf(view)}};
  JsonWriter json(&response.body);
  AppendView(name, view, now_ms, &json);
  return response;
}

HttpResponse DeleteView(const HttpRequest& request, std::string_view name, Tsdb* tsdb) {
  std::optional<HttpResponse> refusal;
  const absl::Status changed =
      tsdb->saved_views().Change(name, [&](const ViewText& before) -> absl::StatusOr<ViewText> {
        refusal = RefuseState(request, HttpMethod::kDelete, name, before);
        return refusal.has_value() ? before : ViewText();
      });
  if (!changed.ok()) return ViewFailure(changed);
  if (refusal.has_value()) return *std::move(refusal);
  HttpResponse response;
  response.status = 204;
  return response;
}

}  // namespace

HttpResponse HandleViews(const HttpRequest& request, Tsdb* tsdb, WallClock* clock) {
  const std::optional<HttpMethod> method = EffectiveMethod(request);
  if (!method.has_value()) return MethodNotAllowed(request);
  const std::string_view name = ViewNameOf(request);
  const int64_t now_ms = clock->NowMs();
  switch (*method) {
    case HttpMethod::kGet:
      return name.empty() ? ListViews(tsdb, now_ms) : GetView(name, tsdb);
    case HttpMethod::kPost:
    case HttpMethod::kPut:
      return PutView(request, *method, name, tsdb, now_ms);
    case HttpMethod::kDelete:
      return DeleteView(request, name, tsdb);
    case HttpMethod::kOptions:
      break;
  }
  return MethodNotAllowed(request);
}

}  // namespace hourcell
