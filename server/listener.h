// Listener: the port, and the connections that came in by it.
//
// One connection too many, for the listener or for the quota that all listeners share, is closed at
// once and counted. So are those that wait to be accepted while there is no file descriptor left:
// the listener goes on by itself once there is one.
//
// Thread-safe. Must outlive its connections: call Stop and wait, or end the IoContext's threads.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/stats.h"
#include "server/access/access_policy.h"
#include "server/access/access_rights.h"
#include "server/config/config.h"
#include "server/connection.h"
#include "server/net/listen_socket.h"
#include "server/net/owned_descriptor.h"

namespace hourcell {

struct IoContext;

struct ListenerOptions {
  bool tcp_no_delay = true;
  bool keep_alive = true;
  size_t connections_max = 0;                   // of this listener; 0 = no limit
  AccessRights rights = AccessRights::Admin();  // of a connection without credentials
  bool is_first = true;  // of a server; the gauges of others have a tag with their port
};

// What the settings say of an address.
ListenOptions ListenOptionsOf(const Config& config, const ListenAddress& address);
ListenerOptions ListenerOptionsOf(const Config& config, AccessRights rights, bool is_first);

// The sockets of all listeners of a server, in their order. Errors: as ListenSocket::Open.
absl::StatusOr<std::vector<ListenSocket>> OpenListenSockets(const Config& config,
                                                            const AccessPolicy& access);

class Listener {
 public:
  // Accepts from now on what comes to `socket`. Pointers are borrowed and outlive the listener;
  // `stats` gets the number of open connections as a gauge.
  static std::unique_ptr<Listener> Open(ListenSocket socket,
                                        const ListenerOptions& options,
                                        IoContext* io,
                                        const ConnectionContext* context,
                                        Stats* stats);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  uint16_t port() const;

  // Serves a connection that somebody else accepted.
  void Take(OwnedDescriptor connection);

  // Accepts no more and lets every connection answer what was read; closes after `grace_ms` those
  // that are still open. Blocks until they are closed; not to be called from a thread of the
  // IoContext. Returns how many were closed so.
  size_t Stop(int64_t grace_ms);

  // Ends the grace of a Stop, under way or to come, at once.
  void Hurry();

 private:
  class Impl;
  explicit Listener(std::shared_ptr<Impl> impl);
  const std::shared_ptr<Impl> impl_;  // shared with the handlers under way
};

}  // namespace hourcell
