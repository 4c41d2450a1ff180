#include "tests/support/source_dir.h"

namespace hourcell {

// The one file that is compiled with the tree's place on the machine in it.
std::string SourcePath(std::string_view relative) {
  return std::string(HOURCELL_SOURCE_DIR "/").append(relative);
}

}  // namespace hourcell
