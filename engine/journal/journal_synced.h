// SyncedNote: a file in a journal's directory that records how far the segments were synced.
//
// Each block records the sync before it (engine/journal/journal_block.h); only the note does so for
// the newest blocks. It is written after each sync and is not synced itself. After kill -9 it is
// there; after a power loss it may be older, or missing.
//
//   journal/synced: records of 12 bytes, integers big-endian; the highest valid record counts
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

  // Records that all blocks below `sequence` were synced. Errors are ignored.
  void Write(uint64_t sequence);
  // Deletes the note, after the last segment.
  void Remove();

 private:
  rocksdb::FileSystem* const fs_;
  const std::string path_;
  std::unique_ptr<rocksdb::FSWritableFile> file_;  // null: none yet, or it failed
  uint64_t bytes_ = 0;
};

// All blocks below the result were synced, by the note in a journal's directory; 0 without a note.
// kUnavailable: the file system failed.
absl::StatusOr<uint64_t> ReadSyncedNote(rocksdb::FileSystem* fs, const std::string& directory);

}  // namespace hourcell
