// RecentRows: remembers recently seen rows, for streams that do not mark the first put of a row. A
// fixed table of hashes; a row that was pushed out counts as new again, and two rows with one hash
// count as one. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "codec/base/check.h"

namespace hourcell {

// Eight bytes each.
inline constexpr size_t kRecentRowsDefault = size_t{1} << 20;

class RecentRows {
 public:
  // REQUIRES: rows > 0.
  explicit RecentRows(size_t rows = kRecentRowsDefault) : hashes_(rows) {
    HOURCELL_DCHECK(rows > 0);
  }

  // True the first time; `time` distinguishes rows of one series.
  bool IsNew(std::string_view series, uint64_t time) {
    // absl::Hash has a different seed in each process, which would make runs differ.
    uint64_t hash = 0xCBF29CE484222325 ^ (time * 0x9E3779B97F4A7C15);
    for (const char c : series)
      hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3;  // FNV-1a
    hash ^= hash >> 31;
    uint64_t& place = hashes_[hash % hashes_.size()];
    if (place == (hash | 1)) return false;
    place = hash | 1;
    return true;
  }

 private:
  std::vector<uint64_t> hashes_;  // 0 = none
};

}  // namespace hourcell
