// FolderRules: which folder may include which. The table is the floor plan of the tree, in words
// that a test can hold.

#pragma once

#include <span>
#include <string_view>

namespace hourcell::tidy {

// The files of a folder (not of the folders in it) may include files of their own folder and of
// the folders that are listed: full paths, separated by blanks. server/cli/main.cc, which is the
// program, has a row of its own.
struct FolderRule {
  std::string_view folder;
  std::string_view may_include;
};

// One row for each folder of codec, uid, engine, server and bench/lab, lowest first: a row lists
// folders of earlier rows only, so that there is no cycle.
std::span<const FolderRule> FolderRules();

// The row of the folder that a file is in; null if it has none.
const FolderRule* RuleOf(std::string_view path);

// True if `rule` lists the folder of `path`, or is of it.
bool MayInclude(const FolderRule& rule, std::string_view path);

}  // namespace hourcell::tidy
