// Eight bytes of text processed together, as one integer whose lowest byte is the first character.
// A loop over the bytes of a word spends most of its time on mispredicted ends; these functions
// have no such branches. Pure; thread-safe.

#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace hourcell {

static_assert(std::endian::native == std::endian::little, "the first character is the lowest byte");

inline constexpr uint64_t kLowBits = 0x0101010101010101;
inline constexpr uint64_t kHighBits = 0x8080808080808080;

// REQUIRES: eight bytes can be read at `text`.
inline uint64_t LoadEight(const char* text) {
  uint64_t bytes = 0;
  std::memcpy(&bytes, text, sizeof(bytes));
  return bytes;
}

// The index of the first of eight bytes that is `a` or `b`; 8 if neither occurs. Both are ASCII.
inline int FirstOfTwo(uint64_t bytes, char a, char b) {
  // The lowest byte that is zero has its high bit set; only bytes above it may have one in error.
  const auto zeros = [](uint64_t word) { return (word - kLowBits) & ~word & kHighBits; };
  const uint64_t found = zeros(bytes ^ (kLowBits * static_cast<uint8_t>(a))) |
                         zeros(bytes ^ (kLowBits * static_cast<uint8_t>(b)));
  return std::countr_zero(found) / 8;
}

// True if all eight are digits.
inline bool AreDigits(uint64_t bytes) {
  // 6 is added to the low half of a byte: only 0 to 9 leave the high half at 3 both times.
  constexpr uint64_t kHighHalves = 0xF0F0F0F0F0F0F0F0;
  constexpr uint64_t kZeros = 0x3030303030303030;
  return (bytes & kHighHalves) == kZeros && ((bytes + 0x0606060606060606) & kHighHalves) == kZeros;
}

// The number that eight digits spell. REQUIRES: AreDigits(bytes).
inline uint32_t DigitsValue(uint64_t bytes) {
  // Joins neighbours to pairs, pairs to fours, fours to the number.
  bytes -= 0x3030303030303030;
  bytes = bytes * 10 + (bytes >> 8);
  const uint64_t low_pairs = (bytes & 0x000000FF000000FF) * 0x000F424000000064;
  const uint64_t high_pairs = ((bytes >> 16) & 0x000000FF000000FF) * 0x0000271000000001;
  return static_cast<uint32_t>((low_pairs + high_pairs) >> 32);
}

}  // namespace hourcell
