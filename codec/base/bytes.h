// Integers as stored bytes, big-endian, so that byte order is numeric order; and hex for people.
//
// Widths are in bytes, 1 to 8 unless stated otherwise. Functions that return or append to a
// std::string allocate; the others do not.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

// The unsigned integer in bytes [0, width) of `bytes`. REQUIRES: bytes has at least `width` bytes.
inline uint64_t LoadBigEndian(const char* bytes, size_t width) {
  uint64_t value = 0;
  for (size_t i = 0; i < width; ++i) {
    value = (value << 8) | static_cast<uint8_t>(bytes[i]);
  }
  return value;
}

// Writes the low `width` bytes of `value` to out[0, width).
inline void StoreBigEndian(uint64_t value, size_t width, char* out) {
  for (size_t i = width; i-- > 0; value >>= 8) {
    out[i] = static_cast<char>(value & 0xFF);
  }
}

// Appends the low `width` bytes of `value`.
inline void AppendBigEndian(uint64_t value, size_t width, std::string* out) {
  char buffer[8];
  StoreBigEndian(value, width, buffer);
  out->append(buffer, width);
}

// The largest unsigned integer of `width` bytes; 0 for width 0.
inline constexpr uint64_t MaxUnsigned(size_t width) {
  return width == 0 ? 0 : width >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * width)) - 1;
}

// The least key greater than `key`, in the order of bytes.
inline std::string AfterKey(std::string_view key) {
  return std::string(key) + '\0';
}

// LEB128: 7 bits a byte, least significant group first, high bit = more follows.
void AppendVarint(uint64_t value, std::string* out);

// Takes a varint off the front of `*bytes`. kDataLoss if it is cut short or longer than 64 bits.
absl::StatusOr<uint64_t> TakeVarint(std::string_view* bytes);

// Lower-case hex of `bytes`, two digits a byte.
std::string ToHex(std::string_view bytes);

// Upper-case hex, as OpenTSDB prints UIDs and tsuids.
std::string ToUpperHex(std::string_view bytes);

// The bytes of hex text in either case. kInvalidArgument for an odd length or another character.
absl::StatusOr<std::string> FromHex(std::string_view hex);

}  // namespace hourcell
