#include <arpa/inet.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "server/access/access_policy.h"
#include "server/access/access_rights.h"
#include "server/access/cidr.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

// The first `bits` bits of the first `bytes` bytes are the same, bit by bit.
bool SharesBits(const uint8_t* a, const uint8_t* b, int bits) {
  for (int bit = 0; bit < bits; ++bit) {
    if (((a[bit / 8] ^ b[bit / 8]) >> (7 - bit % 8) & 1) != 0) return false;
  }
  return true;
}

// Whether a block of plain IPv4 text holds an IPv4 address, as the system reads both; nullopt if
// the text of one is invalid.
std::optional<bool> HoldsIpv4(const std::string& block, const std::string& address) {
  const size_t slash = block.find('/');
  std::array<uint8_t, 4> base = {};
  std::array<uint8_t, 4> client = {};
  if (inet_pton(AF_INET, block.substr(0, slash).c_str(), base.data()) != 1) return std::nullopt;
  if (inet_pton(AF_INET, address.c_str(), client.data()) != 1) return std::nullopt;
  const int bits = slash == std::string::npos ? 32 : std::stoi(block.substr(slash + 1));
  return SharesBits(base.data(), client.data(), bits);
}

void CheckBlock(const std::string& text, const std::string& address_text) {
  const auto block = CidrBlock::Parse(text);
  const std::optional<IpAddress> address = IpAddress::Parse(address_text);
  if (!block.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(block.status()));
    return;
  }
  // Its own base is in it, and all that is in a block of loopback is loopback.
  const std::optional<IpAddress> base = IpAddress::Parse(text.substr(0, text.find('/')));
  HOURCELL_CHECK(base.has_value() && block->Contains(*base));
  HOURCELL_CHECK(!block->is_loopback() || base->is_loopback());
  if (!address.has_value()) return;
  if (const auto holds = HoldsIpv4(text, address_text); holds.has_value()) {
    HOURCELL_CHECK(block->Contains(*address) == *holds);
  }
  if (block->is_everything() && base->is_ipv4() == address->is_ipv4()) {
    HOURCELL_CHECK(block->Contains(*address));
  }
  if (block->is_loopback() && block->Contains(*address)) HOURCELL_CHECK(address->is_loopback());
}

}  // namespace
}  // namespace hourcell

// A part as block and as address of a listener, the rest as address of a client and as role: each
// is refused, or means the same as the system's own reading of addresses.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  std::string_view input = InputText(data, size);
  const std::string block(TakePart(&input));
  const std::string rest(input);
  // The system stops at a zero byte.
  if (block.find('\0') == std::string::npos && rest.find('\0') == std::string::npos) {
    CheckBlock(block, rest);
  }
  if (const auto rights = AccessRights::Parse(rest); rights.ok()) {
    HOURCELL_CHECK(AccessRights::Parse(rights->role()).value() == *rights);
  }
  const auto listen = ParseListenAddress(block);
  if (!listen.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(listen.status()));
    return 0;
  }
  const bool is_ipv6 = listen->bind.find(':') != std::string::npos;
  const std::string again = (is_ipv6 ? "[" + listen->bind + "]" : listen->bind) + ":" +
                            std::to_string(listen->port) + "=" + std::string(listen->rights.role());
  const auto reread = ParseListenAddress(again);
  HOURCELL_CHECK(reread.ok() && *reread == *listen);
  return 0;
}
