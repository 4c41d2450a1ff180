// RocksManifests: the manifests of a database, and the order in which their bytes and the names of
// files get to the disk.
//
//   links     directories with new links are synced before the manifest is written, and before it
//             is synced
//   failure   after a failed write the contents of the manifest are uncertain, until there is a new
//             one (is_uncertain)
//   families  the record of a new or a dropped column family is synced while writers continue
//             (RocksFamilyChange)
//
// Thread-safe.

#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>

#include <rocksdb/file_system.h>

#include "codec/base/mutex.h"
#include "engine/rocks/files/rocks_wal.h"

namespace hourcell {

class RocksManifests {
 public:
  // All are borrowed.
  RocksManifests(rocksdb::FileSystem* files, RocksWals* wals) : files_(*files), wals_(*wals) {}

  // Wraps a manifest that was created just now. It must not outlive this.
  std::unique_ptr<rocksdb::FSWritableFile> New(std::unique_ptr<rocksdb::FSWritableFile> file,
                                               const std::string& path);

  // There is a new link in a directory, which a manifest may name.
  void AddLink(std::string directory);
  // Syncs the directories with new links.
  rocksdb::IOStatus SyncLinks();

  // A new manifest is the current one.
  void NoteNew();
  bool is_uncertain() const;

 private:
  friend class RocksFamilyChange;
  class File;

  rocksdb::IOStatus Note(rocksdb::IOStatus written);
  // Syncs everything that a manifest may refer to.
  rocksdb::IOStatus SyncNamed();
  // Syncs the manifests whose sync was put off.
  rocksdb::IOStatus SyncPutOff();

  rocksdb::FileSystem& files_;
  RocksWals& wals_;
  mutable Mutex mutex_;
  std::set<std::string> unsynced_ ABSL_GUARDED_BY(mutex_);
  bool is_uncertain_ ABSL_GUARDED_BY(mutex_) = false;
  Mutex open_mutex_;  // taken before a file's
  std::set<File*> open_ ABSL_GUARDED_BY(open_mutex_);
};

// Creates or drops one column family, on the calling thread, from the constructor to Finish().
//
// RocksDB adds the record of the family to the manifest, and syncs it, while all writers of the
// database wait. So this first sync of the thread is put off, until the next one of the manifest,
// or until Finish(), which writers do not wait for. RocksDB writes such a record alone, never in a
// group with those of flushes, so no other thread takes a record for synced that is not.
//
// An import also makes `links` in the directory of the database, before the writers wait: the last
// one syncs them all, which the manifest would do otherwise.
class RocksFamilyChange {
 public:
  explicit RocksFamilyChange(size_t links = 0);
  ~RocksFamilyChange();
  RocksFamilyChange(const RocksFamilyChange&) = delete;
  RocksFamilyChange& operator=(const RocksFamilyChange&) = delete;

  // OK: the change survives a power failure. Nothing may rely on it before. After an error the
  // manifest takes no more records, so that RocksDB begins another one.
  rocksdb::IOStatus Finish();

  // For the file system: true if the calling thread has made the last link of its import just now.
  static bool CountLink();

 private:
  friend class RocksManifests;

  // True if the calling thread puts off its next sync of a manifest: once in each change.
  static bool PutsOff(RocksManifests* manifests);

  static thread_local RocksFamilyChange* of_thread_;
  size_t links_left_;
  bool puts_off_ = true;
  RocksManifests* unsynced_ = nullptr;  // null: no sync is put off
};

}  // namespace hourcell
