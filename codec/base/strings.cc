#include "codec/base/strings.h"

#include <charconv>
#include <cstdint>
#include <system_error>

#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include "codec/base/check.h"

namespace hourcell {
namespace {

constexpr size_t kQuotedBytesMax = 64;
constexpr size_t kUnquotedBytesMax = 256;

// True for a control character of Unicode; U+0080 to U+009F are c2 80 to c2 9f in UTF-8.
bool IsControl(std::string_view character) {
  const auto byte = static_cast<uint8_t>(character[0]);
  if (character.size() == 1) return byte < 0x20 || byte == 0x7F;
  return byte == 0xC2 && static_cast<uint8_t>(character[1]) < 0xA0;
}

// The first `bytes_max` bytes as QuoteForMessage describes, with a backslash before each character
// of `escaped`.
std::string Printable(std::string_view text, size_t bytes_max, std::string_view escaped) {
  std::string printable;
  size_t i = 0;
  while (i < text.size() && i < bytes_max) {
    const std::string_view character = text.substr(i, Utf8SequenceLength(text.substr(i)));
    if (character.empty() || IsControl(character)) {
      const size_t bytes = std::max<size_t>(character.size(), 1);
      for (const char byte : text.substr(i, bytes))
        printable += fmt::format("\\x{:02x}", static_cast<uint8_t>(byte));
      i += bytes;
      continue;
    }
    if (escaped.find(character[0]) != std::string_view::npos) printable.push_back('\\');
    printable += character;
    i += character.size();
  }
  if (i < text.size()) printable += "...";
  return printable;
}

}  // namespace

size_t Utf8SequenceLength(std::string_view bytes) {
  const auto at = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const uint8_t first = at(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (length == 0 || first > 0xF4 || bytes.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xE0 && at(1) < 0xA0) || (first == 0xF0 && at(1) < 0x90);
  const bool surrogate = first == 0xED && at(1) > 0x9F;
  const bool too_large = first == 0xF4 && at(1) > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

void AppendUtf8(uint32_t code, std::string* out) {
  HOURCELL_DCHECK(code <= 0x10FFFF);
  const auto tail = [code](uint32_t shift) {
    return static_cast<char>(0x80U | (code >> shift & 0x3FU));
  };
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out->push_back(static_cast<char>(0xC0U | code >> 6));
    out->push_back(tail(0));
  } else if (code < 0x10000) {
    out->push_back(static_cast<char>(0xE0U | code >> 12));
    out->push_back(tail(6));
    out->push_back(tail(0));
  } else {
    out->push_back(static_cast<char>(0xF0U | code >> 18));
    out->push_back(tail(12));
    out->push_back(tail(6));
    out->push_back(tail(0));
  }
}

std::string EscapeMarkup(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  absl::AsciiStrToLower(&lower);
  return lower;
}

std::optional<uint64_t> ParseUnsigned(std::string_view digits) {
  uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::string QuoteForMessage(std::string_view text) {
  return "\"" + Printable(text, kQuotedBytesMax, "\"\\") + "\"";
}

std::string TextForMessage(std::string_view text) {
  return Printable(text, kUnquotedBytesMax, "");
}

std::string NewerFormatMessage(std::string_view what, std::string_view reads) {
  return fmt::format(
      "{}: this program reads {}. A newer version of Hourcell wrote it; use that version or a "
      "later "
      "one",
      what, reads);
}

bool IsUtf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t length = Utf8SequenceLength(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

}  // namespace hourcell
