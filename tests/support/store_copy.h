// What kill -9 leaves of a store that is open: a copy of its files as they are, to be opened beside
// it.

#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include "tests/support/temp_dir.h"

namespace hourcell {

// Copies the store at `from` into `*to` and returns the copy's path. Files that RocksDB deletes
// meanwhile are left out, as they are after a crash. REQUIRES: no flush, compaction or checkpoint
// is under way.
inline std::string CopyStore(const std::string& from, const TempDir& to) {
  namespace fs = std::filesystem;
  const fs::path copy = fs::path(to.path()) / "copy";
  fs::remove_all(copy);
  fs::create_directories(copy);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(from)) {
    const fs::path target = copy / fs::relative(entry.path(), from);
    std::error_code gone;
    if (entry.is_directory(gone)) {
      fs::create_directories(target);
    } else {
      fs::copy_file(entry.path(), target, gone);
    }
  }
  return copy.string();
}

}  // namespace hourcell
