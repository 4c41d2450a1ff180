#include "bench/lab/layouts/cases/scratch_directory.h"

#include <stdlib.h>

#include <cerrno>

#include <fmt/format.h>

#include "codec/base/check.h"

namespace hourcell::layouts {

absl::Status ScratchDirectory::Make(std::string_view parent, std::string_view name) {
  HOURCELL_CHECK(path_.empty());
  std::error_code error;
  const std::string folder =
      parent.empty() ? std::filesystem::temp_directory_path(error).string() : std::string(parent);
  if (error) {
    return absl::UnavailableError(
        fmt::format("no directory for temporary files: {}", error.message()));
  }
  std::string path = fmt::format("{}/{}-XXXXXX", folder, name);
  if (mkdtemp(path.data()) == nullptr) {
    return absl::UnavailableError(
        fmt::format("{}: {}", path, std::generic_category().message(errno)));
  }
  path_ = path;
  return absl::OkStatus();
}

}  // namespace hourcell::layouts
