// Doubles as integers of one scale: most measurements are decimals, or means of a few integers.
// A packed cell stores the integers, and where they do not give the values, the differences. Pure;
// thread-safe.

#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/cells/cell.h"

namespace hourcell {

inline constexpr size_t kExponentMax = 18;
inline constexpr std::array<double, kExponentMax + 1> kPowersOfTen = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
inline constexpr std::array<int64_t, kExponentMax + 1> kIntegerPowersOfTen = [] {
  std::array<int64_t, kExponentMax + 1> powers{1};
  for (size_t i = 1; i < powers.size(); ++i)
    powers[i] = powers[i - 1] * 10;
  return powers;
}();
inline constexpr int64_t kDecimalEnd = int64_t{1} << 53;  // every smaller integer is a double

// How a double follows from a number. ON DISK: do not renumber.
enum class ScaleRule : uint8_t {
  kDivide = 0,           // number / divisor, correctly rounded
  kMultiply = 1,         // number times the double nearest to 1 / divisor, as `n * 0.001`
  kDivideToBinary32 = 2  // as kDivide, then rounded to binary32
};

// The divisor is factor * 10^exponent, a double without rounding.
struct DecimalScale {
  ScaleRule rule = ScaleRule::kDivide;
  uint8_t exponent = 0;  // at most kExponentMax
  uint32_t factor = 1;

  // False if the divisor is not exact, or the rule unknown.
  bool IsValid() const;
  int64_t divisor() const { return kIntegerPowersOfTen[exponent] * factor; }
  double double_divisor() const { return kPowersOfTen[exponent] * factor; }

  // The double of a number.
  double ValueOf(uint64_t number) const {
    const auto signed_number = static_cast<double>(static_cast<int64_t>(number));
    if (rule == ScaleRule::kMultiply) return signed_number * (1 / double_divisor());
    const double quotient = signed_number / double_divisor();
    return rule == ScaleRule::kDivide ? quotient : static_cast<float>(quotient);
  }
  // Sets `*number` to the one number that may give `value`; false if it does not, bit for bit.
  // Integers give the product with the divisor.
  bool NumberOf(Value value, uint64_t* number) const;

  friend bool operator==(const DecimalScale&, const DecimalScale&) = default;
};

// The numbers of a column of values.
struct ScaledColumn {
  DecimalScale scale;
  std::vector<uint64_t> numbers;
  // The positions of doubles that their numbers do not give, ascending. Their numbers are near, and
  // are neither the smallest nor the largest.
  std::vector<uint32_t> exceptions;
};

// Finds the scale with which the values of `columns` take the fewest bytes. False if the bits of
// the values take fewer. REQUIRES: at least one point.
bool ScaleColumn(const CellColumns& columns, ScaledColumn* out);

}  // namespace hourcell
