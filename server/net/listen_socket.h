// ListenSocket: a TCP port that the system queues connections for, whoever accepts them. It may be
// handed from one owner to the next without refusing a client.
//
// Thread-compatible.

#pragma once

#include <cstdint>
#include <string>

#include <absl/status/statusor.h>

#include "server/net/owned_descriptor.h"

namespace hourcell {

struct ListenOptions {
  std::string bind = "127.0.0.1";  // an address or a name of one
  uint16_t port = 0;               // 0 = any
  int backlog = 3072;
  bool reuse_address = true;
};

class ListenSocket {
 public:
  // Errors: kInvalidArgument: `bind` is no address; kUnavailable: it cannot be listened on.
  static absl::StatusOr<ListenSocket> Open(const ListenOptions& options);

  // Takes `fd`, which listens.
  explicit ListenSocket(int fd) : fd_(fd) {}

  // The one the system chose, if it was to choose.
  uint16_t port() const;
  bool is_ipv6() const;
  // The descriptor, which is the caller's from now on.
  int Release() { return fd_.Release(); }

 private:
  OwnedDescriptor fd_;
};

}  // namespace hourcell
