#include "codec/base/json_writer.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

bool IsPlain(char c) {
  return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

constexpr size_t kWordBytes = sizeof(uint64_t);
constexpr uint64_t kOnes = 0x0101010101010101;
constexpr uint64_t kHighBits = kOnes * 0x80;

// Not 0 if a byte of `word` is below `limit`. REQUIRES: `limit` is at most 0x80.
constexpr uint64_t BytesBelow(uint64_t word, uint64_t limit) {
  return (word - kOnes * limit) & ~word & kHighBits;
}

// Whether all bytes of a word are plain.
bool IsPlainWord(uint64_t word) {
  const uint64_t not_plain =
      (word & kHighBits) | BytesBelow(word, 0x20) | BytesBelow(word ^ (kOnes * 0x7F), 1) |
      BytesBelow(word ^ (kOnes * '"'), 1) | BytesBelow(word ^ (kOnes * '\\'), 1);
  return not_plain == 0;
}

uint64_t WordAt(const char* bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, kWordBytes);
  return word;
}

// The bytes of a short text and no others; some occur several times. REQUIRES: 1 to 8 bytes.
uint64_t WordOf(std::string_view text) {
  const size_t size = text.size();
  HOURCELL_DCHECK(size >= 1 && size <= kWordBytes);
  if (size < sizeof(uint32_t)) {
    const auto at = [text](size_t i) { return uint64_t{static_cast<uint8_t>(text[i])}; };
    return kOnes * at(0) ^ (at(0) ^ at(size / 2)) << 8U ^ (at(0) ^ at(size - 1)) << 16U;
  }
  uint32_t first = 0;
  uint32_t last = 0;
  std::memcpy(&first, text.data(), sizeof first);
  std::memcpy(&last, text.data() + size - sizeof last, sizeof last);
  return first | uint64_t{last} << 32U;
}

// True for most names.
bool IsAllPlain(std::string_view text) {
  if (text.empty()) return true;
  if (text.size() <= kWordBytes) return IsPlainWord(WordOf(text));
  size_t at = 0;
  for (; text.size() - at > kWordBytes; at += kWordBytes)
    if (!IsPlainWord(WordAt(text.data() + at))) return false;
  return IsPlainWord(WordAt(text.data() + text.size() - kWordBytes));  // may overlap
}

// The number of plain characters that `text` begins with.
size_t PlainPrefix(std::string_view text) {
  size_t plain = 0;
  while (text.size() - plain >= kWordBytes && IsPlainWord(WordAt(text.data() + plain)))
    plain += kWordBytes;
  while (plain < text.size() && IsPlain(text[plain]))
    ++plain;
  return plain;
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
  constexpr size_t kShortBytes = 62;
  if (text.size() <= kShortBytes && IsAllPlain(text)) {
    char quoted[kShortBytes + 2];
    quoted[0] = '"';
    text.copy(quoted + 1, text.size());
    quoted[text.size() + 1] = '"';
    out->append(quoted, text.size() + 2);
    return;
  }
  out->push_back('"');
  while (!text.empty()) {
    const size_t plain = PlainPrefix(text);
    out->append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const size_t length = Utf8SequenceLength(text);
    if (length == 1) {
      AppendEscaped(text.front(), out);
    } else {
      out->append(length == 0 ? kReplacementCharacter : text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out->push_back('"');
}

void JsonWriter::Key(std::string_view key) {
  AppendJsonString(key, RawValue());
  out_ += ':';
  is_first_ = true;
}

std::string* JsonWriter::RawValue() {
  if (!is_first_) out_ += ',';
  is_first_ = false;
  return &out_;
}

void JsonWriter::Open(char bracket) {
  RawValue()->push_back(bracket);
  is_first_ = true;
}

void JsonWriter::Close(char bracket) {
  out_ += bracket;
  is_first_ = false;
}

void JsonWriter::AppendUnsigned(uint64_t value) {
  RawValue()->append(fmt::format_int(value).c_str());
}

void JsonWriter::AppendSigned(int64_t value) {
  RawValue()->append(fmt::format_int(value).c_str());
}

}  // namespace hourcell
