// SourceFile: one file of the tree as the tidy checks see it: its text, its lines, and for C++ the
// same text with comments and literals blanked out, so that a word in a message is not taken for
// code.
//
// The blanked texts have the length and the line breaks of the original: an offset in one is an
// offset in the others. Plain values; no I/O but in LoadTree.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hourcell::tidy {

struct SourceFile {
  SourceFile(std::string path_in, std::string text_in);

  bool IsHeader() const;  // .h
  bool IsCpp() const;     // .h or .cc
  bool IsMarkdown() const;

  std::string path;      // from the root: "codec/cells/cell.h"
  std::string text;      // as it is
  std::string code;      // C++: without comments and the insides of literals; else `text`
  std::string comments;  // C++: without the insides of literals; else `text`
};

// Something a file does that it must not.
struct Finding {
  std::string path;
  size_t line = 0;  // 1-based; 0 = the whole file
  std::string message;
};

// "path:line: message" a line.
std::string Report(const std::vector<Finding>& findings);

// The lines of a text, without their ends. Views borrow.
std::vector<std::string_view> Lines(std::string_view text);

// True if `text` begins with one of `prefixes`, which are separated by blanks.
bool StartsWithAny(std::string_view text, std::string_view prefixes);

// Every text file of the project below `root`, sorted by path. Leaves out what is not ours: build/,
// .git/, stores, installed packages.
std::vector<SourceFile> LoadTree(const std::string& root);

}  // namespace hourcell::tidy
