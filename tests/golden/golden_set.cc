#include "tests/golden/golden_set.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/http/server_process.h"
#include "tests/support/source_dir.h"

namespace hourcell {
namespace {

// Cuts each line before " in N ms", as scripts/golden does.
std::string WithoutTimes(const std::string& text) {
  std::string kept;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    for (size_t at = line.find(" in "); at != line.npos; at = line.find(" in ", at + 1)) {
      const size_t digits = at + 4;
      const size_t unit = line.find_first_not_of("0123456789", digits);
      if (unit == line.npos || unit == digits) continue;
      if (!line.substr(unit).starts_with("ms") && !line.substr(unit).starts_with(" ms")) continue;
      line = line.substr(0, at);
      break;
    }
    kept.append(line).append("\n");
    begin = end + 1;
  }
  return kept;
}

}  // namespace

std::vector<std::string> GoldenVersions() {
  std::vector<std::string> versions;
  for (const auto& entry : std::filesystem::directory_iterator(SourcePath("tests/golden"))) {
    if (entry.is_directory()) versions.push_back(entry.path().filename());
  }
  std::ranges::sort(versions);
  return versions;
}

std::string GoldenPath(const std::string& version, const std::string& file) {
  return SourcePath(fmt::format("tests/golden/{}/{}", version, file));
}

std::string Unpack(const std::string& version,
                   const std::string& archive,
                   const std::string& directory) {
  std::filesystem::create_directories(directory);
  const std::string command =
      fmt::format("tar -xzf '{}' -C '{}'", GoldenPath(version, archive), directory);
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return directory;
}

std::vector<GoldenAnswer> ReadTranscript(const std::string& version, const std::string& file) {
  std::vector<GoldenAnswer> answers;
  for (const std::string& line : LinesOf(GoldenPath(version, file))) {
    if (line.starts_with("$ ")) {
      answers.push_back({.question = line.substr(2), .text = {}});
    } else if (!answers.empty()) {
      answers.back().text += line + "\n";
    }
  }
  return answers;
}

std::vector<std::string> LinesOf(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  return lines;
}

std::vector<GoldenAnswer> AskAgain(const std::vector<GoldenAnswer>& transcript,
                                   const std::string& directory) {
  std::vector<GoldenAnswer> answers;
  for (const GoldenAnswer& golden : transcript) {
    std::vector<std::string> words = WordsOf(golden.question);
    words.insert(words.end(), {"--data", directory});
    const ProgramResult result = RunProgram(words);
    answers.push_back(
        {.question = golden.question,
         .text = WithoutTimes(result.out) + fmt::format("exit {}\n", result.exit_code)});
  }
  return answers;
}

std::vector<std::string> WordsOf(std::string_view question) {
  std::vector<std::string> words;
  bool is_quoted = false;
  bool is_in_word = false;
  for (const char c : question) {
    if (c == '\'') {
      is_quoted = !is_quoted;
    } else if (c == ' ' && !is_quoted) {
      is_in_word = false;
    } else {
      if (!is_in_word) words.emplace_back();
      is_in_word = true;
      words.back().push_back(c);
    }
  }
  return words;
}

}  // namespace hourcell
