// The head of a column, and its numbers as a stream of bits. integer_column.h and packed_cell.h
// describe the bytes. Pure; bounded on any bytes; thread-safe.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "codec/cells/integer_column.h"

namespace hourcell {

// ON DISK: do not renumber.
enum class Predictor : uint8_t {
  kLine = 0,
  kLevel = 1,
  kChord = 2,
  kDelta = 3,
  kSlope = 4,
  kCentred = 5,
  kSecondDelta = 6,
  kSmallDelta = 7,
};

// For kLevel and kChord a value is v[0] + centre + i * slope + residual; for kSecondDelta the
// previous value and the previous delta, which is first the slope; else the previous value, the
// slope and the centre.
struct ColumnHead {
  Predictor predictor = Predictor::kDelta;
  bool is_unsigned = false;  // residuals are coded without zigzag
  uint8_t model = 0;
  uint32_t shift = 0;
  uint64_t divisor = 1;
  uint64_t slope = 0;
  uint64_t centre = 0;

  // True for shift 0, divisor 1 and residuals of both signs: most numbers equal their token.
  bool is_small() const { return shift == 0 && divisor == 1 && !is_unsigned; }
};

constexpr bool HasCentre(Predictor predictor) {
  return predictor == Predictor::kLevel || predictor == Predictor::kChord ||
         predictor == Predictor::kCentred;
}

constexpr bool HasSlope(Predictor predictor) {
  return predictor == Predictor::kChord || predictor == Predictor::kSlope ||
         predictor == Predictor::kSecondDelta;
}

// The slope from the first value to the last, to the nearest integer, halves away from zero; 0 for
// one value.
uint64_t ChordOf(std::span<const uint64_t> values);

// The chord in whole divisors, so that residuals stay multiples of it.
uint64_t SlopeOf(std::span<const uint64_t> values, uint64_t divisor);

// Appends the head of a column that is not a line. REQUIRES: the slope that SlopeOf gives.
void AppendColumnHead(ColumnVersion version, const ColumnHead& head, std::string* out);

// Takes the head off the front of `*bytes`. `values` are as in TakeIntegerColumn. Returns the fault
// or nullptr.
const char* TakeColumnHead(ColumnVersion version,
                           std::string_view* bytes,
                           std::span<const uint64_t> values,
                           ColumnHead* out);

// The second version gives a delta with divisor 1, a shift up to kShortShiftMax and one of these
// models a head of one byte.
inline constexpr std::array<uint8_t, 2> kShortHeadModels = {25, 29};
inline constexpr uint32_t kShortShiftMax = 15;

inline constexpr uint32_t kEscapeWidthBits = 6;

// Appends the stream of `numbers` of a column of `values` values.
void AppendColumnStream(ColumnVersion version,
                        const ColumnHead& head,
                        size_t values,
                        std::span<const uint64_t> numbers,
                        std::string* out);

// Decodes the stream at the front of `bytes`; its arguments are those of TakeIntegerColumn. Returns
// its end, or nullptr if it is inconsistent. The first version overwrites the last value, too.
const char* DecodeColumnStream(ColumnVersion version,
                               const ColumnHead& head,
                               std::string_view bytes,
                               std::span<uint64_t> values,
                               IntegerTotals* totals);

// Adds a value to the totals.
inline void AddToTotals(uint64_t value, IntegerTotals* totals) {
  const auto number = static_cast<int64_t>(value);
  totals->min = number < totals->min ? number : totals->min;
  totals->max = number > totals->max ? number : totals->max;
  totals->sum += value;
}

}  // namespace hourcell
