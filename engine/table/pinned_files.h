// PinnedFiles: the files that the tables of a store consist of at one moment, for a backup. None of
// them is deleted, and what is in front of `bytes` of each does not change, as long as the object
// lives; the tables go on meanwhile, and take more disk space the longer it lives.

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
  // What the file holds, where that is not what is on disk.
  std::optional<std::string> content = {};
};

class PinnedFiles {
 public:
  virtual ~PinnedFiles() = default;

  virtual const std::vector<PinnedFile>& files() const = 0;
};

}  // namespace hourcell
