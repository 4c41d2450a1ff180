// Server: OpenTSDB's line protocol and HTTP API, and the other inputs, on a Tsdb.
//
//   auto server = Server::Start(config, tsdb.get());
//   (*server)->Run();   // until Stop
//
// Owns its threads: `tsd.network.worker_threads` each for sockets (with lines and puts), for HTTP
// requests that may take long, and for large bodies; `tsd.query.concurrent` for queries; two for
// commits, one for logins. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/tsdb.h"
#include "server/config/config.h"
#include "server/net/listen_socket.h"
#include "server/net/nodes/relay_proof.h"

namespace hourcell {

// Interval of the checks for changes of the user file.
inline constexpr int64_t kLookAtUsersMs = 1000;

// The server of a process that shares its store with others: sockets, clients and keys.
struct ServerSite {
  std::vector<ListenSocket> sockets = {};  // of its listeners, in their order; empty: it binds them
  std::vector<WaitingClient> clients = {};  // already accepted on them
  // The keys by which relays prove themselves; null: relays are not accepted.
  std::shared_ptr<const RelayKeys> relay_keys = nullptr;
  // Serves relays only, at the one socket, and closes the connection after each response: a relay
  // passes on whole connections, and a later request may be for the writer.
  bool serves_relays_only = false;
};

class Server {
 public:
  // Checks the settings, and the files of users and of TLS. kInvalidArgument as in Start, which
  // checks them, too; for a caller that has not created the store yet.
  static absl::Status CheckConfig(const Config& config);

  // Binds and serves at once. Both are borrowed and outlive the server; `config` no longer changes.
  //
  // Errors:
  //   kInvalidArgument  tsd.network.bind is not an address; settings that conflict, or that open
  //                     the server to strangers (access_policy.h); unusable files of users or TLS
  //   kUnavailable      the address is in use or not of this machine
  static absl::StatusOr<std::unique_ptr<Server>> Start(const Config& config,
                                                       Tsdb* tsdb,
                                                       ServerSite site = {});

  // Calls Stop if needed.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The port of the first listener; the one the system chose if the setting is 0.
  uint16_t port() const;
  // The ports of all listeners, in the order of the settings.
  std::vector<uint16_t> ports() const;

  // The port of an input protocol; 0 = not open. REQUIRES: the table of ports has the protocol
  // (server/ports/port_table.h).
  uint16_t input_port(std::string_view protocol) const;

  // Reads the files of users and of TLS again. A damaged file leaves the old state, and is logged.
  // The user file is also checked every kLookAtUsersMs.
  void Reload();

  // Calls `works` on a thread that serves sockets, as soon as one is free; not if the process must
  // be restarted (/healthz), nor after Stop.
  void Probe(std::function<void()> works);

  // Blocks until Stop, then stops. The caller handles signals: server/monitor/signal_watch.cc
  // turns SIGTERM and SIGINT into Stop. At most one caller.
  void Run();

  // Accepts no more connections or jobs, cancels jobs where possible, answers the input already
  // read, and closes every connection, after tsd.network.drain_timeout seconds at the latest.
  // Returns when all threads have ended. Idempotent. Does not close the Tsdb.
  void Stop();

  // Ends the wait of a current or later Stop: connections are closed at once.
  void SkipDrain();

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hourcell
