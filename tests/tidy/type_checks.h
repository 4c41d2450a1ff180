// CheckTypeNames: no two types of one name. Two classes that are both called hourcell::KeyTemplate,
// in two files that never see each other, are two definitions of one class to the linker: it keeps
// one constructor of the two, and the program is wrong without a word (the one-definition rule,
// [basic.def.odr]). Types inside an anonymous namespace, a class or a function are their file's
// own. Pure: sees the tree as the files handed in.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tests/tidy/source_file.h"

namespace hourcell::tidy {

// A class, struct, union or enum that is defined, not only declared, at the level of namespaces
// that have names.
struct TypeDefinition {
  std::string name;  // with its namespaces: "hourcell::layouts::RowKeys"
  size_t line = 0;   // of the brace
};

// In their order. Specialisations of templates are left out: their arguments tell them apart.
std::vector<TypeDefinition> TypesOf(const SourceFile& file);

// Types that another file defines, too: a finding for each file but the first, which it names.
std::vector<Finding> CheckTypeNames(std::span<const SourceFile> files);

}  // namespace hourcell::tidy
