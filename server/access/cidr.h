// Blocks of IP addresses: "10.0.0.0/8", "2001:db8::/32", "192.168.1.7".
//
// Pure values; thread-safe.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

// An address of either family; IPv4 as it is mapped into IPv6, ::ffff:a.b.c.d, so that a client is
// the same whichever kind of socket it came in by.
struct IpAddress {
  std::array<uint8_t, 16> bytes = {};

  // Of text without brackets, port or zone; nothing if it is no address.
  static std::optional<IpAddress> Parse(std::string_view text);

  bool is_ipv4() const;
  bool is_loopback() const;  // 127.0.0.0/8, ::1
};

class CidrBlock {
 public:
  // "address/bits", or an address alone. kInvalidArgument: no address, too many bits, or bits set
  // after the prefix, which is mostly a slip: 10.1.2.3/8.
  static absl::StatusOr<CidrBlock> Parse(std::string_view text);

  bool Contains(const IpAddress& address) const;

  // Whether every address of its family is in it.
  bool is_everything() const { return bits_ == (base_.is_ipv4() ? 96 : 0); }
  // Whether all that is in it is loopback.
  bool is_loopback() const;

 private:
  CidrBlock(const IpAddress& base, int bits) : base_(base), bits_(bits) {}

  IpAddress base_;
  int bits_;  // of all 128
};

}  // namespace hourcell
