// ListenSocket: a listening TCP port, for which the system queues connections. It can pass from one
// owner to the next without refusing a client.
//
// Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <absl/status/statusor.h>

#include "server/net/owned_descriptor.h"

namespace hourcell {

struct ListenOptions {
  std::string bind = "127.0.0.1";  // an address or a host name
  uint16_t port = 0;               // 0 = any
  int backlog = 3072;
  bool reuse_address = true;
};

class ListenSocket {
 public:
  // kInvalidArgument: `bind` is not an address. kUnavailable: cannot listen there.
  static absl::StatusOr<ListenSocket> Open(const ListenOptions& options);

  // Takes `fd`, a listening socket.
  explicit ListenSocket(int fd) : fd_(fd) {}

  // The actual port, also if the system chose it.
  uint16_t port() const;
  bool is_ipv6() const;
  // Passes the descriptor to the caller.
  int Release() { return fd_.Release(); }

 private:
  OwnedDescriptor fd_;
};

// An accepted client, with no byte read yet, that passes to the next owner of the port.
struct WaitingClient {
  OwnedDescriptor socket;
  size_t listener = 0;  // index of the listener that accepted it
};

}  // namespace hourcell
