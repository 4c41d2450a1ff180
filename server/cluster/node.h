// Node: one process of a store that several processes share. One node is the writer. A standby
// forwards its clients' connections to the writer (relay.h), answers queries from its own follower
// (follower_server.h), and becomes the writer when that one has ended. A writer that is replaced
// after a pause or a network failure answers its clients with errors and becomes a standby again.

#pragma once

#include <functional>
#include <string>
#include <utility>

#include <absl/status/status.h>

#include "engine/options.h"
#include "server/config/config.h"
#include "server/monitor/signal_watch.h"

namespace hourcell {

class Node {
 public:
  // Borrowed; must outlive the node.
  struct Parts {
    const Config* config = nullptr;
    const Options* options = nullptr;  // with a storage engine
    SignalWatch* signals = nullptr;
    // Called once, when the process listens, with the port of the first listener.
    std::function<void(int port)> on_listening;
  };

  explicit Node(Parts parts) : parts_(std::move(parts)) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Serves as a standby and as the writer, in turns, until a signal to stop: then OK. Errors: those
  // of Server::Start and Tsdb::Open, unless a later attempt may succeed.
  absl::Status Run();

 private:
  const Parts parts_;
};

// The address under which other nodes reach this one: tsd.network.advertise; else the address of
// the first listener, or the host name if that is a wildcard. `port`: of the first listener.
std::string AdvertisedAddress(const Config& config, int port);

}  // namespace hourcell
