#include "codec/base/json_writer.h"

#include <cstddef>

#include <fmt/format.h>

#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

bool IsPlain(char c) {
  return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
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
