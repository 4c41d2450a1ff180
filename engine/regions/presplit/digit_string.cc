#include "engine/regions/presplit/digit_string.h"

#include <algorithm>

#include "codec/base/check.h"

// Why long division by hand: split keys that equal HBase's to the byte need numbers of any length
// divided into n parts, as Java's BigInteger does it, and nothing else from BigInteger.

namespace hourcell {
namespace {

// The digit of base^i; 0 beyond the first.
uint32_t DigitAt(const DigitString& a, size_t i) {
  return i < a.width() ? a.digits[a.width() - 1 - i] : 0;
}

// A number whose digits `next(i)` gives from the last to the first, until all are given and nothing
// is carried.
template <typename Next>
DigitString Carry(uint32_t base, size_t width, const Next& next) {
  std::vector<uint8_t> reversed;
  reversed.reserve(width + 1);
  uint64_t carry = 0;
  for (size_t i = 0; i < width || carry > 0; ++i) {
    carry += next(i);
    reversed.push_back(static_cast<uint8_t>(carry % base));
    carry /= base;
  }
  return {.base = base, .digits = {reversed.rbegin(), reversed.rend()}};
}

}  // namespace

int CompareNumbers(const DigitString& a, const DigitString& b) {
  HOURCELL_DCHECK(a.base == b.base);
  for (size_t i = std::max(a.width(), b.width()); i-- > 0;) {
    const uint32_t left = DigitAt(a, i);
    const uint32_t right = DigitAt(b, i);
    if (left != right) return left < right ? -1 : 1;
  }
  return 0;
}

DigitString Sum(const DigitString& a, const DigitString& b) {
  HOURCELL_DCHECK(a.base == b.base);
  return Carry(a.base, std::max(a.width(), b.width()),
               [&](size_t i) { return uint64_t{DigitAt(a, i)} + DigitAt(b, i); });
}

DigitString Difference(const DigitString& a, const DigitString& b) {
  HOURCELL_CHECK(CompareNumbers(a, b) >= 0);
  DigitString difference{.base = a.base, .digits = {}};
  difference.digits.resize(std::max(a.width(), b.width()));
  uint32_t borrow = 0;
  for (size_t i = 0; i < difference.width(); ++i) {
    const uint32_t subtrahend = DigitAt(b, i) + borrow;
    borrow = DigitAt(a, i) < subtrahend ? 1 : 0;
    const uint32_t digit = DigitAt(a, i) + borrow * a.base - subtrahend;
    difference.digits[difference.width() - 1 - i] = static_cast<uint8_t>(digit);
  }
  return difference;
}

DigitString Successor(const DigitString& a) {
  return Sum(a, {.base = a.base, .digits = {1}});
}

DigitString Quotient(const DigitString& a, uint32_t divisor) {
  HOURCELL_CHECK(divisor > 0);
  DigitString quotient{.base = a.base, .digits = {}};
  quotient.digits.reserve(a.width());
  uint64_t rest = 0;
  for (const uint8_t digit : a.digits) {
    rest = rest * a.base + digit;
    quotient.digits.push_back(static_cast<uint8_t>(rest / divisor));
    rest %= divisor;
  }
  return quotient;
}

DigitString Product(const DigitString& a, uint32_t factor) {
  return Carry(a.base, a.width(), [&](size_t i) { return uint64_t{DigitAt(a, i)} * factor; });
}

bool IsAtLeast(const DigitString& a, uint64_t value) {
  uint64_t prefix = 0;
  for (const uint8_t digit : a.digits) {
    // Once the digits read reach the value, further digits only make the number larger.
    if (prefix >= value) return true;
    if (prefix > (UINT64_MAX - digit) / a.base) return true;
    prefix = prefix * a.base + digit;
  }
  return prefix >= value;
}

DigitString WithWidth(const DigitString& a, size_t width) {
  DigitString result{.base = a.base, .digits = {}};
  result.digits.resize(width);
  for (size_t i = 0; i < std::max(a.width(), width); ++i) {
    if (i < width) result.digits[width - 1 - i] = static_cast<uint8_t>(DigitAt(a, i));
    HOURCELL_CHECK(i < width || DigitAt(a, i) == 0);
  }
  return result;
}

}  // namespace hourcell
