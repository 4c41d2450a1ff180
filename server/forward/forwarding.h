// Forwarding (tsd.forward): sends every acknowledged put to another server, too. It has a spool
// that observes the store (engine/spool/point_spool.h) and a thread that empties it
// (forward_sender.h).
//
//   auto forwarding = Forwarding::Create(config, &options);
//   auto tsdb = Tsdb::Open(options);
//   (*forwarding)->Start(&tsdb->stats());
//   ... serve, close the store ...
//   (*forwarding)->Stop();
//
// Points left in the spool at a stop are sent after the next start with the same setting.
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
#include "server/config/config.h"
#include "server/http/http_client.h"

namespace hourcell {

// The environment variable that holds the other server's token.
inline constexpr std::string_view kForwardTokenVariable = "HOURCELL_FORWARD_TOKEN";

class Forwarding {
 public:
  // Adds an observer to the options. Returns null if tsd.forward is empty, and logs a warning if a
  // spool exists all the same. kInvalidArgument: the URL is invalid, or the spool has no directory.
  // kUnavailable: libcurl is not installed.
  static absl::StatusOr<std::unique_ptr<Forwarding>> Create(const Config& config, Options* options);
  // Calls Stop.
  ~Forwarding();
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;

  // Opens the spool and begins to send. REQUIRES: the store is open and has received no put yet.
  // `stats` is borrowed until Stop; its gauges read this object throughout. Errors: those of
  // PointSpool::Open.
  absl::Status Start(Stats* stats);

  // Waits for the current request and closes the spool. REQUIRES: the store is closed. Idempotent.
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
