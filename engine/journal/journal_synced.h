// A note beside the segments of a journal: how far they were synced.
//
// Blocks say what was synced before them (engine/journal/journal_block.h); of the newest ones,
// which have nothing after them, only this note does. It is written after each sync and is not
// synced itself: after kill -9 it is there, and after a power loss it says that, or less, or
// nothing.
//
//   journal/synced: records of 12 bytes, integers big-endian; the highest one that checks counts
//   0   8  all blocks with a lower sequence were synced
//   8   4  CRC32C of that
//
// Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <absl/status/statusor.h>

namespace rocksdb {
class FileSystem;
class FSWritableFile;
}  // namespace rocksdb

namespace hourcell {

class SyncedNote {
 public:
  // `fs` is borrowed.
  SyncedNote(rocksdb::FileSystem* fs, const std::string& directory);
  ~SyncedNote();
  SyncedNote(const SyncedNote&) = delete;
  SyncedNote& operator=(const SyncedNote&) = delete;

  // Notes that all blocks below `sequence` were synced. What cannot be written is left out.
  void Write(uint64_t sequence);
  // Deletes the note: there are no segments any more.
  void Remove();

 private:
  rocksdb::FileSystem* const fs_;
  const std::string path_;
  std::unique_ptr<rocksdb::FSWritableFile> file_;  // null: none yet, or it failed
  uint64_t bytes_ = 0;
};

// Below which sequence all was synced, by the note in a journal's directory; 0 if there is none.
// kUnavailable: the file system failed.
absl::StatusOr<uint64_t> ReadSyncedNote(rocksdb::FileSystem* fs, const std::string& directory);

}  // namespace hourcell
