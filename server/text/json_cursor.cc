#include "server/text/json_cursor.h"

#include <bitset>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "codec/base/strings.h"
#include "server/text/json_scalar.h"

namespace hourcell {
namespace {

constexpr size_t kHexDigits = 4;

// -1: not a hex digit.
int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The value of the four digits at `at`; above 0xFFFF: not four digits.
uint32_t HexOf(const char* at, const char* end) {
  uint32_t code = 0;
  if (end - at < static_cast<ptrdiff_t>(kHexDigits)) return ~0U;
  for (size_t i = 0; i < kHexDigits; ++i) {
    const int digit = HexDigit(at[i]);
    if (digit < 0) return ~0U;
    code = code * 16 + static_cast<uint32_t>(digit);
  }
  return code;
}

bool IsHighSurrogate(uint32_t code) {
  return code >= 0xD800 && code <= 0xDBFF;
}
bool IsLowSurrogate(uint32_t code) {
  return code >= 0xDC00 && code <= 0xDFFF;
}

// The character of a backslash and this letter; '\0': not an escape.
char PlainEscape(char c) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const size_t at = kLetters.find(c);
  return at == std::string_view::npos ? '\0' : kMeanings[at];
}

bool EndsScalar(char c) {
  return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace

void JsonCursor::Fail() const {
  if (at_ == end_) throw JsonSyntaxFault("the end of the text within a value");
  throw JsonSyntaxFault(fmt::format("an unexpected byte at byte {}", at_ - begin_));
}

void JsonCursor::SkipBlanks() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t'))
    ++at_;
}

char JsonCursor::Peek() {
  SkipBlanks();
  return at_ == end_ ? '\0' : *at_;
}

bool JsonCursor::TakeIf(char c) {
  if (Peek() != c || at_ == end_) return false;
  ++at_;
  if (c == '}' || c == ']') --depth_;
  return true;
}

void JsonCursor::Enter(char open) {
  if (Peek() != open || at_ == end_) Fail();
  if (++depth_ > kJsonCursorDepthMax) Fail();
  ++at_;
}

std::string_view JsonCursor::Key() {
  if (Peek() != '"') Fail();
  const std::string_view key = String(&key_);
  if (!TakeIf(':')) Fail();
  return key;
}

// Whether another member or item follows, after a comma.
bool JsonCursor::Next(char close) {
  if (TakeIf(',')) return true;
  if (!TakeIf(close)) Fail();
  return false;
}

void JsonCursor::End() {
  SkipBlanks();
  if (at_ != end_) Fail();
}

// Skips the escape at the backslash `at`, and returns its end; null: not an escape.
const char* JsonCursor::SkipEscape(const char* at) const {
  if (++at == end_) return nullptr;
  if (*at != 'u') return PlainEscape(*at) == '\0' ? nullptr : at + 1;
  const uint32_t code = HexOf(++at, end_);
  if (code > 0xFFFF || IsLowSurrogate(code)) return nullptr;
  at += kHexDigits;
  if (!IsHighSurrogate(code)) return at;
  if (end_ - at < 2 || at[0] != '\\' || at[1] != 'u') return nullptr;
  return IsLowSurrogate(HexOf(at + 2, end_)) ? at + 2 + kHexDigits : nullptr;
}

std::string_view JsonCursor::RawString() {
  if (Peek() != '"') Fail();
  const char* at = at_ + 1;
  const char* const begin = at;
  while (true) {
    while (at != end_ && *at != '"' && *at != '\\' && static_cast<uint8_t>(*at) >= ' ')
      ++at;
    if (at != end_ && *at == '"') break;
    const char* const escape = at;
    at = at == end_ || *at != '\\' ? nullptr : SkipEscape(at);
    if (at == nullptr) {
      at_ = escape;
      Fail();
    }
  }
  at_ = at + 1;
  return {begin, static_cast<size_t>(at - begin)};
}

std::string_view JsonCursor::Unescaped(std::string_view raw, std::string* buffer) {
  size_t escape = raw.find('\\');
  if (escape == std::string_view::npos) return raw;
  buffer->clear();
  const char* const end = raw.data() + raw.size();
  while (escape != std::string_view::npos) {
    const char letter = raw[escape + 1];
    buffer->append(raw.substr(0, escape));
    raw.remove_prefix(escape + 2);
    if (letter != 'u') {
      buffer->push_back(PlainEscape(letter));
    } else {
      uint32_t code = HexOf(raw.data(), end);
      raw.remove_prefix(kHexDigits);
      if (IsHighSurrogate(code)) {
        code = 0x10000 + (code - 0xD800) * 0x400 + (HexOf(raw.data() + 2, end) - 0xDC00);
        raw.remove_prefix(2 + kHexDigits);
      }
      AppendUtf8(code, buffer);
    }
    escape = raw.find('\\');
  }
  buffer->append(raw);
  return *buffer;
}

std::string_view JsonCursor::Scalar() {
  SkipBlanks();
  const char* at = at_;
  while (at != end_ && !EndsScalar(*at))
    ++at;
  const std::string_view text(at_, static_cast<size_t>(at - at_));
  const bool is_word = text == "true" || text == "false" || text == "null";
  if (!is_word && !IsJsonNumber(text)) Fail();
  at_ = at;
  return text;
}

void JsonCursor::SkipScalar() {
  if (at_ == end_) Fail();
  if (*at_ == '"') {
    RawString();
  } else {
    Scalar();
  }
}

// Without recursion: a stack of bits distinguishes objects from arrays.
void JsonCursor::Skip() {
  if (const char first = Peek(); first != '{' && first != '[') return SkipScalar();
  std::bitset<kJsonCursorDepthMax + 1> is_object;
  const size_t outside = depth_;
  while (true) {
    const char first = Peek();
    if (first == '{' || first == '[') {
      Enter(first);
      is_object[depth_] = first == '{';
      if (!TakeIf(first == '{' ? '}' : ']')) {
        if (is_object[depth_]) Key();
        continue;
      }
    } else {
      SkipScalar();
    }
    while (depth_ > outside) {
      const bool in_object = is_object[depth_];
      if (!Next(in_object ? '}' : ']')) continue;
      if (in_object) Key();
      break;
    }
    if (depth_ == outside) return;
  }
}

}  // namespace hourcell
