// HealthHandler: /healthz and /readyz, for load balancers, Kubernetes and systemd.
//
//   /healthz   503: only a new start of the process helps. 200 otherwise.
//   /readyz    503: it cannot do now what it is there for: a probe should send clients elsewhere.
//              ?for=reads or ?for=writes asks about one of them only; without it, about all that
//              tsd.mode offers.
//
// Neither fails because tsd.forward has dropped points, set some aside or is late: this server
// serves all the same. Both name that as a warning, and how late it is.
//
// The body says of each check what is wrong, in words: lines of text, or JSON for a client that
// accepts it. Anybody may ask; only clients with the right `read` learn what the system said of an
// error, which may name files.
//
// Thread-safe; waits for nothing but for what the file system says of its free space.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store_health.h"
#include "server/http/http_message.h"

namespace hourcell {

// What of the server's room is in use. A maximum of 0 is none.
struct ServerLoad {
  int64_t queries = 0;  // running and waiting
  int64_t queries_max = 0;
  int64_t body_bytes = 0;
  int64_t body_bytes_max = 0;
};

// What tsd.forward has done and has to do.
struct ForwardState {
  int64_t dropped = 0;    // points, since its spool was made
  int64_t set_aside = 0;  // points, since the start
  int64_t unsynced = 0;   // points
  int64_t lag_s = 0;      // since the oldest point was put that is not sent
  int64_t spool_bytes = 0;
};

// A lag from which on somebody should look.
inline constexpr int64_t kForwardLagS = 600;

struct HealthCheck {
  std::string_view name;
  bool is_ok = true;
  std::string message;
  std::string detail = {};  // what the system said; empty: nothing more is known
  bool is_warning = false;  // `is_ok`, but somebody should look
};

class HealthHandler {
 public:
  struct Settings {
    std::string mode = "rw";      // tsd.mode
    int64_t disk_free_bytes = 0;  // less free space than this is a full disk; 0 = none is
  };
  // `health` says how the store is: Tsdb::Health.
  HealthHandler(std::function<StoreHealth()> health, Settings settings);

  // Called for each /readyz. Before the first request; null: the load is not checked.
  void SetLoad(std::function<ServerLoad()> load) { load_ = std::move(load); }
  // Called for each request; nothing: tsd.forward is off. Before the first request.
  void SetForward(std::function<std::optional<ForwardState>()> state) {
    forward_state_ = std::move(state);
  }
  // From now on it is not ready.
  void SetStopping() { is_stopping_ = true; }

  HttpResponse HandleHealth(const HttpRequest& request);
  // /health, as InfluxDB 2 has it: the status of /healthz. Proxmox VE asks for it.
  HttpResponse HandleInflux(const HttpRequest& request);
  HttpResponse HandleReady(const HttpRequest& request);

  // What /healthz says.
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
