// Checks that look at one file: form, size, words, includes. Each returns what it found; a file
// that a check does not concern gives nothing. Pure.

#pragma once

#include <vector>

#include "tests/tidy/source_file.h"

namespace hourcell::tidy {

inline constexpr size_t kLineWidthMax = 100;
inline constexpr size_t kSourceLinesMax = 700;
inline constexpr size_t kTestLinesMax = 800;
inline constexpr size_t kFunctionLinesMax = 70;

// Width, tabs, blanks at line ends, carriage returns, a missing newline at the end. C++, CMake and
// shell; Markdown, too, but for its width.
std::vector<Finding> CheckLines(const SourceFile& file);

// A header begins with a comment that says what it is for, then #pragma once.
std::vector<Finding> CheckHeaderForm(const SourceFile& file);

// Files of more than kSourceLinesMax (tests: kTestLinesMax) lines.
std::vector<Finding> CheckFileLength(const SourceFile& file);

// Functions whose braces are more than kFunctionLinesMax lines apart. Finds functions by their
// braces: good enough for code in this tree's format.
std::vector<Finding> CheckFunctionLength(const SourceFile& file);

// Words that are not used here, each with what to use instead.
std::vector<Finding> CheckWords(const SourceFile& file);

// Paths of somebody's machine.
std::vector<Finding> CheckMachinePaths(const SourceFile& file);

// Uses of the system's temporary directory in a file that does not call mkdtemp.
std::vector<Finding> CheckScratchNames(const SourceFile& file);

// A second place that escapes JSON or XML: codec/base has the one of each.
std::vector<Finding> CheckEscapers(const SourceFile& file);

// Who may include what: dependencies point down, and third-party headers stay where they belong.
std::vector<Finding> CheckIncludes(const SourceFile& file);

// The #include targets of a file, with their brackets or quotes, and their lines.
struct Include {
  std::string target;  // "codec/cells/cell.h" with quotes, <vector> with brackets
  size_t line = 0;
};
std::vector<Include> Includes(const SourceFile& file);

}  // namespace hourcell::tidy
