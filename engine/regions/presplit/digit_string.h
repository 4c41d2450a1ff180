// DigitString: an unsigned number of any length as digits of a base from 2 to 256, most significant
// first. Row keys are such numbers: text of hex or decimal digits, or raw bytes (base 256). The
// part of Java's BigInteger that pre-splitting needs. Pure; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hourcell {

struct DigitString {
  uint32_t base = 256;
  std::vector<uint8_t> digits;  // with leading zeros: the width of a key matters

  size_t width() const { return digits.size(); }
};

// Negative, zero or positive as `a` is less than, equal to or greater than `b`; leading zeros do
// not count. REQUIRES: one base.
int CompareNumbers(const DigitString& a, const DigitString& b);

// a + b, a - b and a + 1, as wide as the wider number, and a digit wider if they carry.
// REQUIRES: one base; for the difference a >= b.
DigitString Sum(const DigitString& a, const DigitString& b);
DigitString Difference(const DigitString& a, const DigitString& b);
DigitString Successor(const DigitString& a);

// floor(a / divisor), as wide as `a`. REQUIRES: divisor > 0.
DigitString Quotient(const DigitString& a, uint32_t divisor);

// a * factor, as wide as needed.
DigitString Product(const DigitString& a, uint32_t factor);

// True if a >= value.
bool IsAtLeast(const DigitString& a, uint64_t value);

// The same number `width` digits wide. REQUIRES: only zeros are cut off.
DigitString WithWidth(const DigitString& a, size_t width);

}  // namespace hourcell
