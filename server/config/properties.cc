#include "server/config/properties.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "codec/base/strings.h"
#include "server/text/ascii.h"

namespace hourcell {
namespace {

bool IsPropertyBlank(char c) {
  return c == ' ' || c == '\t' || c == '\f';
}

std::string_view SkipBlanks(std::string_view text) {
  while (!text.empty() && IsPropertyBlank(text.front()))
    text.remove_prefix(1);
  return text;
}

bool EndsInContinuation(std::string_view line) {
  size_t backslashes = 0;
  while (backslashes < line.size() && line[line.size() - 1 - backslashes] == '\\')
    ++backslashes;
  return backslashes % 2 == 1;
}

// The code unit of the four hex digits at the start of `text`; -1 without them.
int HexUnit(std::string_view text) {
  if (text.size() < 4) return -1;
  int unit = 0;
  for (size_t i = 0; i < 4; ++i) {
    const int digit = HexDigit(text[i]);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

// Removes the escape after a backslash from the start of `*text`, and appends its character.
void TakeEscape(std::string_view* text, std::string* out) {
  if (text->empty()) return;
  const char c = text->front();
  text->remove_prefix(1);
  if (c == 'u') {
    if (const int unit = HexUnit(*text); unit >= 0) {
      // Halves of surrogate pairs are encoded separately: files have characters outside the basic
      // plane as UTF-8, not with \u.
      AppendUtf8(static_cast<uint32_t>(unit), out);
      text->remove_prefix(4);
      return;
    }
  }
  constexpr std::string_view kNames = "tnrf";
  constexpr std::string_view kMeanings = "\t\n\r\f";
  const size_t index = kNames.find(c);
  out->push_back(index == std::string_view::npos ? c : kMeanings[index]);
}

std::string TakeKey(std::string_view* line) {
  std::string key;
  while (!line->empty()) {
    const char c = line->front();
    if (c == '=' || c == ':' || IsPropertyBlank(c)) break;
    line->remove_prefix(1);
    if (c == '\\') {
      TakeEscape(line, &key);
    } else {
      key.push_back(c);
    }
  }
  *line = SkipBlanks(*line);
  if (!line->empty() && (line->front() == '=' || line->front() == ':')) {
    *line = SkipBlanks(line->substr(1));
  }
  return key;
}

std::string Unescape(std::string_view text) {
  std::string value;
  size_t kept = 0;  // blanks before this position are escaped, and stay
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c == '\\') {
      TakeEscape(&text, &value);
      kept = value.size();
    } else {
      value.push_back(c);
    }
  }
  while (value.size() > kept && IsPropertyBlank(value.back()))
    value.pop_back();
  return value;
}

}  // namespace

std::string_view PropertiesReader::TakeLine() {
  const size_t end = rest_.find_first_of("\r\n");
  std::string_view line = rest_.substr(0, end);
  if (end == std::string_view::npos) {
    rest_ = {};
  } else {
    rest_.remove_prefix(rest_.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
  }
  ++lines_taken_;
  return line;
}

std::optional<Property> PropertiesReader::Next() {
  while (!rest_.empty()) {
    std::string_view line = SkipBlanks(TakeLine());
    if (line.empty() || line.front() == '#' || line.front() == '!') continue;
    const size_t first_line = lines_taken_;
    std::string logical(line);
    while (EndsInContinuation(logical)) {
      logical.pop_back();
      if (rest_.empty()) break;
      logical.append(SkipBlanks(TakeLine()));
    }
    std::string_view rest = logical;
    std::string key = TakeKey(&rest);
    return Property{.key = std::move(key), .value = Unescape(rest), .line = first_line};
  }
  return std::nullopt;
}

}  // namespace hourcell
