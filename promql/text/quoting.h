// Texts in quotes, as Go writes and reads them: in queries, in their printed form and in errors.
//
// Pure functions; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hourcell::promql {

// The character at the start of a text.
struct Rune {
  static constexpr uint32_t kInvalid = 0xfffd;   // not UTF-8, or this character itself
  static constexpr uint32_t kNone = 0xffffffff;  // the text is empty
  uint32_t code = kNone;
  size_t size = 0;  // bytes; 1 if they are not UTF-8
};
Rune FirstRune(std::string_view text);

// "a\"b\n": in double quotes; other characters than printable ones as \n, \x00 or \u200b.
std::string Quoted(std::string_view text);
void AppendInQuotes(std::string_view text, std::string* out);

// 'a'. The form of errors.
std::string QuotedRune(uint32_t code);

// U+0061 'a'. The form of errors.
std::string RuneNumber(uint32_t code);

// The value of a string of a query, in ", ' or `.
// REQUIRES: the lexer accepts it: it has its quotes, and valid escapes.
std::string Unquote(std::string_view quoted);

}  // namespace hourcell::promql
