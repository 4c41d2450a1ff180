#include "server/inputs/name_rule.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "codec/base/strings.h"
#include "codec/text/name.h"

namespace hourcell {
namespace {

constexpr char kReplacement = '_';

// A blank ends a word of a line, and '=' a key.
bool WouldCutALine(char c) {
  return c == ' ' || c == '=';
}

}  // namespace

NameRule::NameRule(NameEncoding encoding, std::string_view extra_chars)
    : encoding_(encoding), extra_chars_(extra_chars) {
  for (size_t byte = 0; byte < 128; ++byte) {
    const char c = static_cast<char>(byte);
    const bool is_kept =
        !WouldCutALine(c) && NameFault(std::string_view(&c, 1), encoding_, extra_chars_).empty();
    ascii_[byte] = is_kept ? c : kReplacement;
  }
}

char* NameRule::Write(std::string_view text, char* out) const {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = ascii_[static_cast<uint8_t>(text[i])];
    if (c == '\0') [[unlikely]]
      return WriteUnusual(text.substr(i), out);
    *out++ = c;
  }
  return out;
}

// Of a text that begins beyond ASCII.
char* NameRule::WriteUnusual(std::string_view text, char* out) const {
  while (!text.empty()) {
    const size_t length = Utf8SequenceLength(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (length == 1) {
      *out++ = ascii_[static_cast<uint8_t>(text.front())];
    } else if (length > 1 && NameFault(character, encoding_, extra_chars_).empty()) {
      out = std::ranges::copy(character, out).out;
    } else {
      *out++ = kReplacement;
    }
    text.remove_prefix(character.size());
  }
  return out;
}

std::string NameRule::Apply(std::string_view text) const {
  std::string name(text.size(), '\0');
  const char* const end = Write(text, name.data());
  name.resize(static_cast<size_t>(end - name.data()));
  return name;
}

}  // namespace hourcell
