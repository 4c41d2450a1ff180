// Letters and digits of protocol text: ASCII only, independent of the locale. Pure.
//
// LowerCase of a string is in codec/base/strings.h.

#pragma once

#include <cstddef>
#include <string_view>

namespace hourcell {

inline char LowerCase(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// REQUIRES: `lower` does not contain capitals.
inline bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (LowerCase(text[i]) != lower[i]) return false;
  }
  return true;
}

// The value of a hex digit in either case; -1 for anything else.
inline int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = LowerCase(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace hourcell
