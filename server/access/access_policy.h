// AccessPolicy: where the server listens, and what a connection may do there before it says who it
// is: what its listener gives, and what every block of the allow-list that holds its address gives.
//
//   tsd.network.bind, .port   the first listener, with tsd.network.role; without that
//                             setting: none if tsd.auth.file is set, else admin
//   tsd.network.listeners     more: "10.0.0.1:4243=write, [::1]:4244=admin"
//   tsd.auth.allow            "10.0.0.0/8=write, 192.168.1.7=read"
//   tsd.http.trusted_proxies  "127.0.0.1, 10.0.0.0/24": who may say whose request it is
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

// One address that is listened on.
struct ListenAddress {
  std::string bind;  // an address or a name of one, without brackets
  uint16_t port = 0;
  AccessRights rights = {};  // of a connection without credentials
  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

class AccessPolicy {
 public:
  // kInvalidArgument: a setting that cannot be read; or one that lets anybody in as admin from
  // other machines while tsd.network.allow_open is not set: a listener on an address that is not
  // loopback, or a block of the allow-list that holds every address.
  static absl::StatusOr<AccessPolicy> Create(const Config& config);

  // The first is that of tsd.network.bind.
  const std::vector<ListenAddress>& listeners() const { return listeners_; }

  // What a client at `address` (no port) may do by its address, besides what its listener gives.
  AccessRights RightsAt(std::string_view address) const;

  // Whether `address` (no port) is that of a proxy whose X-Forwarded-For is believed.
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
