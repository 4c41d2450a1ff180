// The size of a region for a split policy. Bytes of files only: memory never counts.

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace hourcell {

// HBase's hbase.hregion.split.overallfiles (HBASE-24664): false is kLargestStore.
enum class SizeMeasure : uint8_t { kTotal, kLargestStore };

// A store is the files of one family. Ours have one, so both measures agree; HBase's may have more.
struct RegionSize {
  uint64_t total_bytes = 0;
  uint64_t largest_store_bytes = 0;

  uint64_t bytes(SizeMeasure measure) const {
    return measure == SizeMeasure::kTotal ? total_bytes : largest_store_bytes;
  }
};

inline RegionSize SizeOfStores(std::span<const uint64_t> store_bytes) {
  RegionSize size;
  for (const uint64_t bytes : store_bytes) {
    size.total_bytes += bytes;
    size.largest_store_bytes = std::max(size.largest_store_bytes, bytes);
  }
  return size;
}

// The size of a region that is one store.
inline RegionSize SizeOfStore(uint64_t bytes) {
  return {.total_bytes = bytes, .largest_store_bytes = bytes};
}

// The bytes of a cell in HBase: two lengths of 4 bytes, then the key (row length 2, row, family
// length 1, family, qualifier, timestamp 8, type 1) and the value; lengths in bytes. Blocks have an
// MVCC number of at least one byte after it.
inline uint64_t HBaseCellBytes(uint64_t row, uint64_t family, uint64_t qualifier, uint64_t value) {
  return 4 + 4 + (2 + row + 1 + family + qualifier + 8 + 1) + value;
}

}  // namespace hourcell
