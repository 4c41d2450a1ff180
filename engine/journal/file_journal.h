// FileJournal: the journal as files. On disk: a directory of segments, 00000000000000000001.log and
// so on, each a header and blocks (engine/journal/journal_block.h has the bytes). Each opening
// begins a new segment.
//
// Possible losses:
//   kill -9      no block that Write returned OK for.
//   power loss   no block below synced_sequence(); any later blocks, because pages reach the disk
//                in any order.
//   damage       to synced blocks: Open fails with kDataLoss, with file, offset, and the actual and
//                expected value. Later blocks, or the note in the directory
//                (engine/journal/journal_synced.h), show that they were synced. Other invalid
//                blocks are taken out and kept in files, see cuts(); blocks after them stay
//                (journal_repair.h).
//
// Threads: as in journal.h; Replay may also run during a Write. The lock of the store excludes
// other processes (engine/rocks/files/store_lock.h).

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "engine/journal/journal.h"
#include "engine/journal/journal_cut.h"

namespace rocksdb {
class Env;
class FileSystem;
class FSDirectory;
class FSWritableFile;
}  // namespace rocksdb

namespace hourcell {

class FileJournalPin;
class SyncedNote;

// The file system of an Env; null for null. Borrows from it.
rocksdb::FileSystem* FileSystemOf(rocksdb::Env* env);

// Creates a journal's directory, if it is missing, durably. `fs` as in JournalOptions.
absl::Status MakeJournalDirectory(rocksdb::FileSystem* fs, const std::string& path);

struct JournalOptions {
  std::string directory;              // <store>/journal; made if missing and `create`
  rocksdb::FileSystem* fs = nullptr;  // borrowed; null = the operating system's
  size_t segment_bytes = 64 << 20;    // a block that would go beyond it begins a new segment
  // Disk space is reserved this far ahead of the blocks, so that a full disk fails the Write
  // itself. 0 = never.
  size_t preallocate_bytes = 4 << 20;
  bool create = true;  // false: a missing directory is kDataLoss
  // All blocks below it are in cells: they are not needed, damage to them is harmless, and new
  // blocks get higher sequences. 0 = unknown.
  uint64_t low_mark = 0;
};

class FileJournal : public Journal {
 public:
  // Finds the segments and checks every block from the low mark on. Durably removes invalid blocks
  // that were not synced; otherwise writes to the disk only from the first Write on.
  // kDataLoss: damage, see above. kFailedPrecondition: a segment of a newer format. kUnavailable:
  // an error of the file system.
  static absl::StatusOr<std::unique_ptr<FileJournal>> Open(const JournalOptions& options);
  // As after a crash: without a footer and a sync. Close ends the journal in good order.
  ~FileJournal() override;

  // Another thread reads ahead and checks.
  absl::Status Replay(uint64_t from, const Visit& visit) const override;

  // On OK, the operating system has the block.
  // kUnavailable (no space, a short write, an I/O error): the block is not in the journal.
  // kFailedPrecondition: an earlier fsync failed (see Sync), or Close was called.
  // kInvalidArgument: more than kBlockPayloadBytesMax bytes.
  absl::Status Write(std::span<const std::string_view> payload_parts) override;

  // kFailedPrecondition: an fsync failed, now or earlier. The contents of the disk are then
  // unknown, and every Write and Sync is refused until the journal is opened again.
  absl::Status Sync() override;

  // Deletes segments with all blocks below `low_mark`; the newest one only once the journal is
  // closed. kUnavailable: a file could not be deleted, and later ones were not tried.
  absl::Status DeleteBelow(uint64_t low_mark) override;

  std::unique_ptr<JournalPin> Pin(uint64_t low_mark) override;
  uint64_t LowMarkThatDeletes(uint64_t sequence) const override;

  // Syncs, and writes a footer, so that the next Open can distinguish an end from a loss.
  absl::Status Close() override;

  const std::vector<JournalCut>& cuts() const override { return cuts_; }
  absl::StatusOr<std::vector<JournalCut>> UnseenCuts() const override;
  size_t unseen_cuts() const override { return unseen_cuts_.load(std::memory_order_relaxed); }
  absl::Status MarkCutsSeen(const std::vector<JournalCut>& cuts) override;
  absl::Status failure() const override;
  std::optional<uint64_t> DiskFreeBytes() const override;
  bool has_gap() const override { return has_gap_; }

  size_t block_bytes() const override;
  uint64_t next_sequence() const override { return next_sequence_.load(std::memory_order_relaxed); }
  uint64_t synced_sequence() const override {
    return synced_sequence_.load(std::memory_order_relaxed);
  }
  uint64_t oldest_sequence() const override {
    return oldest_sequence_.load(std::memory_order_relaxed);
  }
  uint64_t bytes() const override { return bytes_.load(std::memory_order_relaxed); }
  uint64_t segments() const override { return segment_count_.load(std::memory_order_relaxed); }
  // Of memory, between writes. Of the writer's thread.
  size_t buffer_bytes() const { return buffer_.capacity(); }

 private:
  friend class FileJournalPin;

  struct Segment {
    uint64_t number = 0;
    uint64_t first_sequence = 0;
    uint64_t bytes = 0;  // header and valid blocks
  };
  // A segment to sync before its blocks count as synced.
  struct Unsynced {
    uint64_t number = 0;
    std::shared_ptr<rocksdb::FSWritableFile> file;  // null: found by Open, not opened yet
  };

  explicit FileJournal(const JournalOptions& options);

  absl::Status OpenDirectory();
  absl::Status Recover();
  std::string PathOf(uint64_t number) const;

  absl::Status BeginSegment();
  absl::StatusOr<std::shared_ptr<rocksdb::FSWritableFile>> CreateSegmentFile(uint64_t number);
  void LeaveSegment();
  absl::Status Reserve(size_t bytes);
  absl::Status AppendBuffer();
  absl::Status WriteFooter();

  absl::Status SyncAll() ABSL_EXCLUSIVE_LOCKS_REQUIRED(sync_mutex_);
  absl::Status SyncFile(Unsynced* file) const;
  absl::Status Fail(const absl::Status& cause);
  void CountSegments() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const JournalOptions options_;
  rocksdb::FileSystem* const fs_;
  std::unique_ptr<rocksdb::FSDirectory> directory_;
  std::vector<JournalCut> cuts_;
  bool has_gap_ = false;

  // Of the writer alone.
  std::shared_ptr<rocksdb::FSWritableFile> current_;  // null: the next Write begins a segment
  uint64_t current_number_ = 0;
  uint64_t current_bytes_ = 0;   // good bytes: where the next block goes
  uint64_t reserved_bytes_ = 0;  // space is reserved up to here
  bool can_reserve_ = true;      // false: the file system does not do that
  std::string buffer_;           // the block being written

  // Held by a whole Sync, DeleteBelow or Close, so that they come one after the other.
  Mutex sync_mutex_ ABSL_ACQUIRED_BEFORE(mutex_);
  std::unique_ptr<SyncedNote> synced_note_ ABSL_GUARDED_BY(sync_mutex_);
  mutable Mutex mutex_;                                     // held briefly
  std::vector<Segment> list_ ABSL_GUARDED_BY(mutex_);       // by number
  std::vector<Unsynced> unsynced_ ABSL_GUARDED_BY(mutex_);  // by number
  bool is_directory_unsynced_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t pins_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);  // why writes are refused

  std::atomic<uint64_t> next_sequence_{1};
  std::atomic<uint64_t> synced_sequence_{1};
  std::atomic<uint64_t> oldest_sequence_{1};
  std::atomic<uint64_t> bytes_{0};
  std::atomic<uint64_t> segment_count_{0};
  std::atomic<size_t> unseen_cuts_{0};
};

}  // namespace hourcell
