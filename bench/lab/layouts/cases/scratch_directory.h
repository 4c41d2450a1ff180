// ScratchDirectory: a new directory for temporary files; the destructor removes it with its
// contents. Its name is unused when it is made, so that processes do not conflict with each other,
// or with files of a killed one. Thread-compatible.

#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <absl/status/status.h>

namespace hourcell::layouts {

class ScratchDirectory {
 public:
  ScratchDirectory() = default;
  ~ScratchDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  // Makes `<parent>/<name>-XXXXXX`, with other letters and digits for the Xs each time. An empty
  // parent is the system's directory for temporary files ($TMPDIR). Call it once. kUnavailable:
  // "<pattern>: No such file or directory".
  absl::Status Make(std::string_view parent, std::string_view name);

  // Empty before Make.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace hourcell::layouts
