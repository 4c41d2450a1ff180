// Words that once had several meanings, and have one now: each is at home in some files, and what
// it meant elsewhere has a word of its own. The glossary in ARCHITECTURE.md says which meaning is
// left. Pure.

#pragma once

#include <vector>

#include "tests/tidy/source_file.h"

namespace hourcell::tidy {

// Names, comments, literals and documents that use one of the words in another meaning. Looks at
// C++ and Markdown.
std::vector<Finding> CheckMeanings(const SourceFile& file);

// Messages of the product that do not have the form "subject: problem; expected X, got Y"
// (CONTRIBUTING.md). Finds the forms that were common before.
std::vector<Finding> CheckErrorForm(const SourceFile& file);

}  // namespace hourcell::tidy
