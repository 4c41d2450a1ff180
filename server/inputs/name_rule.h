// NameRule: maps names of other systems to names of the store, for metrics, tag keys and tag values
// alike.
//
//   store          names=any            names=latin1, names=utf8
//   kept           each character       a-z A-Z 0-9 - _ . / and the letters that the store accepts,
//                  but controls         as in name.h, with the characters of
//                                       tsd.core.tag.allow_specialchars, but for the blank and '='
//   other ASCII                         each becomes '_'
//   anything else  controls, and bytes  characters beyond ASCII, controls, and bytes that are not
//                  that are not UTF-8   valid UTF-8: each becomes '_', and the name ends in
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

// The number of bytes that a name may exceed its text by.
inline constexpr size_t kNameSuffixBytes = 17;

class NameRule {
 public:
  // For a store with that encoding of names; `extra_chars` as Options::extra_name_chars.
  NameRule(NameEncoding encoding, std::string_view extra_chars);

  // Writes the name for `text` to `out` and returns its end. REQUIRES: `out` has room for
  // text.size() + kNameSuffixBytes bytes. The name of an empty text is empty.
  char* Write(std::string_view text, char* out) const;

  // The same for whole tags, "host=web 01,dc=x", in the form of LinePoint::tags. Returns null, and
  // leaves `out` unspecified, if the text has bytes other than printable ASCII. REQUIRES: room for
  // text.size() + 1 bytes.
  char* WriteAsciiTags(std::string_view text, char* out) const;

  // Returns the name as a string.
  std::string Apply(std::string_view text) const;

  // True if different texts may have the same name.
  bool merges_names() const { return encoding_ != NameEncoding::kAny; }

 private:
  char* WriteUnusual(std::string_view all, std::string_view text, char* out) const;

  const NameEncoding encoding_;
  const std::string extra_chars_;
  std::array<char, 256> ascii_{};    // mapping per byte; '\0' for controls and beyond ASCII
  std::array<char, 256> in_tags_{};  // the mapping in tags
};

}  // namespace hourcell
