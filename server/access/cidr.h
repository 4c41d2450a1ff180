// IP addresses, and blocks of addresses: "10.0.0.0/8", "2001:db8::/32", "192.168.1.7".
//
// Pure values; thread-safe.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

// An address of either family. IPv4 is mapped into IPv6, ::ffff:a.b.c.d, so that a client has one
// address on either kind of socket.
struct IpAddress {
  std::array<uint8_t, 16> bytes = {};

  // Parses text without brackets, port or zone; nothing for any other text.
  static std::optional<IpAddress> Parse(std::string_view text);

  bool is_ipv4() const;
  bool is_loopback() const;  // 127.0.0.0/8, ::1
};

// Extracts the address from "10.0.0.1", "10.0.0.1:5000", "::1" or "[::1]:5000".
std::string_view AddressWithoutPort(std::string_view text);

class CidrBlock {
 public:
  // "address/bits", or an address alone. kInvalidArgument: an invalid address, too many bits, or
  // bits set after the prefix, usually a mistake: 10.1.2.3/8.
  static absl::StatusOr<CidrBlock> Parse(std::string_view text);

  bool Contains(const IpAddress& address) const;

  // Whether it contains every address of its family.
  bool is_everything() const { return bits_ == (base_.is_ipv4() ? 96 : 0); }
  // Whether it contains loopback addresses only.
  bool is_loopback() const;

 private:
  CidrBlock(const IpAddress& base, int bits) : base_(base), bits_(bits) {}

  IpAddress base_;
  int bits_;  // of 128
};

}  // namespace hourcell
