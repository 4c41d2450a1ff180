// Checks that need more than one file: mirrors, links, the limits table, installed headers. Pure:
// they see the tree as the files handed in.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/source_file.h"

namespace hourcell::tidy {

// A source file without a test file of its own, and what tests it instead.
struct MirrorException {
  std::string_view path;
  std::string_view reason;
};

// Every .cc of codec, uid, engine, server and bench/lab has its test in the mirrored place, or is
// excepted: codec/rows/x.cc -> tests/codec/rows/x_test.cc, bench/lab/x.cc -> tests/lab/x_test.cc.
// An exception for a file that is gone, or that has its test, is a finding, too.
std::vector<Finding> CheckMirrors(std::span<const SourceFile> files,
                                  std::span<const MirrorException> exceptions);

// The test file that mirrors a source file; empty for files without a mirror.
std::string MirrorOf(std::string_view path);

// Relative links in Markdown lead to a file or folder of the tree, and their #anchors to a heading.
std::vector<Finding> CheckLinks(std::span<const SourceFile> files);

// The rows "| `kName` | value | ..." of ARCHITECTURE.md are the constants of codec/limits.h, each
// once and with its value.
std::vector<Finding> CheckLimitsTable(const SourceFile& architecture, const SourceFile& limits);

// Tests named as `SuiteTest` or `SuiteTest.Name` in a document exist.
std::vector<Finding> CheckNamedTests(const SourceFile& document, std::span<const SourceFile> files);

// Each `name.h` or `name.cc` in a README.md, with or without folders, is a file of its folder or
// below it, or a path from the root.
std::vector<Finding> CheckReadmeNames(std::span<const SourceFile> files);

// The headers in the PUBLIC_HEADERS lists are those of engine/ (not of its folders) and those that
// they reach, no more, no fewer.
std::vector<Finding> CheckInstalledHeaders(std::span<const SourceFile> files);

// A ```cpp block of a document is a file of the tree, to the letter.
std::vector<Finding> CheckProgram(const SourceFile& document, const SourceFile& program);

// Every .cc is in a folder that the nearest CMakeLists.txt names or is in; the functions of
// hourcell_targets.cmake take all .cc files of a folder.
std::vector<Finding> CheckBuilt(std::span<const SourceFile> files);

inline constexpr size_t kFolderFilesMax = 25;

// No folder has more than kFolderFilesMax files of C++, and each folder of the product has a
// README.md.
std::vector<Finding> CheckFolders(std::span<const SourceFile> files);

}  // namespace hourcell::tidy
