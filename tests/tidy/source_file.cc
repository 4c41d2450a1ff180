#include "tests/tidy/source_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace hourcell::tidy {
namespace {

// Walks C++ text and blanks comments and the insides of literals in copies of it.
class Blanker {
 public:
  Blanker(std::string_view text, std::string* code, std::string* comments)
      : text_(text), code_(code), comments_(comments) {}

  void Run() {
    while (at_ < text_.size()) {
      if (StartsWith("//")) {
        BlankComment(std::min(text_.find('\n', at_), text_.size()));
      } else if (StartsWith("/*")) {
        BlankComment(EndOf("*/", at_ + 2));
      } else if (StartsWith("R\"") && !InWord()) {
        BlankRawString();
      } else if (text_[at_] == '"' || (text_[at_] == '\'' && !InWord())) {
        BlankLiteral(text_[at_]);
      } else {
        ++at_;
      }
    }
  }

 private:
  bool StartsWith(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  // True after a letter or digit: the ' of 1'000'000 is no literal, the R of FOR" no raw string.
  bool InWord() const {
    return at_ > 0 && (std::isalnum(static_cast<unsigned char>(text_[at_ - 1])) != 0);
  }

  size_t EndOf(std::string_view what, size_t from) const {
    const size_t found = text_.find(what, from);
    return found == std::string_view::npos ? text_.size() : found + what.size();
  }

  static void Blank(std::string* text, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if ((*text)[i] != '\n') (*text)[i] = ' ';
    }
  }

  void BlankComment(size_t end) {
    Blank(code_, at_, end);
    at_ = end;
  }

  void BlankRawString() {
    const size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) {
      at_ = text_.size();
      return;
    }
    const std::string close = fmt::format("){}\"", text_.substr(at_ + 2, open - at_ - 2));
    const size_t end = EndOf(close, open);
    Blank(code_, open + 1, end - 1);
    Blank(comments_, open + 1, end - 1);
    at_ = end;
  }

  void BlankLiteral(char quote) {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      end += text_[end] == '\\' ? size_t{2} : size_t{1};
    }
    end = std::min(end, text_.size());
    Blank(code_, at_ + 1, end);
    Blank(comments_, at_ + 1, end);
    at_ = std::min(end + 1, text_.size());
  }

  const std::string_view text_;
  std::string* const code_;
  std::string* const comments_;
  size_t at_ = 0;
};

constexpr std::array kFolders = {".ci",    "bench",   "cmake",  "codec", "docs", "engine",
                                 "promql", "scripts", "server", "tests", "uid"};
// What tools put into those folders.
constexpr std::array kForeignFolders = {"node_modules", "corpus", "dist"};
constexpr std::array kBinaryExtensions = {".gz", ".png", ".ico", ".woff2"};

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void LoadFile(const std::filesystem::path& root,
              const std::filesystem::path& path,
              std::vector<SourceFile>* files) {
  const std::string extension = path.extension().string();
  const bool is_binary = std::ranges::find(kBinaryExtensions, extension) != kBinaryExtensions.end();
  // Documents link to pictures, so these are there, without what is in them.
  files->emplace_back(path.lexically_relative(root).generic_string(),
                      is_binary ? std::string() : ReadFile(path));
}

void LoadFolder(const std::filesystem::path& root,
                const std::filesystem::path& folder,
                std::vector<SourceFile>* files) {
  for (std::filesystem::recursive_directory_iterator it(folder), end; it != end; ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_directory() &&
        std::find(kForeignFolders.begin(), kForeignFolders.end(), name) != kForeignFolders.end()) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file()) {
      LoadFile(root, it->path(), files);
    }
  }
}

}  // namespace

SourceFile::SourceFile(std::string path_in, std::string text_in)
    : path(std::move(path_in)), text(std::move(text_in)), code(text), comments(text) {
  if (IsCpp()) Blanker(text, &code, &comments).Run();
}

bool SourceFile::IsHeader() const {
  return path.ends_with(".h");
}
bool SourceFile::IsCpp() const {
  return IsHeader() || path.ends_with(".cc");
}
bool SourceFile::IsMarkdown() const {
  return path.ends_with(".md");
}

std::string Report(const std::vector<Finding>& findings) {
  std::string report;
  for (const Finding& finding : findings) {
    report += fmt::format("{}:{}: {}\n", finding.path, finding.line, finding.message);
  }
  return report;
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool StartsWithAny(std::string_view text, std::string_view prefixes) {
  while (!prefixes.empty()) {
    const size_t end = std::min(prefixes.find(' '), prefixes.size());
    if (text.starts_with(prefixes.substr(0, end))) return true;
    prefixes.remove_prefix(std::min(end + 1, prefixes.size()));
  }
  return false;
}

std::vector<SourceFile> LoadTree(const std::string& root) {
  std::vector<SourceFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (entry.is_regular_file()) LoadFile(root, entry.path(), &files);
  }
  for (const char* folder : kFolders) {
    const std::filesystem::path path = std::filesystem::path(root) / folder;
    if (std::filesystem::is_directory(path)) LoadFolder(root, path, &files);
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace hourcell::tidy
