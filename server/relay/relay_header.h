// RelayHeader: what a process that passes a connection on says of its client, in front of the
// client's first byte: version 2 of the PROXY protocol of HAProxy
// (https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt), with two values of our own.
//
//   12 bytes   0D 0A 0D 0A 00 0D 0A 51 55 49 54 0A
//   2          21 = of a client, 20 = a watch (writer_watch.h); 11 = IPv4, 21 = IPv6
//   2          how many bytes follow
//   12 or 36   addresses of the client and of the port it came to, then both ports
//   3 + 1      E1, 0001, which of the listeners the client came to, from 0
//   3 + 16     E2, 0010, the sender's nonce
//
// A header proves nothing: what follows it does (relay_proof.h). E0 is not used: nodes before sent
// the secret in it.
//
// Numbers are big-endian. Pure; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

struct RelayHeader {
  std::string address;  // of the client: "192.0.2.1" or "2001:db8::1"
  uint16_t port = 0;    // of the client
  uint8_t listener = 0;
  std::string nonce = {};  // kRelayNonceBytes (relay_proof.h)
  bool is_watch = false;   // no client: its address and listener mean nothing
  friend bool operator==(const RelayHeader&, const RelayHeader&) = default;
};

// More is not read of one.
inline constexpr size_t kRelayHeaderBytesMax = 512;

// REQUIRES: `address` is one, and the nonce is of kRelayNonceBytes.
std::string EncodeRelayHeader(const RelayHeader& header);

// Whether `bytes`, the first of a connection, are the beginning of a header, or may become it.
bool MayBeRelayHeader(std::string_view bytes);

struct ParsedRelayHeader {
  RelayHeader header;
  size_t bytes = 0;  // that it took
  friend bool operator==(const ParsedRelayHeader&, const ParsedRelayHeader&) = default;
};

// Nothing: more bytes are needed. kInvalidArgument: it is no such header, or is too long.
absl::StatusOr<std::optional<ParsedRelayHeader>> ParseRelayHeader(std::string_view bytes);

}  // namespace hourcell
