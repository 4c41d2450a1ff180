// RocksWals: the WAL files of a database. RocksDB does not see their failures.
//
// RocksDB 7.8.3 cannot continue after a failed write to its WAL: later writes hit an assert, or go
// to a log with a hole. So failures are hidden from it and counted in the RocksErrorWatch, whose
// readers must not acknowledge writes after one:
//
//   kept whole  after a failed append a file is cut back to its last whole record, so that it
//               cannot block the replay of later WALs, and takes no more appends
//   sync        after a failed one the bytes on disk are unknown, also after a later sync
//   create      a file is created with its first byte, so that a new WAL can always be begun; its
//               name is synced with its first sync
//
// A broken WAL is needed until all memtables are files. Until then its whole records count:
// SyncBroken syncs them before a manifest is synced, because RocksDB expects all earlier writes to
// be synced then. Thread-safe.

#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <rocksdb/file_system.h>
#include <rocksdb/slice.h>

#include "codec/base/mutex.h"
#include "engine/rocks/files/rocks_error_watch.h"

namespace hourcell {

// Finds the ends of records in a WAL, given from its beginning in pieces of any size: the format of
// RocksDB's db/log_format.h, blocks of 32 KiB of records with 7 bytes of header.
class WalRecords {
 public:
  void Add(rocksdb::Slice bytes);
  // Length of the whole records so far, including the padding between them.
  uint64_t whole_bytes() const { return whole_bytes_; }

 private:
  uint64_t bytes_ = 0;
  uint64_t whole_bytes_ = 0;
  std::string header_;    // of the current record, as far as it was read
  size_t left_ = 0;       // of its payload
  bool is_last_ = false;  // of the fragments of a record
};

class RocksWals {
 public:
  // `files` is borrowed.
  RocksWals(rocksdb::FileSystem* files, std::shared_ptr<RocksErrorWatch> errors)
      : files_(*files), errors_(std::move(errors)) {}

  // A new WAL, which must not outlive this.
  std::unique_ptr<rocksdb::FSWritableFile> New(const std::string& path,
                                               const rocksdb::FileOptions& options);

  // Syncs the whole records of the broken files that are open.
  rocksdb::IOStatus SyncBroken();

 private:
  class File;

  rocksdb::FileSystem& files_;
  const std::shared_ptr<RocksErrorWatch> errors_;
  Mutex mutex_;  // taken before a file's
  std::set<File*> open_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
