#include "codec/base/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace hourcell {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78;  // reflected

// tables[0][b] is the CRC of byte b; tables[k][b] the CRC of b and k zero bytes after it. Eight
// bytes then take eight independent look-ups (M. Kounavis, F. Berry: "A systematic approach to
// building high performance software-based CRC generators", 2005).
using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t byte = 0; byte < 256; ++byte) {
    for (size_t k = 1; k < 8; ++k) {
      const uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

// Four bytes with the first as the lowest, whatever the machine's order.
uint32_t LoadLittleEndian32(const char* bytes) {
  uint32_t value = 0;
  for (size_t i = 4; i-- > 0;)
    value = (value << 8) | static_cast<uint8_t>(bytes[i]);
  return value;
}

#if defined(__x86_64__)
// The instruction has a throughput of one word a cycle and a latency of three cycles, so three
// strands of this many bytes run in parallel. Long enough to pay for joining them, short enough for
// blocks of a few KiB.
constexpr size_t kStrandBytes = 256;

// The state after kStrandBytes more zero bytes, which is linear: by each of the four bytes of the
// state before.
using Shift = std::array<std::array<uint32_t, 256>, 4>;

constexpr Shift MakeShift() {
  std::array<uint32_t, 32> of_bit{};
  for (size_t bit = 0; bit < 32; ++bit) {
    uint32_t state = uint32_t{1} << bit;
    for (size_t i = 0; i < kStrandBytes; ++i)
      state = (state >> 8) ^ kTables[0][state & 0xFF];
    of_bit[bit] = state;
  }
  Shift shift{};
  for (size_t k = 0; k < 4; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      for (size_t bit = 0; bit < 8; ++bit)
        shift[k][byte] ^= ((byte >> bit) & 1) != 0 ? of_bit[8 * k + bit] : 0;
    }
  }
  return shift;
}

constexpr Shift kShift = MakeShift();

uint32_t ShiftByStrand(uint32_t state) {
  return kShift[0][state & 0xFF] ^ kShift[1][(state >> 8) & 0xFF] ^
         kShift[2][(state >> 16) & 0xFF] ^ kShift[3][state >> 24];
}

uint64_t LoadWord(const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

__attribute__((target("sse4.2"))) uint32_t ExtendCrc32cSse42(uint32_t crc, std::string_view bytes) {
  uint64_t state = ~crc;
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 3 * kStrandBytes; at += 3 * kStrandBytes, left -= 3 * kStrandBytes) {
    uint64_t second = 0;
    uint64_t third = 0;
    for (size_t i = 0; i < kStrandBytes; i += 8) {
      state = _mm_crc32_u64(state, LoadWord(at + i));
      second = _mm_crc32_u64(second, LoadWord(at + kStrandBytes + i));
      third = _mm_crc32_u64(third, LoadWord(at + 2 * kStrandBytes + i));
    }
    state = ShiftByStrand(static_cast<uint32_t>(state)) ^ second;
    state = ShiftByStrand(static_cast<uint32_t>(state)) ^ third;
  }
  for (; left >= 8; at += 8, left -= 8)
    state = _mm_crc32_u64(state, LoadWord(at));
  auto state32 = static_cast<uint32_t>(state);
  for (; left > 0; ++at, --left)
    state32 = _mm_crc32_u8(state32, static_cast<uint8_t>(*at));
  return ~state32;
}
#endif

using Extend = uint32_t (*)(uint32_t, std::string_view);

Extend BestExtend() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("sse4.2")) return ExtendCrc32cSse42;
#endif
  return base_internal::ExtendCrc32cPortable;
}

}  // namespace

uint32_t base_internal::ExtendCrc32cPortable(uint32_t crc, std::string_view bytes) {
  uint32_t state = ~crc;
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    const uint32_t low = state ^ LoadLittleEndian32(at);
    const uint32_t high = LoadLittleEndian32(at + 4);
    state = kTables[7][low & 0xFF] ^ kTables[6][(low >> 8) & 0xFF] ^
            kTables[5][(low >> 16) & 0xFF] ^ kTables[4][low >> 24] ^ kTables[3][high & 0xFF] ^
            kTables[2][(high >> 8) & 0xFF] ^ kTables[1][(high >> 16) & 0xFF] ^
            kTables[0][high >> 24];
  }
  for (; left > 0; ++at, --left)
    state = (state >> 8) ^ kTables[0][(state ^ static_cast<uint8_t>(*at)) & 0xFF];
  return ~state;
}

uint32_t ExtendCrc32c(uint32_t crc, std::string_view bytes) {
  static const Extend extend = BestExtend();
  return extend(crc, bytes);
}

}  // namespace hourcell
