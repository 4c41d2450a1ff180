#include "engine/regions/md5.h"

#include <bit>
#include <cmath>
#include <cstddef>

#include "codec/base/bytes.h"

// Why MD5 is written here: HBase's encoded region names and the hash prefixes of row keys are
// MD5, and engine/regions is a library of pure functions that the simulator links alone. It is
// for names, not for secrets or checksums.

namespace hourcell {
namespace {

constexpr size_t kBlockBytes = 64;
constexpr size_t kLengthBytes = 8;

using State = std::array<uint32_t, 4>;

constexpr State kInitialState = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};

// By how much each step rotates: four amounts a round, over and over.
constexpr std::array<std::array<int, 4>, 4> kRotations = {
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

// The RFC's table T: the integer part of 2^32 |sin(i)| for i = 1 to 64.
const std::array<uint32_t, 64>& Sines() {
  static const std::array<uint32_t, 64> sines = [] {
    std::array<uint32_t, 64> table{};
    for (size_t i = 0; i < table.size(); ++i)
      table[i] = static_cast<uint32_t>(std::abs(std::sin(static_cast<double>(i + 1))) * 0x1p32);
    return table;
  }();
  return sines;
}

uint32_t LoadLittleEndian(const char* bytes) {
  uint32_t value = 0;
  for (size_t i = 4; i-- > 0;)
    value = (value << 8) | static_cast<uint8_t>(bytes[i]);
  return value;
}

// The RFC's functions F, G, H, I of the four rounds.
uint32_t Mix(size_t round, uint32_t b, uint32_t c, uint32_t d) {
  switch (round) {
    case 0:
      return (b & c) | (~b & d);
    case 1:
      return (b & d) | (c & ~d);
    case 2:
      return b ^ c ^ d;
    default:
      return c ^ (b | ~d);
  }
}

// Which word of the block a step takes.
size_t WordOf(size_t round, size_t step) {
  switch (round) {
    case 0:
      return step % 16;
    case 1:
      return (5 * step + 1) % 16;
    case 2:
      return (3 * step + 5) % 16;
    default:
      return 7 * step % 16;
  }
}

void AddBlock(const char* block, State* state) {
  std::array<uint32_t, 16> words{};
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = LoadLittleEndian(block + 4 * i);

  auto [a, b, c, d] = *state;
  for (size_t step = 0; step < 64; ++step) {
    const size_t round = step / 16;
    const uint32_t sum = a + Mix(round, b, c, d) + words[WordOf(round, step)] + Sines()[step];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kRotations[round][step % 4]);
  }
  (*state)[0] += a;
  (*state)[1] += b;
  (*state)[2] += c;
  (*state)[3] += d;
}

// The padded end: the bytes after the last whole block, one bit, zeros, the length in bits.
std::string Tail(std::string_view rest, size_t total_bytes) {
  std::string tail(rest);
  tail += '\x80';
  while (tail.size() % kBlockBytes != kBlockBytes - kLengthBytes)
    tail += '\0';
  uint64_t bits = uint64_t{total_bytes} * 8;
  for (size_t i = 0; i < kLengthBytes; ++i, bits >>= 8)
    tail += static_cast<char>(bits & 0xFF);
  return tail;
}

}  // namespace

std::array<uint8_t, 16> Md5(std::string_view bytes) {
  State state = kInitialState;
  const size_t whole = bytes.size() / kBlockBytes * kBlockBytes;
  for (size_t at = 0; at < whole; at += kBlockBytes)
    AddBlock(bytes.data() + at, &state);
  const std::string tail = Tail(bytes.substr(whole), bytes.size());
  for (size_t at = 0; at < tail.size(); at += kBlockBytes)
    AddBlock(tail.data() + at, &state);

  std::array<uint8_t, 16> digest{};
  for (size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<uint8_t>(state[i / 4] >> (8 * (i % 4)));
  return digest;
}

std::string Md5Hex(std::string_view bytes) {
  const std::array<uint8_t, 16> digest = Md5(bytes);
  return ToHex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

}  // namespace hourcell
