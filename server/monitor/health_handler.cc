#include "server/monitor/health_handler.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/strings.h"
#include "server/access/access_rights.h"
#include "server/http/http_error.h"

namespace hourcell {
namespace {

constexpr std::string_view kReads = "reads";
constexpr std::string_view kWrites = "writes";

std::string TextOf(const absl::Status& status) {
  return std::string(status.message());
}

HealthCheck JournalCheck(const StoreHealth& health) {
  HealthCheck check{.name = "journal", .message = "points can be written to it"};
  if (health.journal.ok()) return check;
  check.is_ok = false;
  check.message = health.must_reopen
                      ? "no point is taken until the server is started again"
                      : "the last points could not be written to it; the server tries again";
  check.detail = TextOf(health.journal);
  return check;
}

HealthCheck DiskCheck(const StoreHealth& health, int64_t wanted_bytes) {
  HealthCheck check{.name = "disk", .message = "the file system does not say what is free"};
  if (!health.disk_free_bytes.has_value()) return check;
  check.is_ok = *health.disk_free_bytes >= static_cast<uint64_t>(wanted_bytes);
  check.message = fmt::format("{} bytes are free; expected at least {} (tsd.health.disk_free)",
                              *health.disk_free_bytes, wanted_bytes);
  return check;
}

HealthCheck RoomCheck(const StoreHealth& health) {
  HealthCheck check{.name = "room", .message = "there is room for more points"};
  if (health.room.ok()) return check;
  check.is_ok = false;
  check.message = fmt::format("points are refused: {}", TextOf(health.room));
  return check;
}

HealthCheck LoadCheck(std::string_view name, std::string_view what, int64_t used, int64_t most) {
  const bool is_ok = most == 0 || used < most;
  const std::string limit = most == 0 ? "no limit" : fmt::format("at most {}", most);
  return {.name = name,
          .is_ok = is_ok,
          .message = fmt::format("{} {} ({}){}", used, what, limit, is_ok ? "" : "; overloaded")};
}

bool WantsJson(const HttpRequest& request) {
  return request.has_param("json") ||
         LowerCase(request.header("accept")).find("application/json") != std::string::npos;
}

std::string JsonBody(std::string_view status, const std::vector<HealthCheck>& checks) {
  std::string body = fmt::format("{{\"status\":\"{}\",\"checks\":[", status);
  for (const HealthCheck& check : checks) {
    if (!body.ends_with('[')) body += ',';
    body += fmt::format("{{\"name\":\"{}\",\"ok\":{},{}\"message\":", check.name, check.is_ok,
                        check.is_warning ? "\"warning\":true," : "");
    AppendJsonString(check.message, &body);
    if (!check.detail.empty()) {
      body += ",\"detail\":";
      AppendJsonString(check.detail, &body);
    }
    body += '}';
  }
  return body + "]}";
}

std::string_view Word(const HealthCheck& check) {
  if (!check.is_ok) return "FAILED";
  return check.is_warning ? "warn" : "ok";
}

std::string TextBody(std::string_view status, const std::vector<HealthCheck>& checks) {
  std::string body = fmt::format("{}\n", status);
  for (const HealthCheck& check : checks) {
    body += fmt::format("{:<6} {}: {}{}{}\n", Word(check), check.name, check.message,
                        check.detail.empty() ? "" : ": ", check.detail);
  }
  return body;
}

// `good` and `bad`: the words for all checks together.
HttpResponse ResponseOf(const HttpRequest& request,
                        std::string_view good,
                        std::string_view bad,
                        std::vector<HealthCheck> checks) {
  if (!request.rights.Covers(AccessRights::Read()) || request.rights.is_none()) {
    for (HealthCheck& check : checks)
      check.detail.clear();
  }
  const bool is_ok = std::ranges::all_of(checks, &HealthCheck::is_ok);
  const std::string_view status = is_ok ? good : bad;
  HttpResponse response;
  response.status = is_ok ? 200 : 503;
  response.headers.emplace_back("Cache-Control", "no-store");
  if (WantsJson(request)) {
    response.body = JsonBody(status, checks);
  } else {
    response.content_type = "text/plain; charset=UTF-8";
    response.body = TextBody(status, checks);
  }
  return response;
}

}  // namespace

HealthHandler::HealthHandler(std::function<StoreHealth()> health, Settings settings)
    : health_(std::move(health)), settings_(std::move(settings)) {}

bool HealthHandler::IsHealthy() {
  return !health_().must_reopen;
}

std::string_view HealthHandler::StatusWord() {
  if (is_stopping_) return "shutting-down";
  const StoreHealth health = health_();
  if (!health.is_open) return "startup";
  if (health.must_reopen) return "error";
  const bool takes_points =
      health.journal.ok() && health.room.ok() && DiskCheck(health, settings_.disk_free_bytes).is_ok;
  return settings_.mode == "ro" || takes_points ? "ok" : "partial";
}

HttpResponse HealthHandler::HandleStatus() {
  HttpResponse response;
  response.headers.emplace_back("Cache-Control", "no-store");
  response.body = fmt::format(R"({{"status":"{}"}})", StatusWord());
  return response;
}

HttpResponse HealthHandler::HandleHealth(const HttpRequest& request) {
  const StoreHealth health = health_();
  std::vector<HealthCheck> checks = {{.name = "server", .message = "it answers"}};
  // Only /readyz reports errors from which the server recovers without a restart.
  if (health.must_reopen) checks.push_back(JournalCheck(health));
  std::ranges::move(ForwardChecks(), std::back_inserter(checks));
  return ResponseOf(request, "healthy", "not healthy", std::move(checks));
}

HttpResponse HealthHandler::HandleInflux(const HttpRequest& /*request*/) {
  const bool is_healthy = IsHealthy();
  HttpResponse response;
  response.status = is_healthy ? 200 : 503;
  response.headers.emplace_back("Cache-Control", "no-store");
  response.body = fmt::format(
      R"({{"name":"hourcell","message":"{}","status":"{}","checks":[]}})",
      is_healthy ? "ready for writes" : "no point is taken until the server is started again",
      is_healthy ? "pass" : "fail");
  return response;
}

HttpResponse HealthHandler::HandleReady(const HttpRequest& request) {
  const std::string* const asked = request.param("for");
  const std::string_view purpose = asked == nullptr ? std::string_view() : *asked;
  if (!purpose.empty() && purpose != kReads && purpose != kWrites) {
    return HttpError(400, "Bad request", "for: expected reads or writes");
  }
  const StoreHealth health = health_();
  std::vector<HealthCheck> checks = {
      {.name = "store",
       .is_ok = health.is_open,
       .message = health.is_open ? "it is open, and its journal is replayed" : "it is closed"}};
  if (is_stopping_) {
    checks.push_back({.name = "server", .is_ok = false, .message = "it is stopping"});
  }
  const bool is_read_only = settings_.mode == "ro";
  if (purpose == kWrites || (purpose.empty() && !is_read_only)) {
    std::ranges::move(WriteChecks(health), std::back_inserter(checks));
  } else if (purpose.empty()) {
    checks.push_back({.name = "mode", .message = "the server is read-only (tsd.mode=ro)"});
  }
  if (purpose == kReads || (purpose.empty() && settings_.mode != "wo")) {
    std::ranges::move(ReadChecks(), std::back_inserter(checks));
  }
  return ResponseOf(request, "ready", "not ready", std::move(checks));
}

std::vector<HealthCheck> HealthHandler::WriteChecks(const StoreHealth& health) const {
  if (settings_.mode == "ro") {
    return {{.name = "mode", .is_ok = false, .message = "the server is read-only (tsd.mode=ro)"}};
  }
  std::vector<HealthCheck> checks = {
      JournalCheck(health), DiskCheck(health, settings_.disk_free_bytes), RoomCheck(health)};
  if (load_ != nullptr) {
    const ServerLoad load = load_();
    checks.push_back(LoadCheck("bodies", "bytes of request bodies are in memory", load.body_bytes,
                               load.body_bytes_max));
  }
  std::ranges::move(ForwardChecks(), std::back_inserter(checks));
  return checks;
}

std::vector<HealthCheck> HealthHandler::ReadChecks() const {
  if (settings_.mode == "wo") {
    return {{.name = "mode", .is_ok = false, .message = "the server is write-only (tsd.mode=wo)"}};
  }
  if (load_ == nullptr) return {};
  const ServerLoad load = load_();
  return {LoadCheck("queries", "queries run or wait", load.queries, load.queries_max)};
}

// A warning for each problem; without problems, a check with the lag.
std::vector<HealthCheck> HealthHandler::ForwardChecks() const {
  const std::optional<ForwardState> state =
      forward_state_ == nullptr ? std::nullopt : forward_state_();
  if (!state.has_value()) return {};
  std::vector<HealthCheck> checks;
  const auto warn = [&checks](std::string message) {
    checks.push_back({.name = "forward", .message = std::move(message), .is_warning = true});
  };
  if (state->dropped > 0) {
    warn(fmt::format(
        "{} points were dropped that tsd.forward was to send; the other server never gets them: "
        "hourcell compare finds them",
        state->dropped));
  }
  if (state->set_aside > 0) {
    warn(
        fmt::format("{} points were set aside since the start, as the other server fails at them; "
                    "they are in set-aside.txt of tsd.forward.directory",
                    state->set_aside));
  }
  if (state->unsynced > 0) {
    warn(
        fmt::format("a sync has failed: a power loss takes {} points of tsd.forward; restart the "
                    "server",
                    state->unsynced));
  }
  const std::string late = fmt::format("tsd.forward is {} s late; its files have {} bytes",
                                       state->lag_s, state->spool_bytes);
  if (state->lag_s >= kForwardLagS) {
    warn(late);
  } else if (checks.empty()) {
    checks.push_back({.name = "forward", .message = late});
  }
  return checks;
}

}  // namespace hourcell
