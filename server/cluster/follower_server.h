// FollowerServer: answers queries in a standby of a shared store. It opens the store as a follower
// (Options::follow) and runs a server that serves only this process's relay. It opens in the
// background and retries after failures.
//
// Owns its threads. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "engine/options.h"
#include "server/config/config.h"
#include "server/net/nodes/relay_proof.h"

namespace hourcell {

class FollowerServer {
 public:
  // Pause between attempts to open the store; doubles up to kPauseMaxMs.
  static constexpr int64_t kPauseMs = 100;
  static constexpr int64_t kPauseMaxMs = 30'000;

  struct Parts {
    const Config* config = nullptr;         // of the process; borrowed
    const Options* options = nullptr;       // of the process; borrowed
    std::shared_ptr<const RelayKeys> keys;  // of the relay
    // Called with the address (host:port) each time the server listens. Runs on a thread of the
    // object, never after the stop has begun.
    std::function<void(const std::string& address)> on_change;
  };

  explicit FollowerServer(Parts parts);
  // Answers pending requests within tsd.network.drain_timeout, and closes the store.
  ~FollowerServer();
  FollowerServer(const FollowerServer&) = delete;
  FollowerServer& operator=(const FollowerServer&) = delete;

  // As in Server.
  void Reload();
  void SkipDrain();

  // The process's settings without writes, and without limits per address or listener, because all
  // connections come from one address.
  static Config ConfigOf(const Config& config);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace hourcell
