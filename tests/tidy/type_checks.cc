#include "tests/tidy/type_checks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>

#include <fmt/format.h>

namespace hourcell::tidy {
namespace {

bool IsNameChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
}

// Code without preprocessor lines, their continuations among them; as long as before.
std::string WithoutDirectives(const SourceFile& file) {
  std::string code;
  bool is_continued = false;
  for (const std::string_view line : Lines(file.code)) {
    const size_t first = line.find_first_not_of(' ');
    const bool is_directive =
        is_continued || (first != std::string_view::npos && line[first] == '#');
    is_continued = is_directive && line.ends_with('\\');
    code += is_directive ? std::string(line.size(), ' ') : std::string(line);
    code += '\n';
  }
  return code;
}

// Takes out what is between `open` and `close`, and both, however deep.
std::string WithoutBrackets(std::string_view text, char open, char close) {
  std::string kept;
  size_t depth = 0;
  for (const char c : text) {
    if (c == open) ++depth;
    if (depth == 0) kept += c;
    if (c == close && depth > 0) --depth;
  }
  return kept;
}

// Words of a statement, "::" being part of them, and '<', '(', '=' and ':' by themselves.
std::vector<std::string_view> Words(std::string_view statement) {
  std::vector<std::string_view> words;
  for (size_t i = 0; i < statement.size();) {
    size_t end = i;
    while (end < statement.size() && IsNameChar(statement[end]))
      ++end;
    if (end == i) ++end;
    const std::string_view word = statement.substr(i, end - i);
    if (word.find_first_not_of(" \n\t") != std::string_view::npos) words.push_back(word);
    i = end;
  }
  return words;
}

bool IsTypeKeyword(std::string_view word) {
  constexpr std::array kKeywords = {"class", "struct", "union", "enum"};
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

// What stands before a brace.
enum class ScopeKind : uint8_t { kNamespace, kAnonymous, kType, kOther };
struct Scope {
  ScopeKind kind = ScopeKind::kOther;
  std::string name = {};
};

// The name of a type: the last word before its bases. Empty for a specialisation and for what only
// begins as a type does, such as a function that returns one.
std::string TypeName(std::span<const std::string_view> words) {
  std::string_view name;
  for (const std::string_view word : words) {
    if (word == ":" || word == "final") break;
    if (word.find_first_of("<(=*&") != std::string_view::npos) return "";
    if (!IsTypeKeyword(word)) name = word;
  }
  return std::string(name);
}

Scope ScopeOf(std::string statement) {
  // The brackets of attributes and of alignas; those of a template's parameters.
  statement = WithoutBrackets(statement, '[', ']');
  if (const size_t align = statement.find("alignas("); align != std::string::npos) {
    statement =
        statement.substr(0, align) +
        WithoutBrackets(statement.substr(align + std::string_view("alignas").size()), '(', ')');
  }
  std::vector<std::string_view> words = Words(statement);
  while (!words.empty() && words[0] == "template") {
    size_t depth = 0;
    size_t i = 1;
    for (; i < words.size(); ++i) {
      if (words[i] == "<") ++depth;
      if (words[i] == ">" && --depth == 0) break;
    }
    words.erase(words.begin(),
                words.begin() + static_cast<std::ptrdiff_t>(std::min(i + 1, words.size())));
  }
  if (!words.empty() && words[0] == "inline") words.erase(words.begin());
  if (words.empty()) return {};
  if (words[0] == "namespace") {
    if (words.size() == 1) return {.kind = ScopeKind::kAnonymous};
    return {.kind = ScopeKind::kNamespace, .name = std::string(words.back())};
  }
  if (!IsTypeKeyword(words[0])) return {};
  return {.kind = ScopeKind::kType, .name = TypeName(words)};
}

}  // namespace

std::vector<TypeDefinition> TypesOf(const SourceFile& file) {
  std::vector<TypeDefinition> types;
  if (!file.IsCpp()) return types;
  const std::string code = WithoutDirectives(file);
  std::vector<Scope> scopes;
  size_t begin = 0;  // of the statement
  size_t line = 1;
  for (size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (c == '\n') ++line;
    if (c != '{' && c != '}' && c != ';') continue;
    if (c == '}' && !scopes.empty()) scopes.pop_back();
    if (c == '{') {
      Scope scope = ScopeOf(code.substr(begin, i - begin));
      const bool is_open = std::all_of(scopes.begin(), scopes.end(), [](const Scope& outer) {
        return outer.kind == ScopeKind::kNamespace;
      });
      if (is_open && scope.kind == ScopeKind::kType && !scope.name.empty()) {
        std::string name;
        for (const Scope& outer : scopes)
          name += outer.name + "::";
        types.push_back({name + scope.name, line});
      }
      scopes.push_back(std::move(scope));
    }
    begin = i + 1;
  }
  return types;
}

std::vector<Finding> CheckTypeNames(std::span<const SourceFile> files) {
  std::vector<Finding> findings;
  std::map<std::string, std::string> first_files;
  for (const SourceFile& file : files) {
    for (const TypeDefinition& type : TypesOf(file)) {
      const auto [first, is_new] = first_files.emplace(type.name, file.path);
      if (is_new || first->second == file.path) continue;
      findings.push_back({file.path, type.line,
                          fmt::format("{}: {} has a type of this name, too; expected another name, "
                                      "or an anonymous namespace",
                                      type.name, first->second)});
    }
  }
  return findings;
}

}  // namespace hourcell::tidy
