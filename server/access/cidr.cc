#include "server/access/cidr.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <system_error>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr int kAddressBits = 128;
constexpr int kMappedBits = 96;  // of ::ffff:0:0/96
constexpr std::array<uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

absl::Status BadBlock(std::string_view text, std::string_view why) {
  return absl::InvalidArgumentError(fmt::format(
      "address block: {}; expected one such as 10.0.0.0/8, got {}", why, QuoteForMessage(text)));
}

// Whether the first `bits` bits of both are the same.
bool SharesPrefix(const IpAddress& a, const IpAddress& b, int bits) {
  const auto whole = static_cast<size_t>(bits / 8);
  if (!std::equal(a.bytes.begin(), a.bytes.begin() + whole, b.bytes.begin())) return false;
  if (bits % 8 == 0) return true;
  return ((a.bytes[whole] ^ b.bytes[whole]) >> (8 - bits % 8)) == 0;
}

bool HasBitsAfter(const IpAddress& address, int bits) {
  for (int bit = bits; bit < kAddressBits; ++bit) {
    if ((address.bytes[static_cast<size_t>(bit / 8)] >> (7 - bit % 8) & 1) != 0) return true;
  }
  return false;
}

}  // namespace

std::string_view AddressWithoutPort(std::string_view text) {
  if (text.starts_with('[')) return text.substr(1, std::min(text.find(']'), text.size()) - 1);
  const size_t colon = text.find(':');
  return colon == text.rfind(':') ? text.substr(0, colon) : text;
}

std::optional<IpAddress> IpAddress::Parse(std::string_view text) {
  if (text.size() >= INET6_ADDRSTRLEN) return std::nullopt;
  const std::string terminated(text);
  if (terminated.find('\0') != std::string::npos) return std::nullopt;
  IpAddress address;
  if (inet_pton(AF_INET6, terminated.c_str(), address.bytes.data()) == 1) return address;
  std::ranges::copy(kMappedPrefix, address.bytes.begin());
  if (inet_pton(AF_INET, terminated.c_str(), address.bytes.data() + kMappedPrefix.size()) == 1) {
    return address;
  }
  return std::nullopt;
}

bool IpAddress::is_ipv4() const {
  return std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), bytes.begin());
}

bool IpAddress::is_loopback() const {
  if (is_ipv4()) return bytes[kMappedPrefix.size()] == 127;
  IpAddress loopback;
  loopback.bytes.back() = 1;
  return bytes == loopback.bytes;
}

absl::StatusOr<CidrBlock> CidrBlock::Parse(std::string_view text) {
  const size_t slash = text.find('/');
  const std::optional<IpAddress> base = IpAddress::Parse(text.substr(0, slash));
  if (!base.has_value()) return BadBlock(text, "no address");
  // The number of bits of the written address family.
  const int family_bits =
      text.find(':') == std::string_view::npos ? kAddressBits - kMappedBits : kAddressBits;
  int bits = family_bits;
  if (slash != std::string_view::npos) {
    const std::string_view digits = text.substr(slash + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (error != std::errc() || end != digits.data() + digits.size() || bits < 0 ||
        bits > family_bits) {
      return BadBlock(text, "bad number of bits");
    }
  }
  bits += kAddressBits - family_bits;
  if (HasBitsAfter(*base, bits)) return BadBlock(text, "bits are set after the prefix");
  return CidrBlock(*base, bits);
}

bool CidrBlock::Contains(const IpAddress& address) const {
  return SharesPrefix(base_, address, bits_);
}

bool CidrBlock::is_loopback() const {
  constexpr int kLoopbackBits = kMappedBits + 8;
  if (!base_.is_loopback()) return false;
  return base_.is_ipv4() ? bits_ >= kLoopbackBits : bits_ == kAddressBits;
}

}  // namespace hourcell
