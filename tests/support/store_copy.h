// A copy of the files of an open store in their present state, as after kill -9. It can be opened
// while the store is open.

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>

#include "tests/support/temp_dir.h"

namespace hourcell {

// RocksDB's files but for its logs, with their sizes.
inline std::map<std::string, uintmax_t> SizesOfSstFiles(const std::string& store) {
  namespace fs = std::filesystem;
  std::map<std::string, uintmax_t> files;
  std::error_code gone;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(store) / "db", gone)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".log") || name.starts_with("LOG")) continue;
    files[name] = entry.file_size(gone);
  }
  return files;
}

inline void CopyFiles(const std::string& from, const std::filesystem::path& copy) {
  namespace fs = std::filesystem;
  fs::remove_all(copy);
  fs::create_directories(copy);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(from)) {
    const fs::path target = copy / entry.path().lexically_relative(from);
    std::error_code gone;
    if (entry.is_directory(gone)) {
      fs::create_directories(target);
    } else {
      fs::copy_file(entry.path(), target, gone);
    }
  }
}

// Copies the store at `from` into `*to` and returns the copy's path. Copies again if a flush or an
// LSM compaction changed files meanwhile: a copy, unlike a crash, is not of one instant.
inline std::string CopyStore(const std::string& from, const TempDir& to) {
  constexpr int kTriesMax = 100;
  const std::filesystem::path copy = std::filesystem::path(to.path()) / "copy";
  for (int i = 0; i < kTriesMax; ++i) {
    const std::map<std::string, uintmax_t> before = SizesOfSstFiles(from);
    CopyFiles(from, copy);
    if (SizesOfSstFiles(from) == before) break;
  }
  return copy.string();
}

}  // namespace hourcell
