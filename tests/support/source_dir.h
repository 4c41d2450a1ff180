// Files of the source tree, for tests that read them.

#pragma once

#include <string>
#include <string_view>

namespace hourcell {

// The path of a file or folder of the tree: SourcePath("tests/data/query.json").
std::string SourcePath(std::string_view relative);

}  // namespace hourcell
