#include "server/inputs/graphite/graphite_line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include "codec/base/strings.h"
#include "codec/text/number.h"
#include "server/inputs/find_first.h"

namespace hourcell {
namespace {

constexpr std::string_view kBlanks = " \t\r";

// Removes the next word and returns it; empty at the end.
std::string_view TakePlainWord(std::string_view* rest) {
  rest->remove_prefix(std::min(rest->find_first_not_of(kBlanks), rest->size()));
  const std::string_view word = rest->substr(0, FindFirst(*rest, kBlanks));
  rest->remove_prefix(word.size());
  return word;
}

// The whole seconds in "1356998400" or "1356998400.5".
std::string_view WholeSeconds(std::string_view time) {
  const size_t dot = time.find('.');
  if (dot == std::string_view::npos) return time;
  if (time.find_first_not_of("0123456789", dot + 1) != std::string_view::npos) return time;
  return time.substr(0, dot);
}

// False if a part is not tag=value.
bool ReadPath(std::string_view path, GraphiteLine* line) {
  line->name = path.substr(0, path.find(';'));
  path.remove_prefix(line->name.size());
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view tag = path.substr(0, path.find(';'));
    path.remove_prefix(tag.size());
    const size_t equals = tag.find('=');
    line->wrong = tag;
    if (equals == 0 || equals == std::string_view::npos || equals + 1 == tag.size()) return false;
    line->tags.push_back({.key = tag.substr(0, equals), .value = tag.substr(equals + 1)});
  }
  return true;
}

}  // namespace

std::string_view ReadGraphiteLine(std::string_view text, GraphiteLine* line) {
  line->name = {};
  line->tags.clear();
  line->wrong = text;
  std::array<std::string_view, 3> words;
  for (std::string_view& word : words)
    word = TakePlainWord(&text);
  if (words[0].empty() || words[0].starts_with('#')) return {};
  if (words[2].empty() || !TakePlainWord(&text).empty())
    return "expected three words: path value time";
  line->value = words[1];
  line->time = WholeSeconds(words[2]);
  return ReadPath(words[0], line) ? std::string_view() : "expected path;tag=value;tag=value";
}

std::optional<Value> GraphiteValue(std::string_view word) {
  if (const Parsed<Value> value = ParseValueText(word); value.ok()) return *value;
  std::string text = LowerCase(word);
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.erase(0, 1);
  if (text == "nan") return Value::Float(std::nan(""));
  if (text == "inf" || text == "infinity") return Value::Float(is_negative ? -INFINITY : INFINITY);
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  const Parsed<double> number = ParseDouble(word);
  return number.ok() ? std::optional(Value::Float(*number)) : std::nullopt;
}

}  // namespace hourcell
