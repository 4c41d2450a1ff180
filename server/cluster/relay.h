// Relay: forwards client connections to the current writer of the store, byte by byte, for any
// protocol. A header (relay_header.h) names the client to the writer, so that the client has the
// same rights there.
//
// Queries may go to this process's follower server instead (relay_choice.h).
//
// While the store has no writer, a new connection waits for up to kPatienceMs. When the writer is
// lost or replaced, its connections end; a client whose HTTP request has no answer yet gets 503
// with the reason.
//
// Owns a thread. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/net/connection_quota.h"
#include "server/net/listen_socket.h"
#include "server/net/nodes/relay_proof.h"

namespace hourcell {

struct RelayOptions {
  std::string own_address = {};  // of this process, which never forwards to itself
  std::shared_ptr<const RelayKeys> keys = nullptr;  // the secrets of the store's nodes
  bool may_delete = false;                          // tsd.http.query.allow_delete
  ConnectionQuota::Limits quota = {};
};

// State for the next owner of the ports.
struct RelayRest {
  std::vector<ListenSocket> sockets;  // still listening, so that new connections queue
  std::vector<WaitingClient> clients;
};

class Relay {
 public:
  // How long a client waits for a writer.
  static constexpr int64_t kPatienceMs = 10'000;
  // Connect timeout for the writer.
  static constexpr int64_t kConnectMs = 2000;
  // How long a client may take to read the last bytes.
  static constexpr int64_t kLingerMs = 1000;
  // How long Stop waits for answers of this process's follower server.
  static constexpr int64_t kAnswersMs = 5000;

  // Starts accepting. The sockets are in the order of the listeners.
  static std::unique_ptr<Relay> Start(std::vector<ListenSocket> sockets, RelayOptions options);
  // Stops if Stop was not called, and waits until all connections have ended.
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // Forwards to `address` (host:port) from now on; empty: the writer is unknown.
  void SetWriter(const std::string& address);

  // Forwards queries to this process's follower server at `address` (host:port) from now on. It
  // serves only relays and ends each connection after one answer. Empty: queries go to the writer.
  void SetFollower(const std::string& address);
  // Number of queries forwarded to the follower server.
  uint64_t queries() const;

  // Calls `works` on the relay's thread.
  void Probe(std::function<void()> works);

  // Number of open connections.
  size_t connections() const;

  // Stops accepting, and begins to end all connections with bytes read, within kLingerMs, or
  // kAnswersMs for a query of the follower server. Returns the other clients and the sockets. Call
  // once.
  RelayRest Stop();

 private:
  class Impl;
  explicit Relay(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// True if the system at `address` (host:port) refuses connections. False if that is unknown: no
// reply within 200 ms, or an unknown host.
bool NothingListensAt(const std::string& address);

}  // namespace hourcell
