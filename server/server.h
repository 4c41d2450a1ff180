// Server: one TCP port that speaks OpenTSDB's line protocol and its HTTP API on a Tsdb.
//
//   auto server = Server::Start(config, tsdb.get());
//   (*server)->Run();   // until Stop
//
// Owns its threads: `tsd.network.worker_threads` for sockets, lines and puts, as many again for
// HTTP requests that may take long, and `tsd.query.concurrent` for queries. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/tsdb.h"
#include "server/config/config.h"
#include "server/net/listen_socket.h"
#include "server/relay/relay.h"
#include "server/relay/relay_proof.h"

namespace hourcell {

// How often it is looked whether the file of users changed.
inline constexpr int64_t kLookAtUsersMs = 1000;

// What a server is handed that has shared its store with other processes.
struct ServerSite {
  std::vector<ListenSocket> sockets = {};   // of its listeners, in their order; none: it binds them
  std::vector<WaitingClient> clients = {};  // that came to them before
  // By which it is known who may speak for clients; null: nobody may.
  std::shared_ptr<const RelayKeys> relay_keys = nullptr;
  // Nobody but they is served, at the one socket, and each answer ends its connection: a connection
  // is passed on as a whole, and what follows may be for the process that writes.
  bool serves_relays_only = false;
};

class Server {
 public:
  // Binds and serves at once. Both are borrowed and outlive the server; `config` no longer changes.
  //
  // Errors:
  //   kInvalidArgument  tsd.network.bind is no address; settings that do not go together, or that
  //                     open the server to strangers (access_policy.h); files of users or of TLS
  //                     that cannot be used
  //   kUnavailable      the address is in use or not of this machine
  static absl::StatusOr<std::unique_ptr<Server>> Start(const Config& config,
                                                       Tsdb* tsdb,
                                                       ServerSite site = {});

  // Stops if that was not done.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The port of the first listener; the one the system chose if the setting is 0.
  uint16_t port() const;
  // Of every listener, in the order of the settings.
  std::vector<uint16_t> ports() const;

  // The port of Graphite's lines; 0 = there is none.
  uint16_t graphite_port() const;
  // The port of StatsD, for datagrams; 0 = there is none.
  uint16_t statsd_port() const;

  // Reads the files of users and of TLS again. What is damaged stays as it was, and is logged. The
  // file of users is also looked at every kLookAtUsersMs.
  void Reload();

  // Calls `works` on a thread that serves sockets, as soon as one is free; not if only a new start
  // of the process helps (/healthz), nor after Stop.
  void Probe(std::function<void()> works);

  // Blocks until Stop, then stops. Signals are the caller's: server/cli/serve/signal_watch.cc turns
  // SIGTERM and SIGINT into Stop. At most one caller.
  void Run();

  // Takes no further connection or job, ends the jobs that can be ended, answers what was read, and
  // closes every connection, after tsd.network.drain_timeout seconds at the latest. Returns when
  // all threads have ended. Idempotent. Does not close the Tsdb.
  void Stop();

  // Ends the wait of a Stop, under way or to come: connections are closed at once.
  void Hurry();

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hourcell
