// ScratchDirectory: a new directory for temporary files, removed with all that is in it when the
// object ends. Its name is free when it is made, so that two processes, or what a killed one left,
// are never in each other's way. Thread-compatible.

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

  // Makes `<parent>/<name>-XXXXXX`, where the Xs are other letters and digits each time. An empty
  // parent is the system's directory for temporary files ($TMPDIR). To be called once.
  // kUnavailable: "<pattern>: No such file or directory".
  absl::Status Make(std::string_view parent, std::string_view name);

  // Empty before Make.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace hourcell::layouts
