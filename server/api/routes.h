// Routes: OpenTSDB's HTTP API on a Tsdb: a request in, a response out. Independent of sockets.
//
// The paths are OpenTSDB's, in any case, /api[/v<N>]/...: route_table.h lists them with their
// requirements. Errors have OpenTSDB's JSON. A request that its client may not make gets 401 or 403
// (http_login.h); one that a foreign web page sent, or may have sent, 403 (web_guard.h).
// Thread-safe.

#pragma once

#include <optional>
#include <string>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "engine/tsdb.h"
#include "server/api/endpoints.h"
#include "server/api/route_table.h"
#include "server/config/config.h"
#include "server/http/guard/cors.h"
#include "server/http/guard/web_guard.h"
#include "server/http/http_message.h"

namespace hourcell {

class Routes {
 public:
  // kInvalidArgument: settings of the API that are invalid or conflict (CORS, inputs, rollups).
  // Checked before the start.
  static absl::Status CheckConfig(const Config& config);

  // All are borrowed and outlive the object. Counts into tsdb->stats().
  // REQUIRES: CheckConfig(*config) is OK.
  Routes(Tsdb* tsdb, const Config* config, Clock* clock = Clock::System());

  // Answers one request whose target was parsed (ParseTarget). Never throws; every request gets a
  // response. May block on storage. The response may have a producer, which borrows `request` and
  // this object.
  HttpResponse Begin(const HttpRequest& request);

  // Starts no more jobs and cancels the running ones; StopJobs waits until they have ended.
  void CancelJobs() { endpoints_.CancelJobs(); }
  void StopJobs() { endpoints_.StopJobs(); }

  // The state shown by /healthz and /readyz.
  HealthHandler* health() { return endpoints_.health(); }

  // The settings of rollups, for the line protocol.
  const RollupRules& rollups() const { return endpoints_.rollups(); }

  // Like Begin, with the body printed in full.
  HttpResponse Handle(const HttpRequest& request);

  // The response to a request that is refused whatever its body is: because of its route, its
  // method, or the rights of its client; nothing for others. `head` is a request without its body.
  // Quick. REQUIRES: its target was parsed.
  std::optional<HttpResponse> RefuseUnread(const HttpRequest& head) const;

 private:
  std::string AllowedOf(const HttpRequest& request) const;
  std::optional<HttpResponse> Refuse(const HttpRequest& request, const RouteRow** found) const;
  std::optional<HttpResponse> RefuseVerb(const HttpRequest& request, const RouteRow& row) const;
  HttpResponse Dispatch(const HttpRequest& request);
  void FinishResponse(const HttpRequest& request, HttpResponse* response) const;

  const Config* const config_;
  const std::string mode_;  // tsd.mode: rw, ro or wo
  const bool authenticates_;
  const CorsPolicy cors_;
  const WebGuard guard_;
  const bool jsonp_;  // tsd.http.jsonp
  Endpoints endpoints_;
};

}  // namespace hourcell
