#include "codec/value.h"

#include <bit>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/limits.h"
#include "codec/qualifier.h"
#include "codec/value_bits.h"

namespace hourcell {

uint8_t ValueFlags(Value value) {
  if (!value.is_integer()) {
    const double number = value.floating();
    return static_cast<double>(static_cast<float>(number)) == number ? 0xB : 0xF;
  }
  const int64_t number = value.integer();
  if (number == static_cast<int8_t>(number)) return 0;
  if (number == static_cast<int16_t>(number)) return 1;
  if (number == static_cast<int32_t>(number)) return 3;
  return 7;
}

size_t StoreValue(Value value, uint8_t flags, char* out) {
  HOURCELL_DCHECK(AreReadableFlags(flags));
  HOURCELL_DCHECK(value.is_integer() == ((flags & kFloatFlag) == 0));
  const uint64_t bits = value.is_integer() ? static_cast<uint64_t>(value.integer())
                                           : std::bit_cast<uint64_t>(value.floating());
  return StoreValueBits(bits, flags, out);
}

void AppendValue(Value value, uint8_t flags, std::string* out) {
  char buffer[kValueBytesMax];
  out->append(buffer, StoreValue(value, flags, buffer));
}

absl::StatusOr<Value> ParseValue(uint8_t flags, std::string_view bytes) {
  const size_t want = static_cast<size_t>(flags & kWidthMask) + 1;
  if (!AreReadableFlags(flags) || bytes.size() != want) {
    return absl::DataLossError(
        fmt::format("value {}: {} bytes with flags {:x}; expected integers of 1, 2, 4 or 8 bytes, "
                    "floats of 4 or 8, as the flags say",
                    ToHex(bytes.substr(0, 16)), bytes.size(), flags));
  }
  const uint64_t bits = LoadValueBits(flags, bytes.data());
  return (flags & kFloatFlag) != 0 ? Value::Float(std::bit_cast<double>(bits))
                                   : Value::Integer(static_cast<int64_t>(bits));
}

absl::StatusOr<bool> NeedsFloatRepair(uint8_t flags, std::string_view value) {
  if (flags != (kFloatFlag | 3) || value.size() != 8) return false;
  if (LoadBigEndian(value.data(), 4) != 0) {
    return absl::DataLossError(fmt::format(
        "corrupted floating point value: {} flagged as 4 bytes; expected the first 4 bytes zero",
        ToHex(value)));
  }
  return true;
}

uint8_t FixFlags(uint8_t flags, size_t value_size) {
  HOURCELL_CHECK(value_size >= 1 && value_size <= kValueBytesMax);
  return static_cast<uint8_t>((flags & kFloatFlag) | (value_size - 1));
}

}  // namespace hourcell
