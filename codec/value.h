// Values as stored: integers in the fewest of 1, 2, 4 or 8 bytes, two's complement; floats as IEEE
// binary32 when that is exact, else binary64. Big-endian. Pure; no allocation; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/point.h"

namespace hourcell {

// The flags (qualifier.h) `value` is stored with: minimal width; binary32 iff exact.
uint8_t ValueFlags(Value value);

// Writes the value in the width of `flags` to `out`; returns how many bytes.
// REQUIRES: flags hold the value without loss.
size_t StoreValue(Value value, uint8_t flags, char* out);
void AppendValue(Value value, uint8_t flags, std::string* out);

// The value of `bytes`. kDataLoss: flags not readable, or another number of bytes than the flags
// give.
absl::StatusOr<Value> ParseValue(uint8_t flags, std::string_view bytes);

// The historical defect: a float flagged as 4 bytes stored in 8. True if an HBase cell of one point
// with a 2-byte qualifier needs its value shortened to the last 4 bytes. kDataLoss ("corrupted
// floating point value"): such a value whose first 4 bytes are not zero.
absl::StatusOr<bool> NeedsFloatRepair(uint8_t flags, std::string_view value);

// Flags with the width bits made those of a value of `value_size` bytes. REQUIRES: 1 <= size <= 8.
uint8_t FixFlags(uint8_t flags, size_t value_size);

}  // namespace hourcell
