// NameRule: the one rule by which names of other systems become names of OpenTSDB: metrics, tag
// keys and tag values alike.
//
//   kept       a-z A-Z 0-9 - _ . / and the letters that the store takes, as name.h says, with the
//              characters of tsd.core.tag.allow_specialchars, but for the blank and '='
//   other      each other character becomes one '_', and so does each byte that is no part of UTF-8
//
//   disk usage:%      disk_usage__
//   température       température (a latin1 store has the letter)
//
// Two names may become one: "a b" and "a_b". Immutable; thread-safe.

#pragma once

#include <array>
#include <string>
#include <string_view>

#include "codec/rows/layout.h"

namespace hourcell {

class NameRule {
 public:
  // Of a store with that encoding of names; `extra_chars` as Options::extra_name_chars.
  NameRule(NameEncoding encoding, std::string_view extra_chars);

  // Writes the name that `text` becomes to `out` and returns where it ends. REQUIRES: `out` has
  // room for text.size() bytes; a name is never longer than its text. Empty text becomes an empty
  // name.
  char* Write(std::string_view text, char* out) const;

  // The same for whole tags, "host=web 01,dc=x" as "host=web_01 dc=x": each '=' is kept, each comma
  // becomes a blank. Null, and `out` holds nothing, if the text has a byte beyond ASCII.
  char* WriteAsciiTags(std::string_view text, char* out) const;

  // The same as a string.
  std::string Apply(std::string_view text) const;

 private:
  char* WriteUnusual(std::string_view text, char* out) const;

  const NameEncoding encoding_;
  const std::string extra_chars_;
  std::array<char, 256> ascii_{};    // what a byte becomes; '\0' beyond ASCII
  std::array<char, 256> in_tags_{};  // the same in tags
};

}  // namespace hourcell
