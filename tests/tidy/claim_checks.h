// Checks of claims in headers: a function checks its REQUIRES, and has a caller. Both find
// functions by their braces and names, which is good enough for code in this tree's format. Pure:
// they see the tree as the files handed in.

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tests/tidy/source_file.h"

namespace hourcell::tidy {

// A function of a header, and why a rule does not hold for it.
struct FunctionException {
  std::string_view path;
  std::string_view function;
  std::string_view reason;
};

// A function with a REQUIRES in its comment in a header of the product has a HOURCELL_CHECK or
// HOURCELL_DCHECK in its body, if the body is in the header or in the .cc file of the same name; of
// functions with one name, one body is enough. An exception that is not needed is a finding, too.
std::vector<Finding> CheckRequirements(std::span<const SourceFile> files,
                                       std::span<const FunctionException> exceptions);

// The name of a function that a header of the product declares is also in code of the product, of
// bench or of the embedding programs (tests/install), other than declarations and definitions of
// functions with that name. Not for the interface (engine/*.h), for virtual functions, and for
// constructors. An exception that is not needed is a finding, too.
std::vector<Finding> CheckCallers(std::span<const SourceFile> files,
                                  std::span<const FunctionException> exceptions);

// The table "| clause | planted bug | ..." of a document has a row for each tests/planted/*.patch.
std::vector<Finding> CheckPlantedTable(const SourceFile& document,
                                       std::span<const SourceFile> files);

// A count of table entries in a document, such as "72 fuzz targets", goes stale: it must name the
// table instead. Decisions and the changelog are of their day.
std::vector<Finding> CheckCounts(const SourceFile& document);

}  // namespace hourcell::tidy
