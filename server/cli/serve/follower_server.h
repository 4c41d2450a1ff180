// FollowerServer: answers queries in a process that waits to write to a shared store: a store that
// follows the writer's (Options::follow), and a server of it that serves nobody but this process'
// relay. It opens in the background, again after a failure.
//
// Owns its threads. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "engine/options.h"
#include "server/config/config.h"
#include "server/relay/relay_proof.h"

namespace hourcell {

class FollowerServer {
 public:
  // Between two tries to open the store: twice as long each time, up to the second.
  static constexpr int64_t kPauseMs = 100;
  static constexpr int64_t kPauseMaxMs = 30'000;

  struct Parts {
    const Config* config = nullptr;         // of the process; borrowed
    const Options* options = nullptr;       // the same
    std::shared_ptr<const RelayKeys> keys;  // of the relay
    // Where the server listens (host:port), as soon as it does; empty: not any more. Called on a
    // thread of the object, and not after its end has begun.
    std::function<void(const std::string& address)> on_change;
  };

  explicit FollowerServer(Parts parts);
  // Answers what was asked, for tsd.network.drain_timeout at the most, and closes the store.
  ~FollowerServer();
  FollowerServer(const FollowerServer&) = delete;
  FollowerServer& operator=(const FollowerServer&) = delete;

  // As of Server.
  void Reload();
  void Hurry();

  // The settings of the server: those of the process, but it writes nothing, and all its
  // connections come from one address.
  static Config ConfigOf(const Config& config);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace hourcell
