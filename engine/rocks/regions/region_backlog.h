// RegionBacklog: whether a region has so many files and memtables that are not merged yet that it
// takes no more rows for now. RocksDB slows down and stops all writes of a database for the sake of
// one column family; its limits are a last resort here, far above these, which hold up the writes
// to one region alone. Thread-safe.

#pragma once

#include <atomic>
#include <cstdint>

namespace hourcell {

class RegionBacklog {
 public:
  // From so many on a region lags, and no more below the others.
  static constexpr uint64_t kYoungFilesMax = 36;
  static constexpr uint64_t kYoungFilesAgain = 24;
  static constexpr uint64_t kMemtablesMax = 3;
  static constexpr uint64_t kMemtablesAgain = 2;

  // What there is now: files of level 0, and memtables that wait to be written to one.
  void Note(uint64_t young_files, uint64_t memtables);

  bool is_lagging() const { return is_lagging_.load(std::memory_order_relaxed); }

  // Rows that were written, and rows that had to wait or were refused, since the region was opened.
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
