// Names in double quotes, where a line of points or a sub query needs them:
//
//   "disk usage"    a name with a blank
//   "a\"b\\c"       '"' and '\' have a '\' in front of them; no other character has
//
// Pure functions; thread-safe.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hourcell {

void AppendQuoted(std::string_view name, std::string* out);

// The length of the quoted name at the beginning of `text`, quotes included; 0 without one. Appends
// the name to `*name` unless that is null.
size_t TakeQuoted(std::string_view text, std::string* name);

// The name in `text`: without its quotes and escapes if all of `text` is quoted, else `text`.
std::string Unquoted(std::string_view text);

// In a text with names between other words, a quoted name begins at the start of the text or after
// one of : { , = |. Anywhere else '"' is an ordinary character.

// The end of the quoted name at `at`; `at` without one. REQUIRES: at < text.size().
size_t SkipQuoted(std::string_view text, size_t at);

// The first `c` outside quoted names; npos without one.
size_t FindOutsideQuotes(std::string_view text, char c);

}  // namespace hourcell
