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

// The length of the quoted name that `text` begins with, quotes included; 0 if it begins with none.
// Appends the name to `*name` unless that is null.
size_t TakeQuoted(std::string_view text, std::string* name);

// The name that all of `text` says: of a quoted one what is in the quotes, else `text`.
std::string Unquoted(std::string_view text);

// In a text that has names between other words, a quoted one begins where the text does, or after
// one of : { , = |. Anywhere else '"' is a character like others.

// Where the quoted name ends that begins at `at`; `at` if none does. REQUIRES: at < text.size().
size_t SkipQuoted(std::string_view text, size_t at);

// The first `c` outside of quoted names; npos without one.
size_t FindOutsideQuotes(std::string_view text, char c);

}  // namespace hourcell
