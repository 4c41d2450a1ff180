// Listener: the port, and the connections that came in by it.
//
// Thread-safe. Must outlive its connections: call Stop and wait, or end the IoContext's threads.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <absl/status/statusor.h>

#include "engine/stats.h"
#include "server/access_rights.h"
#include "server/connection.h"

namespace hourcell {

struct IoContext;

struct ListenerOptions {
  std::string bind = "127.0.0.1";  // an address or a name of one
  uint16_t port = 0;               // 0 = any
  int backlog = 3072;
  bool reuse_address = true;
  bool tcp_no_delay = true;
  bool keep_alive = true;
  size_t connections_max = 0;  // 0 = no limit; one more is closed at once, and counted
  AccessRights rights = AccessRights::Admin();  // of a connection without credentials
  bool is_first = true;  // of a server; the gauges of others have a tag with their port
};

class Listener {
 public:
  // Binds and accepts from now on. Pointers are borrowed and outlive the listener; `stats` gets the
  // number of open connections as a gauge.
  // Errors: kInvalidArgument: `bind` is no address; kUnavailable: it cannot be listened on.
  static absl::StatusOr<std::unique_ptr<Listener>> Open(const ListenerOptions& options,
                                                        IoContext* io,
                                                        const ConnectionContext* context,
                                                        Stats* stats);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  uint16_t port() const;

  // Accepts no more and lets every connection answer what was read; closes after `grace_ms` those
  // that are still open. Blocks until they are closed; not to be called from a thread of the
  // IoContext.
  void Stop(int64_t grace_ms);

 private:
  class Impl;
  explicit Listener(std::shared_ptr<Impl> impl);
  const std::shared_ptr<Impl> impl_;  // shared with the handlers under way
};

}  // namespace hourcell
