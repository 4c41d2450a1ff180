// NameRule: the one rule by which names of other systems become names of the store: metrics, tag
// keys and tag values alike.
//
//   store          names=any            names=latin1, names=utf8
//   kept           each character       a-z A-Z 0-9 - _ . / and the letters that the store takes,
//                  but controls         as name.h says, with the characters of
//                                       tsd.core.tag.allow_specialchars, but for the blank and '='
//   other ASCII                         each becomes one '_'
//   anything else  controls, and bytes  characters beyond ASCII, controls, and bytes that are no
//                  that are no UTF-8    part of UTF-8: each becomes one '_', and the name ends in
//                                       '_' and 16 hex digits, a hash of the text
//
//   disk usage:%   disk usage:%         disk_usage__
//   température    température          température (a latin1 store has the letter)
//   北京           北京                 ___9aa1e75cf0257d61, in a latin1 store
//
// Immutable; thread-safe.

#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "codec/rows/layout.h"

namespace hourcell {

// Bytes by which a name may be longer than its text.
inline constexpr size_t kNameSuffixBytes = 17;

class NameRule {
 public:
  // Of a store with that encoding of names; `extra_chars` as Options::extra_name_chars.
  NameRule(NameEncoding encoding, std::string_view extra_chars);

  // Writes the name that `text` becomes to `out` and returns where it ends. REQUIRES: `out` has
  // room for text.size() + kNameSuffixBytes bytes. Empty text becomes an empty name.
  char* Write(std::string_view text, char* out) const;

  // The same for whole tags, "host=web 01,dc=x" as LinePoint::tags. Null, and `out` holds nothing,
  // if the text has other bytes than printable ASCII. REQUIRES: room for text.size() + 1 bytes.
  char* WriteAsciiTags(std::string_view text, char* out) const;

  // The same as a string.
  std::string Apply(std::string_view text) const;

  // Whether different texts may become one name.
  bool merges_names() const { return encoding_ != NameEncoding::kAny; }

 private:
  char* WriteUnusual(std::string_view all, std::string_view text, char* out) const;

  const NameEncoding encoding_;
  const std::string extra_chars_;
  std::array<char, 256> ascii_{};    // what a byte becomes; '\0' of controls, and beyond ASCII
  std::array<char, 256> in_tags_{};  // the same in tags
};

}  // namespace hourcell
