#include "codec/text/quoted_name.h"

namespace hourcell {

void AppendQuoted(std::string_view name, std::string* out) {
  out->push_back('"');
  for (const char c : name) {
    if (c == '"' || c == '\\') out->push_back('\\');
    out->push_back(c);
  }
  out->push_back('"');
}

size_t TakeQuoted(std::string_view text, std::string* name) {
  if (!text.starts_with('"')) return 0;
  const size_t before = name == nullptr ? 0 : name->size();
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') {
      ++i;
      if (i == text.size() || (text[i] != '"' && text[i] != '\\')) break;
    }
    if (name != nullptr) name->push_back(text[i]);
  }
  if (name != nullptr) name->resize(before);
  return 0;
}

std::string Unquoted(std::string_view text) {
  std::string name;
  return !text.empty() && TakeQuoted(text, &name) == text.size() ? name : std::string(text);
}

size_t SkipQuoted(std::string_view text, size_t at) {
  constexpr std::string_view kBeforeAName = ":{,=|";
  if (text[at] != '"') return at;
  if (at > 0 && kBeforeAName.find(text[at - 1]) == std::string_view::npos) return at;
  return at + TakeQuoted(text.substr(at), nullptr);
}

size_t FindOutsideQuotes(std::string_view text, char c) {
  if (text.find('"') == std::string_view::npos) return text.find(c);
  for (size_t i = 0; i < text.size(); ++i) {
    if (const size_t end = SkipQuoted(text, i); end != i) {
      i = end - 1;
    } else if (text[i] == c) {
      return i;
    }
  }
  return std::string_view::npos;
}

}  // namespace hourcell
