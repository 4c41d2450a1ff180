// PointSpool: acknowledged points on their way to another server. An observer of a store: it writes
// the points of each put to a journal of its own before they are acknowledged. One thread reads
// them in order and says what is done with.
//
//   put    BeforeStore -> memory -> journal block of the store -> AfterPut: files -> acknowledged
//   read   Read -> (the caller sends) -> Done: position durable, files deleted
//
// On disk: a directory with the segments of a FileJournal, whose blocks spool_block.h describes,
// and `position`. Only one process may have it open: the lock of the store sees to that.
//
// What is lost when:
//   kill -9      no point that was acknowledged. Points that were sent and not yet said to be Done
//                are read again.
//   power loss   with sync_always, no point that was acknowledged. Else those since the last sync,
//                as of the store; and either may keep a point that the other loses.
//   no room      beyond bytes_max, or where a file cannot be written: see dropped(). Puts go on.
//   damage       of what was synced: Open fails with kDataLoss. While it is open, the segment with
//                the damage is left out, and its points are counted as dropped.
//
// Threads: the observer's methods and the counters from any thread; Read and Done from one.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "engine/journal/file_journal.h"
#include "engine/spool/spool_block.h"
#include "engine/store_observer.h"
#include "engine/threads/background.h"

namespace hourcell {

struct SpoolSettings {
  std::string directory = {};              // its parent is there
  uint64_t bytes_max = uint64_t{1} << 30;  // of the files; at least kSpoolBytesMin
  bool sync_always = false;                // before a put is acknowledged
  int64_t sync_interval_ms = 0;            // between syncs of a thread of its own; 0 = none
  Clock* clock = Clock::System();          // borrowed
  rocksdb::FileSystem* fs = nullptr;       // borrowed; null = the operating system's
  std::function<void(std::string_view)> warn = {};  // as Options::warn
};

inline constexpr uint64_t kSpoolBytesMin = 64 << 10;

// Points that were read together. They borrow of `blocks`.
struct SpooledBatch {
  std::deque<std::string> blocks;
  SpooledPoints read;
  SpoolPosition end;  // of the block after its last
};

class PointSpool : public StoreObserver {
 public:
  explicit PointSpool(SpoolSettings settings);
  // As after a crash.
  ~PointSpool() override;
  PointSpool(const PointSpool&) = delete;
  PointSpool& operator=(const PointSpool&) = delete;

  // Opens the files, which are made if they are missing. Before the first put. kDataLoss: damage.
  // kUnavailable: the file system refused something.
  absl::Status Open();

  // Writes what is in memory, and ends the files in good order. No put and no Read from then on.
  absl::Status Close();

  void BeforeStore(const PutBatch& batch) override;
  void AfterPut(uint64_t batch, size_t points) override;

  // The next points, of whole blocks: of `bytes` at least, if there are so many. Gives each once in
  // an opening. False: there are none now. kUnavailable: the files cannot be read; try again.
  absl::StatusOr<bool> Read(size_t bytes, SpooledBatch* batch);

  // All points up to the batch's end are done with. kUnavailable: the position could not be written
  // or files not be deleted; after a crash the points may be read again.
  absl::Status Done(const SpooledBatch& batch);

  // Points that will not be read: there was no room, or they were damaged.
  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  // Of the files. The newest one stays although all of its points are done with.
  uint64_t bytes() const { return journal_ == nullptr ? 0 : journal_->bytes(); }
  // How long ago the oldest point was put that is not Done; 0: there is none.
  int64_t LagMs() const;

 private:
  struct Block {
    uint64_t sequence = 0;
    std::string bytes;
  };

  absl::Status FindEnd();
  void Flush();
  void MakeRoom(size_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  void CountDropped(uint64_t oldest) ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  void AddDropped(uint64_t points, std::string_view why);

  bool TakeFromMemory() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status ReadFiles(uint64_t from);
  void SkipDamage(uint64_t from, const absl::Status& damage);
  // Gives the block to the reader; what is missing in front of it was dropped.
  void Load(Block block) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TakeLoaded(size_t bytes, SpooledBatch* batch);

  std::string PositionPath() const { return settings_.directory + "/position"; }

  const SpoolSettings settings_;
  std::unique_ptr<FileJournal> journal_;  // from Open on

  // Points that are in no block yet, after room for the header.
  Mutex pending_mutex_;
  std::string pending_ ABSL_GUARDED_BY(pending_mutex_);
  uint32_t pending_points_ ABSL_GUARDED_BY(pending_mutex_) = 0;

  // Held while a block is written, and with sync_always synced.
  Mutex write_mutex_ ABSL_ACQUIRED_BEFORE(pending_mutex_, mutex_);
  uint64_t total_points_ ABSL_GUARDED_BY(write_mutex_) = 0;  // of all blocks, gone ones too

  Mutex mutex_;                                     // held briefly
  std::deque<Block> tail_ ABSL_GUARDED_BY(mutex_);  // the newest, as they are in the files
  size_t tail_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t end_ ABSL_GUARDED_BY(mutex_) = 0;      // of the block that is written next
  SpoolPosition loaded_ ABSL_GUARDED_BY(mutex_);  // the reader has what is in front of it
  uint64_t done_ ABSL_GUARDED_BY(mutex_) = 0;     // blocks below are done with
  std::deque<Block> ahead_;                       // of the reader: loaded, and not given out

  std::unique_ptr<Background> syncer_;  // from Open to Close

  std::atomic<int64_t> oldest_ms_{0};  // when the oldest point was put that is not done with
  std::atomic<uint64_t> dropped_{0};
  std::atomic<int64_t> warned_ms_{0};
};

}  // namespace hourcell
