// PinnedFiles: the files of a store's tables at one moment, for a backup. As long as the object
// lives, none of them is deleted, and the first `bytes` of each do not change. The tables remain in
// use, and take more disk space the longer the object lives.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hourcell {

struct PinnedFile {
  std::string name = {};  // in the directory of the tables
  std::string path = {};
  uint64_t bytes = 0;
  // The file's contents, if they differ from those on disk.
  std::optional<std::string> content = {};
};

class PinnedFiles {
 public:
  virtual ~PinnedFiles() = default;

  virtual const std::vector<PinnedFile>& files() const = 0;
};

}  // namespace hourcell
