#include "tests/tidy/file_checks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace hourcell::tidy {
namespace {

bool IsScript(const SourceFile& file) {
  return file.path.ends_with(".cmake") || file.path.ends_with("CMakeLists.txt") ||
         file.path.ends_with(".sh") || file.text.starts_with("#!/") ||
         file.path.starts_with("scripts/");
}

bool IsTest(const SourceFile& file) {
  return file.path.starts_with("tests/");
}

// Characters, not bytes, of well-formed UTF-8.
size_t WidthOf(std::string_view line) {
  return static_cast<size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

bool IsWordChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Where `word` stands in `line` with no letter, digit or _ around it.
size_t FindWord(std::string_view line, std::string_view word) {
  for (size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !IsWordChar(word.front()) || !IsWordChar(line[at - 1]);
    const bool ends = end == line.size() || !IsWordChar(word.back()) || !IsWordChar(line[end]);
    if (begins && ends) return at;
  }
  return std::string_view::npos;
}

bool HasWord(std::string_view line, std::string_view word) {
  return FindWord(line, word) != std::string_view::npos;
}

// A word that is not used, except in files that begin with one of `allowed` (separated by blanks).
struct BannedWord {
  std::string_view word;
  std::string_view instead;
  std::string_view allowed;
};

constexpr std::array kBannedWords = {
    BannedWord{"std::cout", "a stream passed in, or the log", "server/cli/main.cc"},
    BannedWord{"std::cerr", "a stream passed in, or the log", "server/cli/main.cc"},
    BannedWord{"fmt::print", "PrintTo (server/cli/terminal.h), which never throws",
               "tests/ bench/"},
    BannedWord{"std::endl", "'\\n'", ""},
    BannedWord{"rand(", "codec/base/random.h", ""},
    BannedWord{"srand(", "codec/base/random.h", ""},
    BannedWord{"std::mt19937", "codec/base/random.h", ""},
    BannedWord{"std::random_device", "codec/base/random.h", "codec/base/random.cc"},
    BannedWord{"system_clock::now", "Clock (codec/base/clock.h)", "codec/base/clock.cc"},
    BannedWord{"absl::Now", "Clock (codec/base/clock.h)", ""},
    // A part that asks the machine's wall clock itself could ask it for a duration, too.
    BannedWord{"Clock::System()->NowMs", "a WallClock passed in",
               "engine/bigtable/bigtable_opentsdb_tables.cc engine/rocks/rocks_log.cc tests/"},
    BannedWord{"std::regex", "RE2", ""},
    BannedWord{"absl::string_view", "std::string_view", ""},
    BannedWord{"absl::Mutex", "Mutex (codec/base/mutex.h)", ""},
    BannedWord{"assert(", "HOURCELL_CHECK (codec/base/check.h)", ""},
    BannedWord{"strtod(", "ParseDouble (codec/text/number.h)", "tests/"},
    BannedWord{"malloc(", "a container", "tests/"},
    BannedWord{"delete this", "std::unique_ptr", ""},
};

// `new` makes an owner only in the hands of a smart pointer: std::make_unique, or for a private
// constructor std::unique_ptr<T>(new T(...)) on the same or the line before. Or it makes a static
// that is never destroyed: static const auto* t = new T.
bool IsBareNew(std::string_view line, std::string_view line_before) {
  const size_t at = FindWord(line, "new");
  if (at == std::string_view::npos || line.substr(at + 3, 1) != " ") return false;
  return !HasWord(line, "static") && line.find("unique_ptr") == std::string_view::npos &&
         line_before.find("unique_ptr") == std::string_view::npos;
}

// The first identifier of the line that says compaction and not whose: a row's or the LSM tree's.
std::string_view AmbiguousCompaction(std::string_view line) {
  for (size_t at = line.find("ompaction"); at != std::string_view::npos;
       at = line.find("ompaction", at + 1)) {
    size_t begin = at;
    while (begin > 0 && IsWordChar(line[begin - 1]))
      --begin;
    size_t end = at;
    while (end < line.size() && IsWordChar(line[end]))
      ++end;
    const std::string_view identifier = line.substr(begin, end - begin);
    const bool says_whose = identifier.find("ow_c") != std::string_view::npos ||
                            identifier.find("owC") != std::string_view::npos ||
                            identifier.find("sm_c") != std::string_view::npos ||
                            identifier.find("smC") != std::string_view::npos;
    if (!says_whose) return identifier;
  }
  return {};
}

// TODO(#12) names what is left; a bare one is forgotten.
bool IsBareTodo(std::string_view line) {
  const size_t at = FindWord(line, "TODO");
  return at != std::string_view::npos &&
         !(line.substr(at + 4, 2) == "(#" && line.size() > at + 6 &&
           std::isdigit(static_cast<unsigned char>(line[at + 6])) != 0);
}

void CheckCodeWords(const SourceFile& file, std::vector<Finding>* findings) {
  // RocksDB's own names are used where RocksDB is.
  const bool is_of_rocksdb =
      file.path.starts_with("engine/rocks/") || file.path.starts_with("tests/engine/rocks/");
  std::string_view line_before;
  size_t number = 0;
  for (const std::string_view line : Lines(file.code)) {
    ++number;
    for (const BannedWord& banned : kBannedWords) {
      if (HasWord(line, banned.word) && !StartsWithAny(file.path, banned.allowed)) {
        findings->push_back(
            {file.path, number, fmt::format("{}: use {}", banned.word, banned.instead)});
      }
    }
    if (IsBareNew(line, line_before)) {
      findings->push_back({file.path, number, "new: use std::make_unique"});
    }
    const std::string_view compaction = is_of_rocksdb ? "" : AmbiguousCompaction(line);
    if (!compaction.empty()) {
      findings->push_back(
          {file.path, number,
           fmt::format("{}: say whose: RowCompaction or LsmCompaction", compaction)});
    }
    line_before = line;
  }
}

// Follows the braces of a file whose comments, literals and directives are blanked out.
class FunctionFinder {
 public:
  explicit FunctionFinder(const SourceFile& file) : file_(file), code_(WithoutDirectives(file)) {}

  std::vector<Finding> Run() {
    for (size_t i = 0; i < code_.size(); ++i) {
      const char c = code_[i];
      if (c == '\n') ++line_;
      if (c == '{') Open(i);
      if (c == '}') Close(i);
      if (c == ';') head_begin_ = i + 1;
    }
    return std::move(findings_);
  }

 private:
  static std::string WithoutDirectives(const SourceFile& file) {
    std::string code = file.code;
    bool directive = false;
    size_t at = 0;
    for (const std::string_view line : Lines(file.code)) {
      const size_t first = line.find_first_not_of(' ');
      directive = directive || (first != std::string_view::npos && line[first] == '#');
      if (directive) std::fill_n(code.begin() + static_cast<std::ptrdiff_t>(at), line.size(), ' ');
      directive = directive && line.ends_with('\\');
      at += line.size() + 1;
    }
    return code;
  }

  // A brace whose head has parentheses is a function's; that of a class or namespace has none.
  static bool IsFunctionHead(std::string_view head) {
    for (const std::string_view word :
         {"namespace", "class", "struct", "enum", "union", "extern"}) {
      if (HasWord(head, word) && head.find('(') == std::string_view::npos) return false;
    }
    // A table made by a call, std::to_array<Row>({...}), has its = before the parenthesis.
    return head.find('(') < head.find(" = ");
  }

  void Open(size_t i) {
    const std::string_view head = std::string_view(code_).substr(head_begin_, i - head_begin_);
    if (function_depth_ == 0 && IsFunctionHead(head)) {
      function_depth_ = depth_ + 1;
      function_line_ = line_;
    }
    ++depth_;
    head_begin_ = i + 1;
  }

  void Close(size_t i) {
    if (function_depth_ == depth_ && depth_ > 0) {
      function_depth_ = 0;
      const size_t lines = line_ - function_line_ + 1;
      if (lines > kFunctionLinesMax) {
        findings_.push_back(
            {file_.path, function_line_,
             fmt::format("function of {} lines; expected at most {}", lines, kFunctionLinesMax)});
      }
    }
    if (depth_ > 0) --depth_;
    head_begin_ = i + 1;
  }

  const SourceFile& file_;
  const std::string code_;
  std::vector<Finding> findings_;
  size_t line_ = 1;
  size_t depth_ = 0;
  size_t function_depth_ = 0;  // 0 = not in a function
  size_t function_line_ = 0;
  size_t head_begin_ = 0;
};

// Threads of the product have names, so they are started in one place.
void CheckThreads(const SourceFile& file, std::vector<Finding>* findings) {
  const bool is_product =
      StartsWithAny(file.path, "codec/ uid/ engine/ promql/ server/ bench/lab/");
  if (!is_product || file.path.starts_with("codec/base/named_thread.")) return;
  size_t number = 0;
  for (const std::string_view line : Lines(file.code)) {
    ++number;
    for (const std::string_view word : {"std::thread", "std::jthread"}) {
      if (HasWord(line, word)) {
        findings->push_back({file.path, number, fmt::format("{}: use NamedThread", word)});
      }
    }
  }
}

}  // namespace

std::vector<Finding> CheckLines(const SourceFile& file) {
  std::vector<Finding> findings;
  const bool is_code = file.IsCpp() || IsScript(file);
  if (!is_code && !file.IsMarkdown()) return findings;

  size_t number = 0;
  for (const std::string_view line : Lines(file.text)) {
    ++number;
    if (is_code && WidthOf(line) > kLineWidthMax) {
      findings.push_back(
          {file.path, number,
           fmt::format("{} characters; expected at most {}", WidthOf(line), kLineWidthMax)});
    }
    if (line.find('\t') != std::string_view::npos) {
      findings.push_back({file.path, number, "tab; expected blanks"});
    }
    if (line.ends_with('\r')) findings.push_back({file.path, number, "carriage return"});
    if (line.ends_with(' ')) findings.push_back({file.path, number, "blank at the end"});
  }
  if (!file.text.empty() && !file.text.ends_with('\n')) {
    findings.push_back({file.path, number, "no newline at the end of the file"});
  }
  return findings;
}

std::vector<Finding> CheckHeaderForm(const SourceFile& file) {
  std::vector<Finding> findings;
  if (!file.IsHeader()) return findings;

  if (!file.text.starts_with("// ")) {
    findings.push_back({file.path, 1, "no comment at the head; say what the header is for"});
  }
  size_t number = 0;
  for (const std::string_view line : Lines(file.text)) {
    ++number;
    if (line == "#pragma once") return findings;
    if (!line.empty() && !line.starts_with("//")) break;
  }
  findings.push_back({file.path, number, "expected #pragma once after the head comment"});
  return findings;
}

std::vector<Finding> CheckFileLength(const SourceFile& file) {
  if (!file.IsCpp()) return {};
  const size_t lines = Lines(file.text).size();
  const size_t lines_max = IsTest(file) ? kTestLinesMax : kSourceLinesMax;
  if (lines <= lines_max) return {};
  return {{file.path, 0,
           fmt::format("{} lines; expected at most {}: split it by noun", lines, lines_max)}};
}

std::vector<Finding> CheckFunctionLength(const SourceFile& file) {
  if (!file.IsCpp()) return {};
  return FunctionFinder(file).Run();
}

std::vector<Finding> CheckWords(const SourceFile& file) {
  std::vector<Finding> findings;
  // The checks themselves speak of the words.
  if (!file.IsCpp() || file.path.starts_with("tests/tidy/")) return findings;

  CheckCodeWords(file, &findings);
  CheckThreads(file, &findings);
  size_t number = 0;
  for (const std::string_view line : Lines(file.comments)) {
    ++number;
    for (const std::string_view word : {"FIXME", "XXX"}) {
      if (HasWord(line, word)) {
        findings.push_back({file.path, number, fmt::format("{}: repair it now", word)});
      }
    }
    if (IsBareTodo(line)) {
      findings.push_back({file.path, number, "TODO: do it, or write TODO(#<number>)"});
    }
  }
  return findings;
}

std::vector<Finding> CheckMachinePaths(const SourceFile& file) {
  std::vector<Finding> findings;
  // Recorded facts, and the rule and its tests.
  if (file.path.starts_with("tests/data/") || file.path.starts_with("tests/tidy/")) return findings;

  size_t number = 0;
  for (const std::string_view line : Lines(file.text)) {
    ++number;
    for (const std::string_view prefix : {"/work/", "/home/", "/root/", "/tmp/", "/mnt/"}) {
      const size_t at = line.find(prefix);
      // "…/tmp/…" after another folder or a variable is somebody's relative path.
      if (at == std::string_view::npos) continue;
      if (at > 0 && (IsWordChar(line[at - 1]) || line[at - 1] == '.' || line[at - 1] == '}')) {
        continue;
      }
      findings.push_back(
          {file.path, number, fmt::format("{}: a path of one machine; make it relative", prefix)});
    }
  }
  return findings;
}

std::vector<Finding> CheckScratchNames(const SourceFile& file) {
  std::vector<Finding> findings;
  if (!file.IsCpp() || file.path.starts_with("tests/tidy/")) return findings;
  if (file.text.find("mkdtemp(") != std::string::npos) return findings;
  size_t number = 0;
  for (const std::string_view line : Lines(file.text)) {
    ++number;
    if (line.find("temp_directory_path(") == std::string_view::npos) continue;
    findings.push_back({file.path, number,
                        "temp_directory_path: a fixed name there is in the way of the next "
                        "process; use mkdtemp, as ScratchDirectory and TempDir do"});
  }
  return findings;
}

std::vector<Finding> CheckEscapers(const SourceFile& file) {
  // What stands in every escaper, as the source has it, and the file that may have it.
  struct Escaper {
    std::string_view literal;
    std::string_view allowed;
  };
  constexpr std::string_view kJson = "codec/base/json_writer.cc";
  constexpr std::string_view kMarkup = "codec/base/strings.cc";
  constexpr std::array kEscapers = {Escaper{R"("\\u00)", kJson}, Escaper{R"("\\u{)", kJson},
                                    Escaper{R"("\\\"")", kJson}, Escaper{R"("&amp;")", kMarkup}};
  std::vector<Finding> findings;
  if (!file.IsCpp() || IsTest(file)) return findings;
  size_t number = 0;
  for (const std::string_view line : Lines(file.text)) {
    ++number;
    for (const Escaper& escaper : kEscapers) {
      if (file.path == escaper.allowed || line.find(escaper.literal) == std::string_view::npos) {
        continue;
      }
      findings.push_back({file.path, number,
                          fmt::format("{}: {} escapes for all", escaper.literal, escaper.allowed)});
    }
  }
  return findings;
}

std::vector<Include> Includes(const SourceFile& file) {
  std::vector<Include> includes;
  constexpr std::string_view kInclude = "#include ";
  size_t number = 0;
  for (const std::string_view line : Lines(file.text)) {
    ++number;
    if (!line.starts_with(kInclude)) continue;
    const std::string_view rest = line.substr(kInclude.size());
    const size_t end = rest.find_first_of(">\"", 1);
    includes.push_back({std::string(rest.substr(0, end == rest.npos ? end : end + 1)), number});
  }
  return includes;
}

}  // namespace hourcell::tidy
