// A separate directory for one test, removed when it ends.

#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "codec/base/check.h"

namespace hourcell {

class TempDir {
 public:
  TempDir() {
    std::string pattern = (Parent() / "hourcell-XXXXXX").string();
    HOURCELL_CHECK(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  // In memory if there is room: a test that syncs a thousand times is then as quick as it is sure.
  static std::filesystem::path Parent() {
    constexpr uintmax_t kRoom = uintmax_t{1} << 30;
    std::error_code error;
    const std::filesystem::path memory = "/dev/shm";
    const std::filesystem::space_info space = std::filesystem::space(memory, error);
    const bool is_wanted = std::getenv("TMPDIR") == nullptr;
    if (is_wanted && !error && space.available >= kRoom) return memory;
    return std::filesystem::temp_directory_path();
  }

  std::string path_;
};

}  // namespace hourcell
