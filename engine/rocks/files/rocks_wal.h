// RocksWals: the WAL files that a database writes, as they look to RocksDB: nothing fails there.
//
// RocksDB 7.8.3 cannot go on where a write to its WAL has failed: what comes next runs into an
// assert, or into a log with a hole. So a failure is kept from it, and counted with the
// RocksErrorWatch, whose readers must not acknowledge what was written meanwhile:
//
//   kept whole  a file of which an append failed is cut back to its last whole record, so that
//               nothing in it stands in the way of the WALs after it, and takes no more
//   sync        one that failed says nothing about what is on disk, and never will
//   create      a file is made with its first byte, so that a new WAL can always be begun; its name
//               is synced with its first sync
//
// Once all memtables are files, nobody needs a broken WAL. Until then what it has still counts:
// SyncBroken, before a manifest is synced, as RocksDB means to have synced all that came before it.
// Thread-safe.

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

// Finds where records end in a WAL that is fed to it from its beginning, in pieces of any size: the
// format of RocksDB's db/log_format.h, blocks of 32 KiB of records with 7 bytes of header.
class WalRecords {
 public:
  void Add(rocksdb::Slice bytes);
  // How many of the bytes so far are whole records, and what stands between them.
  uint64_t whole_bytes() const { return whole_bytes_; }

 private:
  uint64_t bytes_ = 0;
  uint64_t whole_bytes_ = 0;
  std::string header_;    // of the record that is being read, as far as it is there
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

  // Syncs what the broken files that are open have kept.
  rocksdb::IOStatus SyncBroken();

 private:
  class File;

  rocksdb::FileSystem& files_;
  const std::shared_ptr<RocksErrorWatch> errors_;
  Mutex mutex_;  // taken before a file's
  std::set<File*> open_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
