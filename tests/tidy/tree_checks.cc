#include "tests/tidy/tree_checks.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "tests/tidy/file_checks.h"

namespace hourcell::tidy {
namespace {

std::set<std::string, std::less<>> PathsOf(std::span<const SourceFile> files) {
  std::set<std::string, std::less<>> paths;
  for (const SourceFile& file : files)
    paths.insert(file.path);
  return paths;
}

const SourceFile* FileAt(std::span<const SourceFile> files, std::string_view path) {
  const auto it = std::find_if(files.begin(), files.end(),
                               [&](const SourceFile& file) { return file.path == path; });
  return it == files.end() ? nullptr : &*it;
}

// ".." and "." taken out of a path; empty if it leaves the tree.
std::string Normalise(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return "";
    } else {
      parts.pop_back();
    }
  }
  return fmt::format("{}", fmt::join(parts, "/"));
}

bool IsFolder(const std::set<std::string, std::less<>>& paths, const std::string& folder) {
  const auto it = paths.lower_bound(folder + "/");
  return it != paths.end() && it->starts_with(folder + "/");
}

// The anchor a heading gets: lower case, blanks as dashes, other punctuation gone.
std::string AnchorOf(std::string_view heading) {
  std::string anchor;
  for (const char c : heading) {
    if (c == ' ') {
      anchor += '-';
    } else if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') {
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return anchor;
}

bool HasAnchor(const SourceFile& document, std::string_view anchor) {
  for (std::string_view line : Lines(document.text)) {
    const size_t level = line.find_first_not_of('#');
    if (level == 0 || level == std::string_view::npos || line[level] != ' ') continue;
    if (AnchorOf(line.substr(level + 1)) == anchor) return true;
  }
  return false;
}

// What is wrong with a link of `document`; empty if it leads somewhere.
std::string LinkFault(const SourceFile& document,
                      std::string_view link,
                      std::span<const SourceFile> files,
                      const std::set<std::string, std::less<>>& paths) {
  if (link.find("://") != std::string_view::npos || link.starts_with("mailto:")) return "";
  const size_t hash = std::min(link.find('#'), link.size());
  const std::string_view anchor = link.substr(std::min(hash + 1, link.size()));

  std::string target = document.path;
  if (hash > 0) {
    const size_t slash = document.path.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : document.path.substr(0, slash + 1);
    target = Normalise(fmt::format("{}{}", folder, link.substr(0, hash)));
    if (!paths.contains(target) && !IsFolder(paths, target)) return "leads nowhere";
  }
  const SourceFile* const file = FileAt(files, target);
  if (!anchor.empty() && (file == nullptr || !HasAnchor(*file, anchor))) {
    return fmt::format("{} has no such heading", target);
  }
  return "";
}

// Calls visit(link) for every ](link) of a line.
template <typename Visit>
void ForEachLink(std::string_view line, const Visit& visit) {
  for (size_t at = line.find("]("); at != std::string_view::npos; at = line.find("](", at + 1)) {
    const size_t end = line.find(')', at);
    if (end != std::string_view::npos) visit(line.substr(at + 2, end - at - 2));
  }
}

// Calls visit(text) for every `text` of a line.
template <typename Visit>
void ForEachCode(std::string_view line, const Visit& visit) {
  for (size_t open = line.find('`'); open != std::string_view::npos; open = line.find('`')) {
    const size_t close = std::min(line.find('`', open + 1), line.size());
    visit(line.substr(open + 1, close - open - 1));
    line.remove_prefix(std::min(close + 1, line.size()));
  }
}

// A product of numbers and known constants: "64 * 1024", "kBytes * 1000". Groups of digits may have
// ' or commas between them.
std::optional<uint64_t> Evaluate(std::string_view expression,
                                 const std::map<std::string, uint64_t, std::less<>>& known) {
  uint64_t product = 1;
  std::string term;
  const auto multiply = [&] {
    if (const auto it = known.find(term); it != known.end()) {
      product *= it->second;
    } else if (!term.empty() && std::all_of(term.begin(), term.end(),
                                            [](unsigned char c) { return std::isdigit(c) != 0; })) {
      product *= std::stoull(term);
    } else {
      return false;
    }
    term.clear();
    return true;
  };
  for (const char c : expression) {
    if (c == '*' && !multiply()) return std::nullopt;
    if (c != '*' && c != ' ' && c != '\'' && c != ',') term += c;
  }
  if (!multiply()) return std::nullopt;
  return product;
}

// The constants of limits.h: "inline constexpr <type> kName = <expression>;".
std::map<std::string, uint64_t, std::less<>> LimitsOf(const SourceFile& limits,
                                                      std::vector<Finding>* findings) {
  std::map<std::string, uint64_t, std::less<>> values;
  size_t number = 0;
  for (const std::string_view line : Lines(limits.code)) {
    ++number;
    if (!line.starts_with("inline constexpr ")) continue;
    const size_t equals = line.find(" = ");
    const size_t end = line.find(';');
    if (equals == std::string_view::npos || end == std::string_view::npos) continue;
    const size_t name = line.rfind(' ', equals - 1) + 1;
    const auto value = Evaluate(line.substr(equals + 3, end - equals - 3), values);
    if (!value.has_value()) {
      findings->push_back(
          {limits.path, number, "value that the limits table cannot be checked by"});
      continue;
    }
    values.emplace(line.substr(name, equals - name), *value);
  }
  return values;
}

// `SuiteTest` or `SuiteTest.Name`; a command that runs one is none.
bool IsTestName(std::string_view text) {
  const std::string_view suite = text.substr(0, text.find('.'));
  return suite.ends_with("Test") && std::ranges::all_of(text, [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '.';
         });
}

// True if a test file defines `SuiteTest`, or of it the test `SuiteTest.Name`.
bool IsTestDefined(std::span<const SourceFile> files, std::string_view name) {
  const size_t dot = std::min(name.find('.'), name.size());
  const std::string suite = fmt::format("({},", name.substr(0, dot));
  const std::string wanted =
      dot == name.size() ? suite : fmt::format("{} {})", suite, name.substr(dot + 1));
  return std::any_of(files.begin(), files.end(), [&](const SourceFile& file) {
    if (!file.path.ends_with("_test.cc")) return false;
    const auto lines = Lines(file.code);
    return std::any_of(lines.begin(), lines.end(), [&](std::string_view line) {
      return line.starts_with("TEST") && line.find(wanted) != std::string_view::npos;
    });
  });
}

// `name.h` or `folder/name.cc`; an extension alone or a pattern does not name a file.
bool IsSourceName(std::string_view text) {
  const bool is_source = text.ends_with(".h") || text.ends_with(".cc");
  return is_source && text != ".h" && text != ".cc" &&
         std::ranges::all_of(text, [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '/';
         });
}

// True for a path from the root, and for the end of the path of a file in or below `folder`, which
// ends with a slash unless it is the root.
bool IsFileFrom(const std::set<std::string, std::less<>>& paths,
                std::string_view folder,
                std::string_view name) {
  if (paths.contains(name)) return true;
  const std::string below = fmt::format("/{}", name);
  return std::ranges::any_of(paths, [&](std::string_view path) {
    if (!path.starts_with(folder)) return false;
    path.remove_prefix(folder.size());
    return path == name || path.ends_with(below);
  });
}

// The names in the PUBLIC_HEADERS lists of a CMakeLists.txt, as paths from the root.
std::set<std::string, std::less<>> PublicHeaders(const SourceFile& cmake) {
  constexpr std::string_view kList = "PUBLIC_HEADERS";
  std::set<std::string, std::less<>> headers;
  const std::string_view text(cmake.text);
  const std::string folder = cmake.path.substr(0, cmake.path.rfind('/') + 1);
  for (size_t at = text.find(kList); at != std::string_view::npos; at = text.find(kList, at + 1)) {
    std::string_view list = text.substr(at + kList.size());
    list = list.substr(0, list.find(')'));
    while (!list.empty()) {
      const size_t end = std::min(list.find_first_of(" \n"), list.size());
      const std::string_view word = list.substr(0, end);
      if (word.ends_with(".h")) headers.insert(fmt::format("{}{}", folder, word));
      list.remove_prefix(std::min(end + 1, list.size()));
    }
  }
  return headers;
}

// True if the nearest CMakeLists.txt at or above a file names its folder, or is in it.
bool IsBuilt(std::span<const SourceFile> files, std::string_view path) {
  const std::string folder(path.substr(0, path.rfind('/')));
  std::string above = folder;
  while (true) {
    if (const SourceFile* const cmake = FileAt(files, above + "/CMakeLists.txt")) {
      if (above == folder) return true;
      const std::string below = folder.substr(above.size() + 1);
      const auto words = {" " + below + " ", " " + below + "\n", "/" + below + "/"};
      const bool is_named = std::ranges::any_of(words, [&](const std::string& word) {
        return cmake->text.find(word) != std::string::npos;
      });
      // tests/support and the fuzz targets are globs.
      return is_named || cmake->text.find(below + "/*.cc") != std::string::npos ||
             cmake->text.find("/*/fuzz_*.cc") != std::string::npos;
    }
    const size_t slash = above.rfind('/');
    if (slash == std::string::npos) return false;
    above.resize(slash);
  }
}

// Headers of ours that `path` includes, itself included, and theirs.
void AddReachable(std::span<const SourceFile> files,
                  const std::string& path,
                  std::set<std::string, std::less<>>* reached) {
  if (!reached->insert(path).second) return;
  const SourceFile* const file = FileAt(files, path);
  if (file == nullptr) return;
  for (const Include& include : Includes(*file)) {
    if (!include.target.starts_with('"')) continue;
    AddReachable(files, include.target.substr(1, include.target.size() - 2), reached);
  }
}

}  // namespace

std::string MirrorOf(std::string_view path) {
  constexpr std::string_view kLab = "bench/";
  if (!path.ends_with(".cc") ||
      !StartsWithAny(path, "codec/ uid/ engine/ promql/ server/ bench/lab/")) {
    return "";
  }
  std::string_view stem = path.substr(0, path.size() - 3);
  if (stem.starts_with(kLab)) stem.remove_prefix(kLab.size());
  return fmt::format("tests/{}_test.cc", stem);
}

std::vector<Finding> CheckMirrors(std::span<const SourceFile> files,
                                  std::span<const MirrorException> exceptions) {
  std::vector<Finding> findings;
  const auto paths = PathsOf(files);
  const auto is_excepted = [&](std::string_view path) {
    return std::any_of(exceptions.begin(), exceptions.end(),
                       [&](const MirrorException& exception) { return exception.path == path; });
  };
  for (const std::string& path : paths) {
    const std::string mirror = MirrorOf(path);
    if (!mirror.empty() && !paths.contains(mirror) && !is_excepted(path)) {
      findings.push_back({path, 0, fmt::format("no {}, and no exception with a reason", mirror)});
    }
  }
  for (const MirrorException& exception : exceptions) {
    if (!paths.contains(exception.path) || paths.contains(MirrorOf(exception.path))) {
      findings.push_back({std::string(exception.path), 0, "its exception is not needed any more"});
    }
  }
  return findings;
}

std::vector<Finding> CheckLinks(std::span<const SourceFile> files) {
  std::vector<Finding> findings;
  const auto paths = PathsOf(files);
  for (const SourceFile& file : files) {
    if (!file.IsMarkdown()) continue;
    size_t number = 0;
    bool in_block = false;
    for (const std::string_view line : Lines(file.text)) {
      ++number;
      in_block ^= line.starts_with("```");
      if (in_block) continue;
      ForEachLink(line, [&](std::string_view link) {
        const std::string fault = LinkFault(file, link, files, paths);
        if (!fault.empty()) {
          findings.push_back({file.path, number, fmt::format("link {}: {}", link, fault)});
        }
      });
    }
  }
  return findings;
}

std::vector<Finding> CheckLimitsTable(const SourceFile& architecture, const SourceFile& limits) {
  std::vector<Finding> findings;
  auto missing = LimitsOf(limits, &findings);
  size_t number = 0;
  for (const std::string_view line : Lines(architecture.text)) {
    ++number;
    if (!line.starts_with("| `k")) continue;
    const std::string_view row = line.substr(3);
    const size_t name_end = std::min(row.find('`'), row.size());
    const std::string_view name = row.substr(0, name_end);
    const size_t value_begin = std::min(row.find("| ", name_end) + 2, row.size());
    const std::string_view value =
        row.substr(value_begin, row.find(" |", value_begin) - value_begin);

    const auto limit = missing.find(name);
    if (limit == missing.end()) {
      findings.push_back({architecture.path, number,
                          fmt::format("{}: not in codec/limits.h, or here twice", name)});
      continue;
    }
    if (Evaluate(value, {}) != limit->second) {
      findings.push_back(
          {architecture.path, number,
           fmt::format("{} is {} here; codec/limits.h has {}", name, value, limit->second)});
    }
    missing.erase(limit);
  }
  for (const auto& [name, value] : missing) {
    findings.push_back({architecture.path, 0, fmt::format("the limits table lacks {}", name)});
  }
  return findings;
}

std::vector<Finding> CheckNamedTests(const SourceFile& document,
                                     std::span<const SourceFile> files) {
  std::vector<Finding> findings;
  size_t number = 0;
  for (const std::string_view line : Lines(document.text)) {
    ++number;
    ForEachCode(line, [&](std::string_view name) {
      if (IsTestName(name) && !IsTestDefined(files, name)) {
        findings.push_back({document.path, number, fmt::format("there is no test {}", name)});
      }
    });
  }
  return findings;
}

std::vector<Finding> CheckReadmeNames(std::span<const SourceFile> files) {
  std::vector<Finding> findings;
  const auto paths = PathsOf(files);
  for (const SourceFile& file : files) {
    if (!file.path.ends_with("README.md")) continue;
    const std::string folder = file.path.substr(0, file.path.rfind('/') + 1);
    size_t number = 0;
    bool in_block = false;
    for (const std::string_view line : Lines(file.text)) {
      ++number;
      in_block ^= line.starts_with("```");
      if (in_block) continue;
      ForEachCode(line, [&](std::string_view name) {
        if (IsSourceName(name) && !IsFileFrom(paths, folder, name)) {
          findings.push_back(
              {file.path, number,
               fmt::format("{}: no file here or below; write its path from the root", name)});
        }
      });
    }
  }
  return findings;
}

std::vector<Finding> CheckInstalledHeaders(std::span<const SourceFile> files) {
  std::vector<Finding> findings;
  std::set<std::string, std::less<>> reached;
  for (const SourceFile& file : files) {
    const bool is_interface = file.path.starts_with("engine/") && file.path.ends_with(".h") &&
                              file.path.rfind('/') == std::string_view("engine").size();
    if (is_interface) AddReachable(files, file.path, &reached);
  }

  std::set<std::string, std::less<>> installed;
  for (const SourceFile& file : files) {
    if (file.path.ends_with("/CMakeLists.txt")) installed.merge(PublicHeaders(file));
  }
  for (const std::string& path : reached) {
    if (!installed.contains(path)) {
      findings.push_back({path, 0, "a header in engine/ reaches it, but no PUBLIC_HEADERS has it"});
    }
  }
  for (const std::string& path : installed) {
    if (!reached.contains(path)) {
      findings.push_back({path, 0, "in PUBLIC_HEADERS, but no header in engine/ reaches it"});
    }
  }
  return findings;
}

std::vector<Finding> CheckProgram(const SourceFile& document, const SourceFile& program) {
  const std::string_view text = document.text;
  constexpr std::string_view kOpen = "```cpp\n";
  size_t open = text.find(kOpen);
  if (open == text.npos) return {{document.path, 0, "no ```cpp block"}};
  for (; open != text.npos; open = text.find(kOpen, open + kOpen.size())) {
    const size_t begin = open + kOpen.size();
    if (text.substr(begin, text.find("```", begin) - begin) == program.text) return {};
  }
  return {{document.path, 0, fmt::format("no program of it is that of {}", program.path)}};
}

std::vector<Finding> CheckBuilt(std::span<const SourceFile> files) {
  std::vector<Finding> findings;
  for (const SourceFile& file : files) {
    if (file.path.ends_with(".cc") && !IsBuilt(files, file.path)) {
      findings.push_back({file.path, 0, "no CMakeLists.txt above it has its folder"});
    }
  }
  return findings;
}

std::vector<Finding> CheckFolders(std::span<const SourceFile> files) {
  std::map<std::string, size_t> sizes;
  for (const SourceFile& file : files) {
    if (file.IsCpp()) ++sizes[file.path.substr(0, file.path.rfind('/'))];
  }
  std::vector<Finding> findings;
  for (const auto& [folder, size] : sizes) {
    if (size > kFolderFilesMax) {
      findings.push_back(
          {folder, 0, fmt::format("{} files; expected at most {}", size, kFolderFilesMax)});
    }
    if (StartsWithAny(folder + "/", "codec/ uid/ engine/ promql/ server/ bench/lab/") &&
        FileAt(files, folder + "/README.md") == nullptr) {
      findings.push_back({folder, 0, "no README.md says what is in it"});
    }
  }
  return findings;
}

}  // namespace hourcell::tidy
