// OpenHourPoints: the points of an open hour, encoded one after the other as they came.
//
// A gauge of small integers or short decimals at a fixed step takes one byte a point, so that a
// million hours can be open at once. In memory only: the encoding may change at any time. A point
//
//   token: [time code: 2 bits][value code: 6 bits] | time | value
//
//   time code   0  the step before, in the precision before
//               1  zigzag varint of the difference in whole seconds; seconds precision
//               2  zigzag varint of the difference in milliseconds; milliseconds precision
//   value code  0  the value before
//               1  integer: zigzag varint of its difference from the integer before (0 if none)
//               2  binary64 that is a binary32: 4 bytes
//               3  binary64: 8 bytes
//               4  decimal: zigzag varint of the mantissa's difference, exponent as before
//               5  decimal: exponent, 1 byte; zigzag varint of the mantissa
//               6+ difference n - 6 (zigzagged) from the integer or the mantissa before
//
// A decimal is a binary64 that is mantissa / 10^exponent to the bit. Thread-compatible.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "codec/base/check.h"
#include "codec/cells/cell.h"
#include "codec/point.h"

namespace hourcell {

class OpenHourPoints {
 public:
  OpenHourPoints() = default;

  // REQUIRES: offset_ms is less than an hour, and whole seconds unless is_ms; a float is finite
  // or the stale marker.
  void Append(uint32_t offset_ms, bool is_ms, Value value);

  // Appends the points in the order they came, duplicates and all.
  void DecodeTo(CellColumns* out) const;

  // True if each point came after the one before: no sorting, no duplicates.
  bool ascends() const { return ascends_; }
  // The point that came last. REQUIRES: points() > 0.
  uint32_t last_offset_ms() const {
    HOURCELL_DCHECK(points_ > 0);
    return offset_ms_;
  }
  Value last_value() const {
    return kind_ == Kind::kInteger ? Value::Integer(static_cast<int64_t>(bits_))
                                   : Value::Float(std::bit_cast<double>(bits_));
  }
  uint32_t points() const { return points_; }
  size_t bytes() const { return size_; }
  // Where the next point goes, if there is room: to be prefetched.
  const uint8_t* end() const { return data_.get() + size_; }
  size_t allocated_bytes() const { return capacity_; }

 private:
  enum class Kind : uint8_t { kInteger, kDecimal, kBinary };
  class Decoder;

  void Grow();
  uint8_t* StoreFloat(double value, uint8_t time_code, uint8_t* token, uint8_t* out);
  uint8_t* StoreNewFloat(double value, uint8_t* code, uint8_t* out);
  bool TryNewDecimal(double value, int64_t* mantissa);

  std::unique_ptr<uint8_t[]> data_;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;
  uint32_t points_ = 0;
  // The state against which the next point is encoded.
  uint32_t offset_ms_ = 0;
  int32_t step_ms_ = 0;
  Kind kind_ = Kind::kInteger;
  bool is_ms_ = false;
  bool ascends_ = true;
  uint8_t exponent_ = 0;
  uint8_t binaries_ = 0;  // since a decimal was tried
  uint64_t bits_ = 0;     // of the value before
  int64_t mantissa_ = 0;  // of the decimal before
};

}  // namespace hourcell
