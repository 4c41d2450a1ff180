// Listener: a port and the connections accepted there.
//
// A connection over the limit of the listener, or of the quota shared by all listeners, is closed
// at once and counted. Without a free file descriptor, waiting connections are also closed and
// counted; the listener accepts again once a descriptor is free.
//
// Thread-safe. Must outlive its connections: call Stop and wait, or stop the reactors.

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
#include "server/net/listen_socket.h"
#include "server/net/owned_descriptor.h"
#include "server/ports/connection.h"

namespace hourcell {

class Reactors;

struct ListenerOptions {
  bool tcp_no_delay = true;
  bool keep_alive = true;
  size_t connections_max = 0;                   // of this listener; 0 = no limit
  AccessRights rights = AccessRights::Admin();  // of a connection without credentials
  bool is_first = true;  // of the server; gauges of the others have a tag with their port
};

// The options of a listener, from the settings.
ListenOptions ListenOptionsOf(const Config& config, const ListenAddress& address);
ListenerOptions ListenerOptionsOf(const Config& config, AccessRights rights, bool is_first);

// The sockets of all listeners of a server, in their order. Errors: as ListenSocket::Open.
absl::StatusOr<std::vector<ListenSocket>> OpenListenSockets(const Config& config,
                                                            const AccessPolicy& access);

class Listener {
 public:
  // Accepts connections to `socket` from now on. Pointers are borrowed and outlive the listener;
  // `stats` gets the number of open connections as a gauge.
  static std::unique_ptr<Listener> Open(ListenSocket socket,
                                        const ListenerOptions& options,
                                        Reactors* reactors,
                                        const ConnectionContext* context,
                                        Stats* stats);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  uint16_t port() const;

  // Serves a connection that was accepted elsewhere.
  void Take(OwnedDescriptor connection);

  // Stops accepting, lets every connection answer the input already read, and closes those still
  // open after `grace_ms`. Blocks until all are closed; must not be called from a thread of the
  // reactors. Returns the number of connections closed after the grace period.
  size_t Stop(int64_t grace_ms);

  // Ends the grace period of a current or later Stop at once.
  void SkipDrain();

 private:
  class Impl;
  explicit Listener(std::shared_ptr<Impl> impl);
  const std::shared_ptr<Impl> impl_;  // shared with pending handlers
};

}  // namespace hourcell
