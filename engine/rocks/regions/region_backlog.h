// RegionBacklog: decides whether a region has too many unmerged files and memtables to take rows
// for now. RocksDB slows down and stops all writes of a database because of one column family; its
// limits are a last resort here, far above these limits, which delay the writes to one region only.
// Thread-safe.

#pragma once

#include <atomic>
#include <cstdint>

namespace hourcell {

class RegionBacklog {
 public:
  // A region lags once a count reaches its Max, until both are below their Again.
  static constexpr uint64_t kYoungFilesMax = 36;
  static constexpr uint64_t kYoungFilesAgain = 24;
  static constexpr uint64_t kMemtablesMax = 3;
  static constexpr uint64_t kMemtablesAgain = 2;

  // The current numbers: files of level 0, and memtables that wait for a flush.
  void Note(uint64_t young_files, uint64_t memtables);

  bool is_lagging() const { return is_lagging_.load(std::memory_order_relaxed); }

  // Rows written, and rows delayed or refused, since the region was opened.
  void CountWritten(uint64_t rows) { written_.fetch_add(rows, std::memory_order_relaxed); }
  void CountBlocked(uint64_t rows) { blocked_.fetch_add(rows, std::memory_order_relaxed); }
  uint64_t written() const { return written_.load(std::memory_order_relaxed); }
  uint64_t blocked() const { return blocked_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> is_lagging_{false};
  std::atomic<uint64_t> written_{0};
  std::atomic<uint64_t> blocked_{0};
};

}  // namespace hourcell
