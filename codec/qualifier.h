// Qualifiers: the offset of a point in its row, and the type and width of its value.
//
//   seconds, 2 bytes       [offset in s: 12 bits][flags: 4]           0000 .. e0fF
//   milliseconds, 4 bytes  [1111][offset in ms: 22][00][flags: 4]     f0000000 .. fdbb9fcF
//   flags                  8 = floating point; low three bits = bytes of value - 1
//
// Big-endian. A qualifier is recognised by its high nibble once its HBase cell is known to be one
// of points; HBase cells are classified by length first (hbase_cells.h). Pure; no allocation;
// thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

inline constexpr uint8_t kFloatFlag = 0x8;
inline constexpr uint8_t kWidthMask = 0x7;
inline constexpr uint8_t kFlagsMask = 0xF;

struct Qualifier {
  uint32_t offset_ms = 0;  // in [0, 3,600,000); a multiple of 1000 if !is_ms
  bool is_ms = false;
  uint8_t flags = 0;  // 4 bits

  size_t encoded_size() const { return is_ms ? 4 : 2; }
  bool is_float() const { return (flags & kFloatFlag) != 0; }
  size_t value_size() const { return static_cast<size_t>(flags & kWidthMask) + 1; }

  friend bool operator==(const Qualifier&, const Qualifier&) = default;
};

// True if a point qualifier that begins with this byte has 4 bytes.
inline bool IsMsQualifier(char first_byte) {
  return (static_cast<uint8_t>(first_byte) & 0xF0) == 0xF0;
}

// Writes the 2 or 4 bytes of `qualifier` to `out`; returns how many. REQUIRES: its invariants.
size_t StoreQualifier(const Qualifier& qualifier, char* out);
void AppendQualifier(const Qualifier& qualifier, std::string* out);

// The qualifier at the front of `bytes`; later bytes and reserved bits are ignored. kDataLoss:
// fewer bytes than the first one requires, offset of an hour or more.
absl::StatusOr<Qualifier> ParseQualifier(std::string_view bytes);

// True if a value can have these flags: integers of 1, 2, 4 or 8 bytes, floats of 4 or 8.
bool AreReadableFlags(uint8_t flags);

}  // namespace hourcell
