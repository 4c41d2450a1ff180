#include "engine/rocks/regions/rocks_flush.h"

#include <chrono>
#include <cstdint>
#include <thread>

#include "engine/rocks/files/rocks_manifest.h"

// Why a flush is begun and then polled: DB::Flush with `wait` returns only once the memtable is a
// file, and RocksDB does not see failures here, so it would never return (docs/decisions/0012). It
// may also return before the version has its file.

namespace hourcell {
namespace {

constexpr std::chrono::milliseconds kLookEvery(1);
// The flush is begun again after this time, in case RocksDB has lost the request.
constexpr std::chrono::seconds kAskEvery(1);

bool HasUnflushed(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
  uint64_t memtables = 0;
  return db->GetIntProperty(family, rocksdb::DB::Properties::kNumImmutableMemTable, &memtables) &&
         memtables > 0;
}

}  // namespace

rocksdb::Status BeginFlush(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
  rocksdb::FlushOptions begin;
  begin.wait = false;
  // Otherwise Flush would wait for flushes that may be failing.
  begin.allow_write_stall = true;
  return db->Flush(begin, family);
}

rocksdb::Status FlushFamily(rocksdb::DB* db,
                            rocksdb::ColumnFamilyHandle* family,
                            const RocksErrorWatch& errors) {
  const uint64_t failures = errors.counts().background;
  while (true) {
    const rocksdb::Status begun = BeginFlush(db, family);
    if (!begun.ok()) return begun;
    // Without this pause, each call would write a file of the few rows since the last call.
    const auto again = std::chrono::steady_clock::now() + kAskEvery;
    while (std::chrono::steady_clock::now() < again) {
      if (!HasUnflushed(db, family)) return begun;
      if (errors.IsDropped(family->GetID())) return rocksdb::Status::ColumnFamilyDropped();
      if (const rocksdb::Status stopped = errors.stopped(); !stopped.ok()) return stopped;
      if (errors.counts().background != failures) return errors.last();
      std::this_thread::sleep_for(kLookEvery);
    }
  }
}

rocksdb::Status DropFamily(rocksdb::DB* db,
                           rocksdb::ColumnFamilyHandle* family,
                           RocksErrorWatch* errors) {
  RocksFamilyChange change;
  rocksdb::Status dropped = db->DropColumnFamily(family);
  if (!dropped.ok()) return dropped;
  errors->NoteDropped(family->GetID());
  return change.Finish();
}

}  // namespace hourcell
