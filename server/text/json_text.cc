#include "server/text/json_text.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hourcell {
namespace {

constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

bool IsPlain(char c) {
  return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

bool IsContinuation(uint8_t byte) {
  return (byte & 0xC0U) == 0x80;
}

// The length of the sequence `lead` begins and the range of its second byte (Unicode, table 3-7):
// the narrower ranges keep out overlong forms, surrogates and what is above U+10FFFF.
struct Sequence {
  size_t length = 0;  // 0 = no sequence begins with this byte
  uint8_t second_min = 0x80;
  uint8_t second_max = 0xBF;
};

Sequence SequenceOf(uint8_t lead) {
  if (lead < 0x80) return {.length = 1};
  if (lead >= 0xC2 && lead <= 0xDF) return {.length = 2};
  if (lead == 0xE0) return {.length = 3, .second_min = 0xA0};
  if (lead == 0xED) return {.length = 3, .second_max = 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {.length = 3};
  if (lead == 0xF0) return {.length = 4, .second_min = 0x90};
  if (lead >= 0xF1 && lead <= 0xF3) return {.length = 4};
  if (lead == 0xF4) return {.length = 4, .second_max = 0x8F};
  return {};
}

// The length of the valid UTF-8 character at the start of `text`; 0 if there is none.
size_t ValidCharLength(std::string_view text) {
  const Sequence sequence = SequenceOf(static_cast<uint8_t>(text.front()));
  if (sequence.length == 0 || sequence.length > text.size()) return 0;
  if (sequence.length == 1) return 1;
  const auto second = static_cast<uint8_t>(text[1]);
  if (second < sequence.second_min || second > sequence.second_max) return 0;
  for (size_t i = 2; i < sequence.length; ++i) {
    if (!IsContinuation(static_cast<uint8_t>(text[i]))) return 0;
  }
  return sequence.length;
}

void AppendEscaped(char c, std::string* out) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  switch (c) {
    case '"':
      out->append("\\\"");
      return;
    case '\\':
      out->append("\\\\");
      return;
    case '\n':
      out->append("\\n");
      return;
    case '\r':
      out->append("\\r");
      return;
    case '\t':
      out->append("\\t");
      return;
    default:
      out->append("\\u00");
      out->push_back(kHexDigits[static_cast<uint8_t>(c) >> 4U]);
      out->push_back(kHexDigits[static_cast<uint8_t>(c) & 0xFU]);
  }
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  out->push_back('"');
  while (!text.empty()) {
    size_t plain = 0;
    while (plain < text.size() && IsPlain(text[plain]))
      ++plain;
    out->append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const size_t length = ValidCharLength(text);
    if (length == 1) {
      AppendEscaped(text.front(), out);
    } else {
      out->append(length == 0 ? kReplacementCharacter : text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out->push_back('"');
}

void AppendJsonPair(std::string_view key, std::string_view value, std::string* out) {
  AppendJsonString(key, out);
  out->push_back(':');
  AppendJsonString(value, out);
}

}  // namespace hourcell
