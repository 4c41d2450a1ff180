// HealthHandler: /healthz and /readyz, for load balancers, Kubernetes and systemd.
//
//   /healthz   503: the process must be restarted. 200 otherwise.
//   /readyz    503: the server cannot serve now; clients should use another server. ?for=reads and
//              ?for=writes check one kind of requests; without them, the kinds of tsd.mode are
//              checked.
//
//   /api/status  always 200, with a word for OpenTSDB's probes: see StatusWord
//
// If tsd.forward drops points, sets some aside or is late, neither fails, because this server still
// serves. Both print warnings and the lag.
//
// The body has a message for each check: lines of text, or JSON for a client that accepts it. All
// clients may read it. Only clients with the right `read` get the system's error messages, which
// may name files.
//
// Thread-safe; waits only for the free space of the file system.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/maintenance.h"
#include "server/http/http_message.h"

namespace hourcell {

// The server's use of its limits. A maximum of 0 means no limit.
struct ServerLoad {
  int64_t queries = 0;  // running and waiting
  int64_t queries_max = 0;
  int64_t body_bytes = 0;
  int64_t body_bytes_max = 0;
};

// The state of tsd.forward.
struct ForwardState {
  int64_t dropped = 0;    // points, since the creation of its spool
  int64_t set_aside = 0;  // points, since the start
  int64_t unsynced = 0;   // points
  int64_t lag_s = 0;      // age of the oldest point not yet sent
  int64_t spool_bytes = 0;
};

// A lag of at least this is a warning.
inline constexpr int64_t kForwardLagS = 600;

struct HealthCheck {
  std::string_view name;
  bool is_ok = true;
  std::string message;
  std::string detail = {};  // the system's message; may be empty
  bool is_warning = false;  // `is_ok`, but an operator should look at it
};

class HealthHandler {
 public:
  struct Settings {
    std::string mode = "rw";      // tsd.mode
    int64_t disk_free_bytes = 0;  // with less free space, the disk counts as full; 0 = never
  };
  // `health` returns the state of the store: Maintenance::Health.
  HealthHandler(std::function<StoreHealth()> health, Settings settings);

  // Sets a function that each /readyz calls; null: the load is not checked. REQUIRES: before the
  // first request.
  void SetLoad(std::function<ServerLoad()> load) { load_ = std::move(load); }
  // Sets a function that each request calls; it returns nothing if tsd.forward is off. REQUIRES:
  // before the first request.
  void SetForward(std::function<std::optional<ForwardState>()> state) {
    forward_state_ = std::move(state);
  }
  // From now on /readyz fails.
  void SetStopping() { is_stopping_ = true; }

  HttpResponse HandleHealth(const HttpRequest& request);
  // /health, as in InfluxDB 2: the status of /healthz. Proxmox VE requests it.
  HttpResponse HandleInflux(const HttpRequest& request);
  HttpResponse HandleReady(const HttpRequest& request);
  // /api/status: {"status":"ok"}, with StatusWord.
  HttpResponse HandleStatus();

  // OpenTSDB's word for the state of the server: "startup" until the store is open, "ok", "partial"
  // if it answers queries but cannot take points now, though its mode lets it, "error" if it must
  // be restarted, "shutting-down" once it stops.
  std::string_view StatusWord();

  // True if /healthz answers 200.
  bool IsHealthy();

 private:
  std::vector<HealthCheck> WriteChecks(const StoreHealth& health) const;
  std::vector<HealthCheck> ReadChecks() const;
  std::vector<HealthCheck> ForwardChecks() const;

  const std::function<StoreHealth()> health_;
  const Settings settings_;
  std::function<ServerLoad()> load_;
  std::function<std::optional<ForwardState>()> forward_state_;
  std::atomic<bool> is_stopping_ = false;
};

}  // namespace hourcell
