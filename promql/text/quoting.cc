#include "promql/text/quoting.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"

namespace hourcell::promql {
namespace {

struct Escape {
  char letter;
  char value;
};
constexpr Escape kEscapes[] = {{'a', '\a'}, {'b', '\b'}, {'f', '\f'}, {'n', '\n'},
                               {'r', '\r'}, {'t', '\t'}, {'v', '\v'}, {'\\', '\\'}};

struct CodeRange {
  uint32_t first;
  uint32_t last;
};
// Controls, blanks but U+0020, and formats; private and unassigned planes. Go's table also has the
// unassigned characters between others, which differ by the version of Unicode.
constexpr CodeRange kNotPrintable[] = {
    {0x0, 0x1f},      {0x7f, 0xa0},     {0xad, 0xad},       {0x600, 0x605},        {0x61c, 0x61c},
    {0x6dd, 0x6dd},   {0x70f, 0x70f},   {0x1680, 0x1680},   {0x180e, 0x180e},      {0x2000, 0x200f},
    {0x2028, 0x202f}, {0x205f, 0x206f}, {0x3000, 0x3000},   {0xd800, 0xf8ff},      {0xfeff, 0xfeff},
    {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe00ff}, {0xe01f0, 0xffffffff},
};

bool IsPrintable(uint32_t code) {
  return std::ranges::none_of(kNotPrintable, [code](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

void AppendRune(uint32_t code, char quote, std::string* out) {
  const auto escape = std::ranges::find_if(
      kEscapes, [code](const Escape& e) { return code == static_cast<unsigned char>(e.value); });
  if (code == static_cast<unsigned char>(quote)) {
    *out += {'\\', quote};
  } else if (escape != std::end(kEscapes)) {
    *out += {'\\', escape->letter};
  } else if (IsPrintable(code)) {
    AppendUtf8(code, out);
  } else {
    const int digits = code < 0x80 ? 2 : (code < 0x10000 ? 4 : 8);
    const char letter = digits == 2 ? 'x' : (digits == 4 ? 'u' : 'U');
    fmt::format_to(std::back_inserter(*out), "\\{}{:0{}x}", letter, code, digits);
  }
}

// A number without a character is U+FFFD, as in Go.
uint32_t CharacterOf(uint32_t code) {
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  return code > 0x10ffff || is_surrogate ? Rune::kInvalid : code;
}

// Takes the escape after a backslash off the front of `*text`.
void UnquoteEscape(std::string_view* text, std::string* out) {
  const char letter = text->front();
  const auto escape = std::ranges::find(kEscapes, letter, &Escape::letter);
  if (escape != std::end(kEscapes) || letter == '"' || letter == '\'') {
    *out += escape != std::end(kEscapes) ? escape->value : letter;
    text->remove_prefix(1);
    return;
  }
  const bool is_octal = letter >= '0' && letter <= '7';
  const size_t digits = is_octal || letter == 'x' ? (is_octal ? 3 : 2) : (letter == 'u' ? 4 : 8);
  if (!is_octal) text->remove_prefix(1);
  HOURCELL_CHECK(text->size() >= digits);
  uint32_t code = 0;
  std::from_chars(text->data(), text->data() + digits, code, is_octal ? 8 : 16);
  text->remove_prefix(digits);
  // \377 and \xff are bytes, and \u00ff is a character.
  if (digits <= 3) {
    *out += static_cast<char>(code);
  } else {
    AppendUtf8(code, out);
  }
}

}  // namespace

Rune FirstRune(std::string_view text) {
  if (text.empty()) return {};
  const size_t size = Utf8SequenceLength(text);
  if (size == 0) return {.code = Rune::kInvalid, .size = 1};
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (size == 1) return {.code = byte(0), .size = 1};
  uint32_t code = byte(0) & (0xffU >> (size + 1));
  for (size_t i = 1; i < size; ++i)
    code = code << 6 | (byte(i) & 0x3fU);
  return {.code = code, .size = size};
}

void AppendInQuotes(std::string_view text, std::string* out) {
  *out += '"';
  while (!text.empty()) {
    const Rune rune = FirstRune(text);
    if (rune.code == Rune::kInvalid && rune.size == 1) {
      fmt::format_to(std::back_inserter(*out), "\\x{:02x}",
                     static_cast<unsigned char>(text.front()));
    } else {
      AppendRune(rune.code, '"', out);
    }
    text.remove_prefix(rune.size);
  }
  *out += '"';
}

std::string Quoted(std::string_view text) {
  std::string quoted;
  AppendInQuotes(text, &quoted);
  return quoted;
}

std::string QuotedRune(uint32_t code) {
  std::string text = "'";
  AppendRune(CharacterOf(code), '\'', &text);
  return text + "'";
}

std::string RuneNumber(uint32_t code) {
  std::string text = fmt::format("U+{:04X}", code);
  if (!IsPrintable(code)) return text;
  text += " '";
  AppendUtf8(code, &text);
  return text + "'";
}

std::string Unquote(std::string_view quoted) {
  HOURCELL_CHECK(quoted.size() >= 2 && quoted.front() == quoted.back());
  const bool is_raw = quoted.front() == '`';
  quoted = quoted.substr(1, quoted.size() - 2);
  if (is_raw) return std::string(quoted);
  std::string value;
  while (!quoted.empty()) {
    const size_t plain = std::min(quoted.find('\\'), quoted.size());
    value += quoted.substr(0, plain);
    quoted.remove_prefix(plain);
    if (quoted.empty()) break;
    quoted.remove_prefix(1);
    HOURCELL_CHECK(!quoted.empty());
    UnquoteEscape(&quoted, &value);
  }
  return value;
}

}  // namespace hourcell::promql
