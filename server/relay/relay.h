// Relay: what a process does with its clients while another process writes to the store: it passes
// their connections on to that one, byte by byte, whatever they speak. A header (relay_header.h)
// tells the other who the client is, so that the client has the same rights there.
//
// A query may go to a server of this process instead, which answers it beside the writer
// (relay_choice.h).
//
// While nobody writes, a new connection waits for kPatienceMs. When the writer is lost, or another
// one writes, the connections to it end; a client that sent an HTTP request and has no byte of the
// answer is told so with 503.
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
#include "server/net/owned_descriptor.h"
#include "server/relay/relay_proof.h"

namespace hourcell {

struct RelayOptions {
  std::string own_address = {};  // of this process: no connection is passed on to itself
  std::shared_ptr<const RelayKeys> keys = nullptr;  // what the processes on the store know
  bool may_delete = false;                          // tsd.http.query.allow_delete
  ConnectionQuota::Limits quota = {};
};

// A client that has waited for a process that writes, and of which nothing was read yet.
struct WaitingClient {
  OwnedDescriptor socket;
  size_t listener = 0;  // that it came to
};

// What is left for the next owner of the ports.
struct RelayRest {
  std::vector<ListenSocket> sockets;  // they still listen, so what comes meanwhile waits
  std::vector<WaitingClient> clients;
};

class Relay {
 public:
  // How long a client waits for a process that writes.
  static constexpr int64_t kPatienceMs = 10'000;
  // How long a connection to the writer may take to be made.
  static constexpr int64_t kConnectMs = 2000;
  // How long a client may take to read the last bytes.
  static constexpr int64_t kLingerMs = 1000;
  // How long its end waits for answers of this process' own.
  static constexpr int64_t kAnswersMs = 5000;

  // Accepts from now on. The sockets are those of the listeners, in their order.
  static std::unique_ptr<Relay> Start(std::vector<ListenSocket> sockets, RelayOptions options);
  // Stops if that was not done, and waits until all connections have ended.
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // From now on, connections go to `address` (host:port); empty: it is not known who writes.
  void SetWriter(const std::string& address);

  // From now on, queries go to the server of this process at `address` (host:port), which serves
  // nobody but relays, and ends each connection after one answer; empty: to the writer.
  void SetFollower(const std::string& address);
  // How many queries went there.
  uint64_t queries() const;

  // Calls `works` on the thread that passes bytes on.
  void Probe(std::function<void()> works);

  // Those that are open now.
  size_t connections() const;

  // Accepts no more, and begins to end all connections of which anything was read, which takes
  // kLingerMs at the most, and kAnswersMs for a query that this process answers itself. Returns the
  // others, and the sockets. Once.
  RelayRest Stop();

 private:
  class Impl;
  explicit Relay(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Whether the system at `address` (host:port) says that nothing listens there. False if it is
// not known: it does not answer within 200 ms, or there is no such host.
bool NothingListensAt(const std::string& address);

}  // namespace hourcell
