#include "tests/tidy/claim_checks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace hourcell::tidy {
namespace {

constexpr std::string_view kHeldFolders = "codec/ uid/ engine/ promql/ server/ bench/lab/";
constexpr std::string_view kCallers = "codec/ uid/ engine/ promql/ server/ bench/ tests/install/";
constexpr std::string_view kBlanks = " \t\n";

bool IsIdentifierChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool NamesWord(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !IsIdentifierChar(text[at - 1])) &&
        (end == text.size() || !IsIdentifierChar(text[end]))) {
      return true;
    }
  }
  return false;
}

size_t LineBegin(std::string_view text, size_t at) {
  return at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
}

size_t LineOf(std::string_view text, size_t at) {
  return 1 + static_cast<size_t>(
                 std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n'));
}

// The bracket that closes the one at `open`, or the end of the text.
size_t CloseOf(std::string_view code, size_t open) {
  size_t depth = 0;
  for (size_t i = open; i < code.size(); ++i) {
    if (code[i] == '(' || code[i] == '{' || code[i] == '[') ++depth;
    if ((code[i] == ')' || code[i] == '}' || code[i] == ']') && --depth == 0) return i;
  }
  return code.size();
}

// The first ';', '{' or '}' from `at` on that is outside of parentheses, or the end of the text.
size_t EndOfHead(std::string_view code, size_t at) {
  for (; at < code.size(); ++at) {
    if (code[at] == '(') at = CloseOf(code, at);
    if (at >= code.size() || code[at] == ';' || code[at] == '{' || code[at] == '}') break;
  }
  return std::min(at, code.size());
}

// The end of a body that begins at `brace`. Braces of members' initial values come before it.
size_t EndOfBody(std::string_view code, size_t brace) {
  for (;;) {
    const size_t end = CloseOf(code, brace);
    const size_t next = code.find_first_not_of(kBlanks, std::min(end + 1, code.size()));
    if (next == code.npos || (code[next] != ',' && code[next] != '{')) return end;
    brace = std::min(code.find('{', next), code.size());
  }
}

// The statement with blanks in place of attributes, access
// specifiers and the parameters of a template.
std::string WithoutDecoration(std::string_view head) {
  std::string plain(head);
  const auto blank = [&plain](size_t begin, size_t end) {
    std::fill(plain.begin() + static_cast<ptrdiff_t>(begin),
              plain.begin() + static_cast<ptrdiff_t>(end), ' ');
  };
  for (const std::string_view word : {"public:", "private:", "protected:"}) {
    if (const size_t at = plain.find(word); at != plain.npos) blank(at, at + word.size());
  }
  for (size_t at = plain.find("[["); at != plain.npos; at = plain.find("[["))
    blank(at, std::min(CloseOf(plain, at) + 1, plain.size()));
  const size_t first = plain.find_first_not_of(kBlanks);
  if (first == plain.npos || !std::string_view(plain).substr(first).starts_with("template")) {
    return plain;
  }
  size_t depth = 0;
  for (size_t i = first; i < plain.size(); ++i) {
    if (plain[i] == '<') ++depth;
    if (plain[i] != '>' || --depth > 0) continue;
    blank(first, i + 1);
    break;
  }
  return plain;
}

// Where the name of the function is in a statement, and the name; an empty name if the statement is
// of another kind.
std::pair<size_t, std::string> FunctionIn(std::string_view head) {
  const std::string plain = WithoutDecoration(head);
  const size_t open = plain.find('(');
  if (open == plain.npos || open == 0 || plain.find('=') < open) return {};
  const size_t last = plain.find_last_not_of(kBlanks, open - 1);
  if (last == plain.npos) return {};
  size_t begin = last + 1;
  while (begin > 0 && IsIdentifierChar(plain[begin - 1]))
    --begin;
  return {begin, plain.substr(begin, last + 1 - begin)};
}

bool HasCheck(std::string_view code) {
  return NamesWord(code, "HOURCELL_CHECK") || NamesWord(code, "HOURCELL_DCHECK");
}

// The bodies of functions with a name, outside of all braces but those of namespaces: their lines
// are not indented.
std::vector<std::string_view> BodiesIn(const SourceFile& file, std::string_view name) {
  const std::string_view code = file.code;
  std::vector<std::string_view> bodies;
  for (size_t at = code.find(name); at != code.npos; at = code.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool is_word = at > 0 && !IsIdentifierChar(code[at - 1]) && code.substr(end, 1) == "(";
    if (!is_word || kBlanks.find(code[LineBegin(code, at)]) != kBlanks.npos) continue;
    const size_t brace = EndOfHead(code, end);
    if (brace == code.size() || code[brace] != '{') continue;
    bodies.push_back(code.substr(brace, EndOfBody(code, brace) - brace));
  }
  return bodies;
}

// The statement after the comment that has offset `at`; the end of the text if the comment is not
// of one.
size_t StatementAfter(std::string_view text, size_t at) {
  size_t line = std::min(text.find('\n', at), text.size() - 1) + 1;
  while (line < text.size()) {
    const size_t first = text.find_first_not_of(" \t", line);
    if (first == text.npos || text[first] == '\n' || text[first] == '#') return text.size();
    if (!text.substr(first).starts_with("//")) return first;
    line = std::min(text.find('\n', first), text.size() - 1) + 1;
  }
  return text.size();
}

// True if a REQUIRES at `at` is of a function that can check it and does not; sets its name.
bool IsUnchecked(const SourceFile& header, const SourceFile* source, size_t at, std::string* name) {
  const size_t begin = StatementAfter(header.text, at);
  const std::string_view code = header.code;
  const size_t end = EndOfHead(code, begin);
  if (end >= code.size()) return false;
  const std::string_view head = code.substr(begin, end - begin);
  *name = FunctionIn(head).second;
  if (name->empty()) return false;
  if (code[end] == '{') return !HasCheck(code.substr(end, EndOfBody(code, end) - end));
  if (head.ends_with("= 0") || source == nullptr) return false;
  const std::vector<std::string_view> bodies = BodiesIn(*source, *name);
  return !bodies.empty() && std::ranges::none_of(bodies, HasCheck);
}

const SourceFile* SourceOf(std::span<const SourceFile> files, const SourceFile& header) {
  const std::string path = header.path.substr(0, header.path.size() - 2) + ".cc";
  const auto found = std::ranges::find(files, path, &SourceFile::path);
  return found == files.end() ? nullptr : &*found;
}

// The findings, without excepted ones, and with exceptions that nothing needs.
class Excepted {
 public:
  explicit Excepted(std::span<const FunctionException> exceptions) : exceptions_(exceptions) {}

  void Add(const std::string& path, size_t line, const std::string& function, std::string message) {
    const auto found = std::ranges::find_if(exceptions_, [&](const FunctionException& exception) {
      return exception.path == path && exception.function == function;
    });
    if (found == exceptions_.end()) {
      findings_.push_back({path, line, std::move(message)});
    } else {
      needed_.insert(&*found);
    }
  }
  std::vector<Finding> Take() && {
    for (const FunctionException& exception : exceptions_) {
      if (needed_.contains(&exception)) continue;
      findings_.push_back({std::string(exception.path), 0,
                           fmt::format("exception for {}: it is not needed", exception.function)});
    }
    return std::move(findings_);
  }

 private:
  const std::span<const FunctionException> exceptions_;
  std::set<const FunctionException*> needed_;
  std::vector<Finding> findings_;
};

// True if the brace after the statement opens a namespace or a type.
bool OpensScope(std::string_view statement) {
  const std::string plain = WithoutDecoration(statement);
  const bool is_scope =
      std::ranges::any_of(std::array{"namespace", "class", "struct", "union"},
                          [&plain](std::string_view word) { return NamesWord(plain, word); });
  return is_scope && plain.find('(') == plain.npos;
}

bool IsDeclaration(std::string_view statement, std::string_view name) {
  constexpr std::array kOthers = {"using",         "friend",  "operator", "virtual",  "override",
                                  "static_assert", "typedef", "class",    "namespace"};
  if (name.empty() || statement.find('~') != statement.npos) return false;
  const bool is_constant = name.size() > 1 && name[0] == 'k' && name[1] >= 'A' && name[1] <= 'Z';
  const bool is_macro =
      std::ranges::all_of(name, [](char c) { return c == '_' || (c >= 'A' && c <= 'Z'); });
  if (is_constant || is_macro) return false;
  const size_t last = statement.find_last_not_of(kBlanks);
  const std::string_view whole = statement.substr(0, last + 1);
  return !whole.ends_with("= 0") && !whole.ends_with("= default") && !whole.ends_with("= delete") &&
         std::ranges::none_of(kOthers,
                              [&](std::string_view word) { return NamesWord(statement, word); });
}

struct Declaration {
  std::string name;
  size_t at = 0;
};

// The functions that a header declares, or defines, in namespaces and types.
std::vector<Declaration> DeclarationsIn(const SourceFile& header) {
  const std::string_view code = header.code;
  std::vector<Declaration> found;
  size_t depth = 0;  // of scopes
  size_t begin = 0;
  while (begin < code.size()) {
    // Directives end at the end of their line.
    const size_t first = code.find_first_not_of(kBlanks, begin);
    if (first == code.npos) break;
    if (code[first] == '#') {
      begin = first;
      do
        begin = std::min(code.find('\n', begin), code.size() - 1) + 1;
      while (begin >= 2 && code.substr(begin - 2, 1) == "\\" && begin < code.size());
      continue;
    }
    const size_t end = EndOfHead(code, begin);
    if (end >= code.size()) break;
    const std::string_view statement = code.substr(begin, end - begin);
    begin = end + 1;
    if (code[end] == '}') {
      if (depth > 0) --depth;
      continue;
    }
    if (code[end] == '{' && OpensScope(statement)) {
      ++depth;
      continue;
    }
    const auto [offset, name] = FunctionIn(statement);
    if (IsDeclaration(statement, name)) {
      found.push_back({name, static_cast<size_t>(statement.data() - code.data()) + offset});
    }
    if (code[end] == '{') begin = std::min(EndOfBody(code, end) + 1, code.size());
  }
  return found;
}

// Calls `visit(word, offset)` for each word of the code.
template <typename Visit>
void ForEachWord(std::string_view code, const Visit& visit) {
  for (size_t i = 0; i < code.size();) {
    if (!IsIdentifierChar(code[i])) {
      ++i;
      continue;
    }
    const size_t begin = i;
    while (i < code.size() && IsIdentifierChar(code[i]))
      ++i;
    visit(code.substr(begin, i - begin), begin);
  }
}

// The words that are neither the name of a declaration nor that of a definition in a .cc file.
void AddUses(const SourceFile& file,
             const std::set<size_t>& declared,
             std::set<std::string, std::less<>>* uses) {
  const std::string_view code = file.code;
  ForEachWord(code, [&](std::string_view word, size_t at) {
    if (declared.contains(at)) return;
    const size_t line = LineBegin(code, at);
    // A constant that a call initializes has its = before the name.
    const bool is_definition = !file.IsHeader() && code.substr(at + word.size(), 1) == "(" &&
                               kBlanks.find(code[line]) == kBlanks.npos &&
                               code.substr(line, at - line).find('=') == code.npos;
    if (!is_definition) uses->emplace(word);
  });
}

std::set<std::string, std::less<>> TypeNames(std::span<const SourceFile> files) {
  std::set<std::string, std::less<>> names;
  for (const SourceFile& file : files) {
    if (!file.IsCpp()) continue;
    std::string_view before;
    ForEachWord(file.code, [&](std::string_view word, size_t) {
      if (before == "class" || before == "struct") names.emplace(word);
      before = word;
    });
  }
  return names;
}

bool IsOfInterface(std::string_view path) {
  return path.starts_with("engine/") && path.find('/', 7) == path.npos;
}

}  // namespace

std::vector<Finding> CheckRequirements(std::span<const SourceFile> files,
                                       std::span<const FunctionException> exceptions) {
  constexpr std::string_view kWord = "REQUIRES:";
  Excepted excepted(exceptions);
  for (const SourceFile& file : files) {
    if (!file.IsHeader() || !StartsWithAny(file.path, kHeldFolders)) continue;
    const SourceFile* const source = SourceOf(files, file);
    for (size_t at = file.text.find(kWord); at != file.text.npos;
         at = file.text.find(kWord, at + 1)) {
      std::string name;
      if (!IsUnchecked(file, source, at, &name)) continue;
      excepted.Add(file.path, LineOf(file.text, at), name,
                   fmt::format("REQUIRES of {}: no HOURCELL_DCHECK in its body", name));
    }
  }
  return std::move(excepted).Take();
}

std::vector<Finding> CheckCallers(std::span<const SourceFile> files,
                                  std::span<const FunctionException> exceptions) {
  std::map<std::string, std::vector<Declaration>> declared;  // by path
  std::set<std::string, std::less<>> uses;
  for (const SourceFile& file : files) {
    if (!file.IsCpp() || !StartsWithAny(file.path, kCallers)) continue;
    std::set<size_t> places;
    if (file.IsHeader() && StartsWithAny(file.path, kHeldFolders)) {
      declared[file.path] = DeclarationsIn(file);
      for (const Declaration& declaration : declared[file.path])
        places.insert(declaration.at);
    }
    AddUses(file, places, &uses);
  }
  const std::set<std::string, std::less<>> types = TypeNames(files);
  Excepted excepted(exceptions);
  for (const SourceFile& file : files) {
    const auto found = declared.find(file.path);
    if (found == declared.end() || IsOfInterface(file.path)) continue;
    std::set<std::string> named;
    for (const auto& [name, at] : found->second) {
      if (uses.contains(name) || types.contains(name) || !named.insert(name).second) continue;
      excepted.Add(file.path, LineOf(file.text, at), name,
                   fmt::format("{}: no code of the product calls it; remove it", name));
    }
  }
  return std::move(excepted).Take();
}

std::vector<Finding> CheckPlantedTable(const SourceFile& document,
                                       std::span<const SourceFile> files) {
  const auto patches = std::ranges::count_if(files, [](const SourceFile& file) {
    return file.path.starts_with("tests/planted/") && file.path.ends_with(".patch");
  });
  ptrdiff_t rows = -1;  // no table
  size_t number = 0;
  size_t head = 0;
  for (const std::string_view line : Lines(document.text)) {
    ++number;
    if (line.starts_with("| clause | planted bug |")) {
      head = number;
      rows = 0;
    } else if (head != 0 && !line.starts_with("|")) {
      break;
    } else if (head != 0 && !line.starts_with("|---")) {
      ++rows;
    }
  }
  if (rows == patches) return {};
  return {{document.path, head,
           fmt::format("table of planted bugs: expected {}, one for each patch, got {} rows",
                       patches, rows)}};
}

std::vector<Finding> CheckCounts(const SourceFile& document) {
  constexpr std::array kCounted = {"fuzz targets", "settings", "endpoints", "planted bugs"};
  std::vector<Finding> findings;
  if (!document.IsMarkdown() || document.path.starts_with("docs/decisions/") ||
      document.path == "CHANGELOG.md") {
    return findings;
  }
  size_t number = 0;
  for (const std::string_view line : Lines(document.text)) {
    ++number;
    for (const std::string_view noun : kCounted) {
      const size_t at = line.find(noun);
      if (at == line.npos || at < 2 || line[at - 1] != ' ') continue;
      if (std::isdigit(static_cast<unsigned char>(line[at - 2])) == 0) continue;
      findings.push_back({document.path, number,
                          fmt::format("a count of {}: it goes stale; name the table", noun)});
    }
  }
  return findings;
}

}  // namespace hourcell::tidy
