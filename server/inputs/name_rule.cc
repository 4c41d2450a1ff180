#include "server/inputs/name_rule.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "codec/base/strings.h"
#include "codec/point.h"
#include "codec/text/eight_bytes.h"
#include "codec/text/name.h"

namespace hourcell {
namespace {

constexpr char kReplacement = '_';

// Unrolled, because compilers do not unroll the loop.
template <size_t... kByte>
void WriteEight(const char* becomes,
                uint64_t bytes,
                char* out,
                std::index_sequence<kByte...> /*bytes*/) {
  ((out[kByte] = becomes[bytes >> (8 * kByte) & 0xFF]), ...);
}

// True if one of eight bytes is not printable ASCII.
bool HasUnusual(uint64_t bytes) {
  return (((bytes - kLowBits * 0x20) | (bytes + kLowBits) | bytes) & kHighBits) != 0;
}

// Maps bytes up to the first one mapped to '\0'. Returns the position of that byte.
const char* WriteAscii(const std::array<char, 256>& table,
                       const char* at,
                       const char* end,
                       char** out) {
  const char* const becomes = table.data();
  char* to = *out;
  for (; end - at >= ptrdiff_t{sizeof(uint64_t)}; at += sizeof(uint64_t), to += sizeof(uint64_t)) {
    const uint64_t bytes = LoadEight(at);
    if (HasUnusual(bytes)) break;
    WriteEight(becomes, bytes, to, std::make_index_sequence<sizeof bytes>());
  }
  for (; at != end; ++at, ++to) {
    *to = becomes[static_cast<uint8_t>(*at)];
    if (*to == '\0') break;
  }
  *out = to;
  return at;
}

// In OpenTSDB's lines a blank ends a word, and '=' ends a key.
bool WouldCutALine(char c) {
  return c == ' ' || c == '=';
}

// FNV-1a. STORED as a part of names.
uint64_t HashOfText(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text)
    hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3;
  return hash;
}

}  // namespace

NameRule::NameRule(NameEncoding encoding, std::string_view extra_chars)
    : encoding_(encoding), extra_chars_(extra_chars) {
  for (size_t byte = 0x20; byte < 0x7F; ++byte) {
    const char c = static_cast<char>(byte);
    const bool is_legal = NameFault(std::string_view(&c, 1), encoding_, extra_chars_).empty();
    const bool is_kept = is_legal && (encoding == NameEncoding::kAny || !WouldCutALine(c));
    ascii_[byte] = is_kept ? c : kReplacement;
  }
  in_tags_ = ascii_;
  in_tags_['='] = kTagSeparator;
  in_tags_[','] = kTagSeparator;
}

char* NameRule::Write(std::string_view text, char* out) const {
  const char* const end = text.data() + text.size();
  const char* const at = WriteAscii(ascii_, text.data(), end, &out);
  return at == end ? out : WriteUnusual(text, {at, static_cast<size_t>(end - at)}, out);
}

char* NameRule::WriteAsciiTags(std::string_view text, char* out) const {
  const char* const end = text.data() + text.size();
  *out++ = kTagSeparator;
  return WriteAscii(in_tags_, text.data(), end, &out) == end ? out : nullptr;
}

// Writes the rest of a text, from its first byte that is not printable ASCII.
char* NameRule::WriteUnusual(std::string_view all, std::string_view text, char* out) const {
  bool is_lost = false;  // a character was replaced by '_'
  while (!text.empty()) {
    const size_t length = Utf8SequenceLength(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    const char ascii = ascii_[static_cast<uint8_t>(text.front())];
    if (length == 1 && ascii != '\0') {
      *out++ = ascii;
    } else if (length > 1 && NameFault(character, encoding_, extra_chars_).empty()) {
      out = std::ranges::copy(character, out).out;
    } else {
      *out++ = kReplacement;
      is_lost = true;
    }
    text.remove_prefix(character.size());
  }
  return is_lost ? fmt::format_to(out, "_{:016x}", HashOfText(all)) : out;
}

std::string NameRule::Apply(std::string_view text) const {
  std::string name(text.size() + kNameSuffixBytes, '\0');
  const char* const end = Write(text, name.data());
  name.resize(static_cast<size_t>(end - name.data()));
  return name;
}

}  // namespace hourcell
