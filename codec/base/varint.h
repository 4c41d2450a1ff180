// LEB128 varints on raw pointers, for the inner loops; bytes.h has the checked ones on strings.
//
// 7 bits a byte, least significant group first, high bit = more follows. Pure; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>

namespace hourcell {

inline constexpr size_t kVarintBytesMax = 10;

// Signed integers as unsigned ones, small magnitudes first: 0, -1, 1, -2 ... -> 0, 1, 2, 3 ...
inline uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
inline int64_t UnZigZag(uint64_t value) {
  return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

// Writes `value` to `out`, which has room for kVarintBytesMax; returns the byte after it.
inline uint8_t* StoreVarint(uint64_t value, uint8_t* out) {
  while (value >= 0x80) {
    *out++ = static_cast<uint8_t>(value | 0x80);
    value >>= 7;
  }
  *out++ = static_cast<uint8_t>(value);
  return out;
}

// Reads a varint at `in`, which ends before `end`; returns the byte after it, or null if it is cut
// short or has more than 64 bits.
inline const uint8_t* LoadVarint(const uint8_t* in, const uint8_t* end, uint64_t* value) {
  uint64_t sum = 0;
  for (unsigned shift = 0; shift < 64 && in != end; shift += 7) {
    const uint8_t byte = *in++;
    if (shift == 63 && byte > 1) return nullptr;
    sum |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      *value = sum;
      return in;
    }
  }
  return nullptr;
}

}  // namespace hourcell
