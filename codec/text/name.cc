#include "codec/text/name.h"

#include <array>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <utf8proc.h>

#include "codec/base/bytes.h"
#include "codec/base/strings.h"
#include "codec/limits.h"

namespace hourcell {
namespace {

constexpr std::array<bool, 128> MakeAsciiTable() {
  std::array<bool, 128> legal{};
  for (size_t c = 0; c < legal.size(); ++c) {
    legal[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.' || c == '/';
  }
  return legal;
}
constexpr std::array<bool, 128> kIsLegalAscii = MakeAsciiTable();

bool IsLegalAscii(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return byte < 128 && kIsLegalAscii[byte];
}

// The character at the front of well-formed UTF-8.
struct Character {
  std::string_view bytes;
  uint32_t code_point = 0;
};

Character FirstCharacter(std::string_view utf8) {
  const auto lead = static_cast<uint8_t>(utf8.front());
  const size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  uint32_t code_point = size == 1 ? lead : lead & (0x7FU >> size);
  for (size_t i = 1; i < size; ++i) {
    code_point = code_point << 6 | (static_cast<uint8_t>(utf8[i]) & 0x3FU);
  }
  return {.bytes = utf8.substr(0, size), .code_point = code_point};
}

// Java's Character.isLetter(char): tests one UTF-16 unit, so nothing above U+FFFF.
bool IsLetter(uint32_t code_point) {
  if (code_point > 0xFFFF) return false;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return true;
    default:
      return false;
  }
}

bool IsLegal(const Character& character, std::string_view extra_chars) {
  if (character.bytes.size() == 1 && IsLegalAscii(character.bytes.front())) return true;
  if (extra_chars.find(character.bytes) != std::string_view::npos) return true;
  return character.code_point >= 128 && IsLetter(character.code_point);
}

// True for Unicode's category Cc.
bool IsControl(const Character& character) {
  return character.code_point < 0x20 ||
         (character.code_point >= 0x7F && character.code_point < 0xA0);
}

// The first character of well-formed UTF-8 that is not in ISO-8859-1; empty without one.
std::string_view FirstBeyondLatin1(std::string_view utf8) {
  // U+00FF is c3 bf: lead bytes from c4 on, and only they, begin later characters.
  for (size_t i = 0; i < utf8.size(); ++i) {
    if (static_cast<uint8_t>(utf8[i]) >= 0xC4) return FirstCharacter(utf8.substr(i)).bytes;
  }
  return {};
}

void AppendLatin1AsUtf8(std::string_view latin1, std::string* out) {
  out->reserve(out->size() + 2 * latin1.size());
  for (const char c : latin1) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte < 0x80) {
      out->push_back(c);
    } else {
      out->push_back(static_cast<char>(0xC0 | byte >> 6));
      out->push_back(static_cast<char>(0x80 | (byte & 0x3F)));
    }
  }
}

}  // namespace

std::string NameFault(std::string_view name, NameEncoding encoding, std::string_view extra_chars) {
  if (name.empty()) return "empty string";
  if (name.size() > kNameBytesMax) {
    return fmt::format("longer than {} bytes; got {}", kNameBytesMax, name.size());
  }
  size_t at = 0;
  while (at < name.size() && IsLegalAscii(name[at]))
    ++at;
  if (at == name.size()) return {};

  if (!IsUtf8(name)) return "not UTF-8";
  while (at < name.size()) {
    const Character character = FirstCharacter(name.substr(at));
    if (encoding == NameEncoding::kAny ? IsControl(character) : !IsLegal(character, extra_chars)) {
      return fmt::format("illegal character: {}", TextForMessage(character.bytes));
    }
    at += character.bytes.size();
  }
  if (encoding != NameEncoding::kLatin1) return {};
  const std::string_view beyond = FirstBeyondLatin1(name);
  if (beyond.empty()) return {};
  return fmt::format("character {} is above U+00FF; expected a store created with names=utf8",
                     beyond);
}

absl::StatusOr<std::string> EncodeName(std::string_view utf8, NameEncoding encoding) {
  if (!IsUtf8(utf8)) {
    return absl::InvalidArgumentError(fmt::format("name {}: not UTF-8", QuoteForMessage(utf8)));
  }
  if (encoding != NameEncoding::kLatin1) return std::string(utf8);
  if (const std::string_view beyond = FirstBeyondLatin1(utf8); !beyond.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "name {}: character {} is above U+00FF; expected a store created with names=utf8",
        QuoteForMessage(utf8), beyond));
  }
  std::string bytes;
  bytes.reserve(utf8.size());
  while (!utf8.empty()) {
    const Character character = FirstCharacter(utf8);
    bytes.push_back(static_cast<char>(character.code_point));
    utf8.remove_prefix(character.bytes.size());
  }
  return bytes;
}

absl::StatusOr<std::string> DecodeName(std::string_view bytes, NameEncoding encoding) {
  if (encoding == NameEncoding::kLatin1) {
    std::string utf8;
    AppendLatin1AsUtf8(bytes, &utf8);
    return utf8;
  }
  if (!IsUtf8(bytes)) {
    return absl::DataLossError(
        fmt::format("stored name {}: not UTF-8", ToHex(bytes.substr(0, 64))));
  }
  return std::string(bytes);
}

std::string_view TelnetTextToUtf8(std::string_view bytes, std::string* buffer) {
  if (IsUtf8(bytes)) return bytes;
  buffer->clear();
  AppendLatin1AsUtf8(bytes, buffer);
  return *buffer;
}

}  // namespace hourcell
