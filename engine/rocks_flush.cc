#include "engine/rocks_flush.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

namespace hourcell {
namespace {

constexpr std::chrono::milliseconds kLookEvery(1);
// How often it is asked for again, for the case that RocksDB has lost the request.
constexpr std::chrono::seconds kAskEvery(1);

// 0 of a family that is gone.
uint64_t PropertyOf(rocksdb::DB* db,
                    rocksdb::ColumnFamilyHandle* family,
                    const std::string& property) {
  uint64_t value = 0;
  return db->GetIntProperty(family, property, &value) ? value : 0;
}

}  // namespace

rocksdb::Status FlushFamily(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
  using Properties = rocksdb::DB::Properties;
  while (true) {
    const uint64_t errors = PropertyOf(db, family, Properties::kBackgroundErrors);
    const rocksdb::Status flushed = db->Flush(rocksdb::FlushOptions(), family);
    if (!flushed.ok()) return flushed;
    // Asked for again at once, each call would make a file of the few rows that came meanwhile.
    const auto again = std::chrono::steady_clock::now() + kAskEvery;
    while (true) {
      if (PropertyOf(db, family, Properties::kNumImmutableMemTable) == 0) return flushed;
      // What failed is what the next call says.
      if (PropertyOf(db, family, Properties::kBackgroundErrors) != errors) break;
      if (std::chrono::steady_clock::now() >= again) break;
      std::this_thread::sleep_for(kLookEvery);
    }
  }
}

}  // namespace hourcell
