// Streams of bits, least significant first: the form of the columns of packed cells. Inline,
// because they are the inner loop of integer_column.cc. Pure; bounded on any bytes; one thread owns
// a writer or reader.

#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace hourcell {

static_assert(std::endian::native == std::endian::little, "bits are moved eight bytes at a time");

// Writes bits, least significant first, into a buffer that the caller knows to be large enough.
class BitWriter {
 public:
  explicit BitWriter(char* out) : out_(out) {}

  // Writes 8 bytes and advances by the whole ones. REQUIRES: bits <= 56; value < 2^bits.
  void Write(uint64_t value, uint32_t bits) {
    buffer_ |= value << used_;
    std::memcpy(out_, &buffer_, sizeof buffer_);
    used_ += bits;
    out_ += used_ / 8;
    buffer_ >>= used_ / 8 * 8;
    used_ %= 8;
  }

  // REQUIRES: bits <= 64.
  void WriteLong(uint64_t value, uint32_t bits) {
    if (bits <= 56) {
      Write(value, bits);
    } else {
      Write(value & 0xFFFFFFFFU, 32);
      Write(value >> 32, bits - 32);
    }
  }

  char* end() const { return out_ + (used_ > 0 ? 1 : 0); }

 private:
  char* out_;
  uint64_t buffer_ = 0;
  uint32_t used_ = 0;  // bits in the buffer, below 8 between calls
};

// Takes bits off the front of bytes, least significant first. Past the end it gives zeros, and End
// then returns nullptr. Everything but the rare paths is inlined, so that a loop can keep the
// fields in registers; the rare paths work on a copy for the same reason.
struct BitReader {
  const char* at = nullptr;
  const char* end = nullptr;
  uint64_t buffer = 0;
  int64_t available = 0;  // bits in the buffer; higher bits are zeros or a copy of those at `at`

  // Makes at least 56 bits available, or all that are left.
  [[gnu::always_inline]] void Refill() {
    if (end - at < 8) [[unlikely]] {
      BitReader copy = *this;
      copy.RefillNearEnd();
      *this = copy;
      return;
    }
    uint64_t next;
    std::memcpy(&next, at, sizeof next);
    buffer |= next << (static_cast<uint64_t>(available) & 63);
    at += (63 - available) >> 3;
    available |= 56;
  }

  [[gnu::always_inline]] void Skip(uint32_t bits) {
    buffer >>= bits;
    available -= bits;
  }

  // REQUIRES: bits <= 56, and a refill before.
  [[gnu::always_inline]] uint64_t Read(uint32_t bits) {
    const uint64_t value = buffer & ((uint64_t{1} << bits) - 1);
    Skip(bits);
    return value;
  }

  // Bits of any width up to 64.
  [[gnu::always_inline]] uint64_t ReadLong(uint32_t bits) {
    Refill();
    if (bits <= 56) [[likely]]
      return Read(bits);
    const uint64_t low = Read(32);
    Refill();
    return low | Read(bits - 32) << 32;
  }

  // The byte after the one with the last bit. nullptr if more bits were taken than there are, or
  // the bits left in that byte are not 0.
  const char* End() const {
    if (available < 0) return nullptr;
    const auto left = static_cast<uint32_t>(available) % 8;
    return (buffer & ((1U << left) - 1)) != 0 ? nullptr : at - available / 8;
  }

  [[gnu::noinline]] void RefillNearEnd() {
    while (available >= 0 && available <= 56 && at < end) {
      buffer |= uint64_t{static_cast<uint8_t>(*at++)} << available;
      available += 8;
    }
  }
};

}  // namespace hourcell
