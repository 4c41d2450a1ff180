// Journal: the log of points in front of the open hours. Opaque payloads go in as numbered blocks;
// after a crash they come out again, in order, all that were synced and nothing else than what was
// written. What a payload holds is its writer's business.
//
// On disk: a directory of segments, 00000000000000000001.log and so on, each a header and blocks
// (engine/journal/journal_block.h has the bytes). Blocks count up by one from 1, over all segments
// and all openings. A segment is never appended to by a later opening.
//
// What is lost when:
//   kill -9      nothing that Write returned OK for.
//   power loss   nothing below synced_sequence(); of the rest, any blocks, for pages reach the disk
//                in any order.
//   damage       of blocks that were synced, and something after them says so, or the note beside
//                the segments (engine/journal/journal_synced.h): Open fails with kDataLoss, with
//                file, offset, what is there and what was expected. Others that do not check are
//                taken out and kept beside, see cuts(); blocks after them stay (journal_repair.h).
//
// Threads: one Write at a time, and no Write while Replay runs; Sync, DeleteBelow and the counters
// from any thread beside it. The lock of the store keeps other processes out
// (engine/rocks/files/store_lock.h).

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
#include "engine/journal/journal_cut.h"

namespace rocksdb {
class Env;
class FileSystem;
class FSDirectory;
class FSWritableFile;
}  // namespace rocksdb

namespace hourcell {

class JournalPin;
class SyncedNote;

// The file system of an Env; null for null. Borrows from it.
rocksdb::FileSystem* FileSystemOf(rocksdb::Env* env);

// Makes a journal's directory, if it is missing, so that a power loss leaves it there. `fs` as in
// JournalOptions.
absl::Status MakeJournalDirectory(rocksdb::FileSystem* fs, const std::string& path);

struct JournalOptions {
  std::string directory;              // <store>/journal; made if missing and `create`
  rocksdb::FileSystem* fs = nullptr;  // borrowed; null = the operating system's
  size_t segment_bytes = 64 << 20;    // a block that would go beyond it begins a new segment
  // Disk space is reserved this far ahead of the blocks, so that a full disk is found by a Write
  // and not after it. 0 = never.
  size_t preallocate_bytes = 4 << 20;
  bool create = true;  // false: a missing directory is kDataLoss
  // All blocks below it are in cells: none is needed any more, damage among them does no harm, and
  // no block gets a sequence below it. 0 = not known.
  uint64_t low_mark = 0;
};

class Journal {
 public:
  // Called with each block's sequence and payload; the payload lives as long as the call.
  using Visit = std::function<absl::Status(uint64_t sequence, std::string_view payload)>;

  // Finds the segments and checks every block from the low mark on. What was not synced and does
  // not check is taken out durably; beyond that nothing is written until the first Write.
  // kDataLoss: damage, see above. kFailedPrecondition: a segment of a newer format. kUnavailable:
  // the file system refused something.
  static absl::StatusOr<std::unique_ptr<Journal>> Open(const JournalOptions& options);
  // As after a crash: no footer is written and nothing is synced. Close is the good end.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Calls visit(sequence, payload) for every block with sequence >= `from`, in order, on the
  // caller's thread, while another thread reads and checks ahead. `from` 0 = the oldest there is.
  // kDataLoss: damage, or `from` is older than the oldest. An error of `visit` ends it and is
  // returned. What is written meanwhile is not visited. REQUIRES: no DeleteBelow meanwhile, or a
  // pin.
  absl::Status Replay(uint64_t from, const Visit& visit) const;

  // Appends one block: the parts, one after the other. When it returns OK the block is with the
  // operating system. REQUIRES: one call at a time.
  // kUnavailable (no space, a short write, an I/O error): the block is not in the journal, and the
  // same Write may be tried again. kFailedPrecondition: an earlier fsync failed (see Sync), or
  // Close was called. kInvalidArgument: more than kBlockPayloadBytesMax bytes.
  absl::Status Write(std::span<const std::string_view> payload_parts);

  // Makes all that was written before the call survive a power loss. Thread-safe.
  // kFailedPrecondition: an fsync failed, now or earlier. What is on disk is unknown then, and
  // every Write and Sync is refused until the journal is opened again.
  absl::Status Sync();

  // Deletes segments all of whose blocks are below `low_mark`, oldest first; the newest one only
  // once the journal is closed. While segments are pinned it deletes none. Thread-safe.
  // kUnavailable: a file could not be deleted; later ones were not tried.
  absl::Status DeleteBelow(uint64_t low_mark);

  // The segments that have blocks from `low_mark` on, as they are now. None is deleted as long as
  // the pin lives, which must not be longer than the journal. Thread-safe.
  std::unique_ptr<JournalPin> Pin(uint64_t low_mark);

  // The least low mark with which DeleteBelow deletes the segment that has block `sequence` and all
  // before it; of a block in the newest segment, those before that one. 0: DeleteBelow deletes
  // nothing now, because there is only one segment, or because they are pinned. Thread-safe.
  uint64_t LowMarkThatDeletes(uint64_t sequence) const;

  // Syncs, and writes a footer, which lets the next Open tell an end from a loss. Write and Sync
  // are refused from then on. REQUIRES: no Write meanwhile.
  absl::Status Close();

  // What Open took out.
  const std::vector<JournalCut>& cuts() const { return cuts_; }
  // What it, or opens before it, took out and nobody has acknowledged.
  absl::StatusOr<std::vector<JournalCut>> UnseenCuts() const;
  // How many those are, without a look at the directory.
  size_t unseen_cuts() const { return unseen_cuts_.load(std::memory_order_relaxed); }
  // Acknowledges these.
  absl::Status Acknowledge(const std::vector<JournalCut>& cuts);

  // Why it takes no more writes until it is opened again; OK if it does. See Sync.
  absl::Status failure() const;

  // What its file system has left for this user; nothing if it does not say. Thread-safe.
  std::optional<uint64_t> DiskFreeBytes() const;
  // Whether blocks are missing in the middle, so that later ones may name series that only a
  // missing one defines.
  bool has_gap() const { return has_gap_; }

  // The sequence of the block that the next Write makes.
  uint64_t next_sequence() const { return next_sequence_.load(std::memory_order_relaxed); }
  // All blocks below it are synced.
  uint64_t synced_sequence() const { return synced_sequence_.load(std::memory_order_relaxed); }
  // The first block of the oldest segment; next_sequence() if there is no segment.
  uint64_t oldest_sequence() const { return oldest_sequence_.load(std::memory_order_relaxed); }
  uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }  // of all segments
  // Of memory, between writes. Of the writer's thread.
  size_t buffer_bytes() const { return buffer_.capacity(); }
  uint64_t segments() const { return segment_count_.load(std::memory_order_relaxed); }

 private:
  friend class JournalPin;

  struct Segment {
    uint64_t number = 0;
    uint64_t first_sequence = 0;
    uint64_t bytes = 0;  // header and valid blocks
  };
  // A segment that has to be synced before what is in it counts as synced.
  struct Unsynced {
    uint64_t number = 0;
    std::shared_ptr<rocksdb::FSWritableFile> file;  // null: found by Open, not opened yet
  };

  explicit Journal(const JournalOptions& options);

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

// Segments of a journal that stay: what is in front of `bytes` of each never changes.
class JournalPin {
 public:
  struct File {
    std::string name;  // in the journal's directory
    std::string path;
    uint64_t bytes = 0;  // header and valid blocks
  };

  explicit JournalPin(Journal* journal) : journal_(*journal) {}  // for Journal::Pin
  ~JournalPin();
  JournalPin(const JournalPin&) = delete;
  JournalPin& operator=(const JournalPin&) = delete;

  const std::vector<File>& files() const { return files_; }  // oldest first
  // The first block that is not in them.
  uint64_t next_sequence() const { return next_sequence_; }

 private:
  friend class Journal;
  Journal& journal_;
  std::vector<File> files_;
  uint64_t next_sequence_ = 0;
};

}  // namespace hourcell
