#include "server/net/nodes/relay_header.h"

#include <algorithm>

#include <boost/asio/ip/address.hpp>
#include <boost/system/error_code.hpp>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "server/net/nodes/relay_proof.h"

namespace hourcell {
namespace {

namespace ip = boost::asio::ip;

constexpr std::string_view kSignature("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr char kOfClient = 0x21;  // version and command
constexpr char kOfWatch = 0x20;
constexpr char kIpv4 = 0x11;
constexpr char kIpv6 = 0x21;
constexpr size_t kFixedBytes = 16;  // before the addresses
constexpr char kListenerType = '\xe1';
constexpr char kNonceType = '\xe2';

template <typename Bytes>
std::string_view TextOf(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void AppendValue(char type, std::string_view value, std::string* out) {
  out->push_back(type);
  AppendBigEndian(value.size(), 2, out);
  *out += value;
}

absl::Status Malformed(std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("header of a relay: {}", what));
}

// Decodes the addresses and ports at the start of `left`, and removes them.
absl::Status TakeAddresses(char family, std::string_view* left, RelayHeader* header) {
  if (family != kIpv4 && family != kIpv6) return Malformed("an unknown family of addresses");
  const size_t size = family == kIpv4 ? 4 : 16;
  if (left->size() < 2 * size + 4) return Malformed("its addresses are cut");
  if (family == kIpv4) {
    ip::address_v4::bytes_type bytes;
    std::copy_n(left->begin(), size, bytes.begin());
    header->address = ip::address_v4(bytes).to_string();
  } else {
    ip::address_v6::bytes_type bytes;
    std::copy_n(left->begin(), size, bytes.begin());
    header->address = ip::address_v6(bytes).to_string();
  }
  header->port = static_cast<uint16_t>(LoadBigEndian(left->data() + 2 * size, 2));
  left->remove_prefix(2 * size + 4);
  return absl::OkStatus();
}

// Removes one value; skips unknown types.
absl::Status TakeValue(std::string_view* left, RelayHeader* header) {
  if (left->size() < 3) return Malformed("a value is cut");
  const char type = left->front();
  const size_t size = LoadBigEndian(left->data() + 1, 2);
  if (left->size() < 3 + size) return Malformed("a value is cut");
  const std::string_view value = left->substr(3, size);
  left->remove_prefix(3 + size);
  if (type == kNonceType && value.size() != kRelayNonceBytes) {
    return Malformed(
        fmt::format("nonce: expected {} bytes, got {}", kRelayNonceBytes, value.size()));
  }
  if (type == kNonceType) header->nonce = value;
  if (type == kListenerType && value.size() != 1)
    return Malformed("expected 1 byte of the listener");
  if (type == kListenerType) header->listener = static_cast<uint8_t>(value.front());
  return absl::OkStatus();
}

}  // namespace

std::string EncodeRelayHeader(const RelayHeader& header) {
  HOURCELL_CHECK(header.nonce.size() == kRelayNonceBytes);
  boost::system::error_code error;
  const ip::address address = ip::make_address(header.address, error);
  HOURCELL_CHECK(!error);
  std::string rest;
  if (address.is_v4()) {
    rest += TextOf(address.to_v4().to_bytes());
    rest.append(4, '\0');  // the destination address is not used
  } else {
    rest += TextOf(address.to_v6().to_bytes());
    rest.append(16, '\0');
  }
  AppendBigEndian(header.port, 2, &rest);
  AppendBigEndian(0, 2, &rest);
  AppendValue(kListenerType, std::string(1, static_cast<char>(header.listener)), &rest);
  AppendValue(kNonceType, header.nonce, &rest);

  std::string bytes(kSignature);
  bytes.push_back(header.is_watch ? kOfWatch : kOfClient);
  bytes.push_back(address.is_v4() ? kIpv4 : kIpv6);
  AppendBigEndian(rest.size(), 2, &bytes);
  return bytes + rest;
}

bool MayBeRelayHeader(std::string_view bytes) {
  const size_t size = std::min(bytes.size(), kSignature.size());
  return bytes.substr(0, size) == kSignature.substr(0, size);
}

absl::StatusOr<std::optional<ParsedRelayHeader>> ParseRelayHeader(std::string_view bytes) {
  if (!MayBeRelayHeader(bytes)) return Malformed("it does not begin as one");
  if (bytes.size() < kFixedBytes) return std::nullopt;
  const bool is_watch = bytes[12] == kOfWatch;
  if (!is_watch && bytes[12] != kOfClient) return Malformed("an unknown version or command");
  const size_t size = kFixedBytes + LoadBigEndian(bytes.data() + 14, 2);
  if (size > kRelayHeaderBytesMax) {
    return Malformed(fmt::format("expected at most {} bytes, got {}", kRelayHeaderBytesMax, size));
  }
  if (bytes.size() < size) return std::nullopt;
  ParsedRelayHeader parsed{.header = {}, .bytes = size};
  parsed.header.is_watch = is_watch;
  std::string_view left = bytes.substr(kFixedBytes, size - kFixedBytes);
  absl::Status status = TakeAddresses(bytes[13], &left, &parsed.header);
  while (status.ok() && !left.empty())
    status = TakeValue(&left, &parsed.header);
  if (!status.ok()) return status;
  if (parsed.header.nonce.empty()) return Malformed("it has no nonce");
  return parsed;
}

}  // namespace hourcell
