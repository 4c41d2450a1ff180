#include "codec/base/bytes.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/strings.h"

namespace hourcell {
namespace {

std::string Hex(std::string_view bytes, const char* digits) {
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const char byte : bytes) {
    hex.push_back(digits[static_cast<uint8_t>(byte) >> 4]);
    hex.push_back(digits[static_cast<uint8_t>(byte) & 0xF]);
  }
  return hex;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) {
    out->push_back(static_cast<char>(value | 0x80));
  }
  out->push_back(static_cast<char>(value));
}

absl::StatusOr<uint64_t> TakeVarint(std::string_view* bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes->size() && i < 10; ++i) {
    const auto byte = static_cast<uint8_t>((*bytes)[i]);
    if (i == 9 && byte > 1) break;  // bits beyond the 64th
    value |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
    if ((byte & 0x80) == 0) {
      bytes->remove_prefix(i + 1);
      return value;
    }
  }
  return absl::DataLossError(
      fmt::format("varint: cut short or over 64 bits; got {}", ToHex(bytes->substr(0, 10))));
}

std::string ToHex(std::string_view bytes) {
  return Hex(bytes, "0123456789abcdef");
}

std::string ToUpperHex(std::string_view bytes) {
  return Hex(bytes, "0123456789ABCDEF");
}

absl::StatusOr<std::string> FromHex(std::string_view hex) {
  if (hex.size() % 2 != 0) {
    return absl::InvalidArgumentError(
        fmt::format("hex {}: odd number of digits; got {}", QuoteForMessage(hex), hex.size()));
  }
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (size_t i = 0; i < hex.size(); i += 2) {
    const int high = HexDigit(hex[i]);
    const int low = HexDigit(hex[i + 1]);
    if (high < 0 || low < 0) {
      return absl::InvalidArgumentError(
          fmt::format("hex {}: not a hex digit at {}", QuoteForMessage(hex), high < 0 ? i : i + 1));
    }
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

}  // namespace hourcell
