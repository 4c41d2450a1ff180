// Forwarding: tsd.forward, by which every acknowledged put goes on to another server, too. A spool
// that observes the store (engine/spool/point_spool.h), and a thread that empties it
// (forward_sender.h).
//
//   auto forwarding = Forwarding::Create(config, &options);
//   auto tsdb = Tsdb::Open(options);
//   (*forwarding)->Start(&tsdb->stats());
//   ... serve, close the store ...
//   (*forwarding)->Stop();
//
// What the spool has when the server stops is sent when it is started again with the same setting.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/base/named_thread.h"
#include "engine/options.h"
#include "engine/spool/point_spool.h"
#include "engine/stats.h"
#include "server/cli/http_client.h"
#include "server/config/config.h"

namespace hourcell {

// The environment variable with the token of the other server.
inline constexpr std::string_view kForwardTokenVariable = "HOURCELL_FORWARD_TOKEN";

class Forwarding {
 public:
  // Adds an observer to the options. Null: tsd.forward is empty; if there is a spool all the same,
  // the log says so. kInvalidArgument: no URL, or no directory for the spool. kUnavailable: libcurl
  // is not installed.
  static absl::StatusOr<std::unique_ptr<Forwarding>> Create(const Config& config, Options* options);
  // Stops.
  ~Forwarding();
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;

  // Opens the spool and begins to send. After the store is open, and before its first put. `stats`
  // are borrowed until Stop, and their gauges read this object as long as they live. Errors: those
  // of PointSpool::Open.
  absl::Status Start(Stats* stats);

  // Waits for the request under way, and closes the spool. After the store is closed. Idempotent.
  absl::Status Stop();

 private:
  Forwarding(HttpUrl url, SpoolSettings settings);
  void Send(Stats* stats);

  const HttpUrl url_;
  const std::string directory_;
  PointSpool spool_;
  Mutex mutex_;
  CondVar stopped_;
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  NamedThread thread_;
};

}  // namespace hourcell
