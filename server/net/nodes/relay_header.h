// RelayHeader: describes a relayed client. The relay sends it before the client's first byte:
// version 2 of HAProxy's PROXY protocol
// (https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt), with two values added.
//
//   12 bytes   0D 0A 0D 0A 00 0D 0A 51 55 49 54 0A
//   2          21 = of a client, 20 = a watch (writer_watch.h); 11 = IPv4, 21 = IPv6
//   2          the number of bytes that follow
//   12 or 36   addresses of the client and of the port it came to, then both ports
//   3 + 1      E1, 0001, index of the listener that the client came to, from 0
//   3 + 16     E2, 0010, the sender's nonce
//
// A header proves nothing; the exchange after it does (relay_proof.h). E0 is not used: earlier
// nodes sent the secret in it.
//
// Numbers are big-endian. No I/O; thread-safe.

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
  bool is_watch = false;   // without a client: address and listener are unused
  friend bool operator==(const RelayHeader&, const RelayHeader&) = default;
};

// Sent on a watch by a server that stops.
inline constexpr std::string_view kLeaves = "leaves\n";

// Limit of a header's length.
inline constexpr size_t kRelayHeaderBytesMax = 512;

// REQUIRES: `address` is valid and the nonce has kRelayNonceBytes.
std::string EncodeRelayHeader(const RelayHeader& header);

// True if `bytes`, the first of a connection, begin a header, or could when more arrive.
bool MayBeRelayHeader(std::string_view bytes);

struct ParsedRelayHeader {
  RelayHeader header;
  size_t bytes = 0;  // length of the header
  friend bool operator==(const ParsedRelayHeader&, const ParsedRelayHeader&) = default;
};

// Nullopt: more bytes are needed. kInvalidArgument: not a header of this form, or too long.
absl::StatusOr<std::optional<ParsedRelayHeader>> ParseRelayHeader(std::string_view bytes);

}  // namespace hourcell
