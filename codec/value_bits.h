// Stored values <-> the 64 bits that CellColumns holds: int64 two's complement, or a binary64.
//
// The inner loop of cell.cc and value.cc, hence inline. A binary32 is widened bit by bit where it
// is NaN or infinite, because the processor's conversion would quiet a signalling NaN and the bytes
// would not come back. Pure; thread-safe.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codec/base/bytes.h"
#include "codec/qualifier.h"

namespace hourcell {

static_assert(std::endian::native == std::endian::little, "stored integers are byte-swapped");

inline uint64_t BitsOf(double value) {
  return std::bit_cast<uint64_t>(value);
}

inline uint64_t WidenFloatBits(uint32_t bits) {
  if ((bits & 0x7F800000U) != 0x7F800000U) {
    return std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(bits)));
  }
  return uint64_t{bits & 0x80000000U} << 32 | uint64_t{0x7FF} << 52 |
         uint64_t{bits & 0x007FFFFFU} << 29;
}

// REQUIRES: `bits` came from WidenFloatBits, or are a binary64 that a binary32 holds exactly.
inline uint32_t NarrowFloatBits(uint64_t bits) {
  if ((bits >> 52 & 0x7FF) != 0x7FF) {
    return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  }
  return static_cast<uint32_t>(bits >> 32 & 0x80000000U) | 0x7F800000U |
         static_cast<uint32_t>(bits >> 29 & 0x007FFFFFU);
}

// The bits of the value at `bytes`, which has the width of `flags`. REQUIRES:
// AreReadableFlags(flags & kFlagsMask).
inline uint64_t LoadValueBits(uint8_t flags, const char* bytes) {
  switch (flags & kFlagsMask) {
    case 0x0:
      return static_cast<uint64_t>(int64_t{static_cast<int8_t>(bytes[0])});
    case 0x1: {
      uint16_t stored;
      std::memcpy(&stored, bytes, sizeof stored);
      return static_cast<uint64_t>(int64_t{static_cast<int16_t>(__builtin_bswap16(stored))});
    }
    case 0x3: {
      uint32_t stored;
      std::memcpy(&stored, bytes, sizeof stored);
      return static_cast<uint64_t>(int64_t{static_cast<int32_t>(__builtin_bswap32(stored))});
    }
    case 0xB: {
      uint32_t stored;
      std::memcpy(&stored, bytes, sizeof stored);
      return WidenFloatBits(__builtin_bswap32(stored));
    }
    default: {  // 7 and f
      uint64_t stored;
      std::memcpy(&stored, bytes, sizeof stored);
      return __builtin_bswap64(stored);
    }
  }
}

// Writes the value in the width of `flags`; returns that width.
inline size_t StoreValueBits(uint64_t bits, uint8_t flags, char* out) {
  const size_t width = static_cast<size_t>(flags & kWidthMask) + 1;
  if (width == 8) {
    const uint64_t stored = __builtin_bswap64(bits);
    std::memcpy(out, &stored, sizeof stored);
  } else if ((flags & kFloatFlag) != 0) {
    const uint32_t stored = __builtin_bswap32(NarrowFloatBits(bits));
    std::memcpy(out, &stored, sizeof stored);
  } else {
    StoreBigEndian(bits, width, out);
  }
  return width;
}

}  // namespace hourcell
