// Selects the store files of HBase's minor LSM compaction: the ratio rule. RocksDB has other rules;
// this one is for the simulator, which compares with HBase. Pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hourcell {

struct RatioSettings {
  double ratio = 1.2;
  size_t files_min = 3;
  size_t files_max = 10;
  uint64_t bytes_min = uint64_t{128} << 20;  // smaller files are selected whatever the ratio
  uint64_t bytes_max = INT64_MAX;            // larger files are never selected
};

// Files [begin, end) of the list; begin == end: no files.
struct FileRange {
  size_t begin = 0;
  size_t end = 0;

  friend bool operator==(const FileRange&, const FileRange&) = default;
};

// `file_bytes` from the oldest to the newest. The selected run begins at the oldest file that is at
// most `ratio` times the sum of the files_max - 1 next newer ones, or bytes_min if that is more.
FileRange SelectForMinorLsmCompaction(std::span<const uint64_t> file_bytes,
                                      const RatioSettings& settings);

}  // namespace hourcell
