// AccessPolicy: the addresses where the server listens, and the rights of a connection before it
// logs in: those of its listener, and those of every block of the allow-list that contains its
// address.
//
//   tsd.network.bind, .port   the first listener, with tsd.network.role; without that
//                             setting: none if tsd.auth.file is set, else admin
//   tsd.network.listeners     more: "10.0.0.1:4243=write, [::1]:4244=admin"
//   tsd.auth.allow            "10.0.0.0/8=write, 192.168.1.7=read"
//   tsd.http.trusted_proxies  "127.0.0.1, 10.0.0.0/24": proxies that may name their client
//
// Immutable; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>

#include "server/access/access_rights.h"
#include "server/access/cidr.h"
#include "server/config/config.h"

namespace hourcell {

// One address where the server listens.
struct ListenAddress {
  std::string bind;  // an address or a host name, without brackets
  uint16_t port = 0;
  AccessRights rights = {};  // of a connection without credentials
  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

class AccessPolicy {
 public:
  // kInvalidArgument: an invalid setting; or one that gives all clients on other machines admin
  // while tsd.network.allow_open is not set: a listener on an address that is not loopback, or a
  // block of the allow-list that contains every address.
  static absl::StatusOr<AccessPolicy> Create(const Config& config);

  // The first is that of tsd.network.bind.
  const std::vector<ListenAddress>& listeners() const { return listeners_; }

  // The rights of a client at `address` (no port), added to those of its listener.
  AccessRights RightsAt(std::string_view address) const;

  // Whether `address` (no port) is that of a proxy whose X-Forwarded-For is trusted.
  bool IsTrustedProxy(std::string_view address) const;

 private:
  AccessPolicy() = default;

  std::vector<ListenAddress> listeners_;
  std::vector<std::pair<CidrBlock, AccessRights>> allowed_;
  std::vector<CidrBlock> proxies_;
};

// "address:port=role", an IPv6 address in brackets. kInvalidArgument: got, want.
absl::StatusOr<ListenAddress> ParseListenAddress(std::string_view text);

}  // namespace hourcell
