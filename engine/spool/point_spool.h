// PointSpool: acknowledged points on their way to another server. An observer of a store: it writes
// the points of each put to a journal of its own before they are acknowledged. One thread reads
// them in order and says what is done with.
//
//   put    BeforeStore -> memory -> journal block of the store -> AfterPut: files -> acknowledged
//   read   Read -> (the caller sends) -> Done: position durable, files deleted
//
// On disk: a directory with the segments of a FileJournal, whose blocks spool_block.h describes,
// `position`, and `id`, by which servers that forward to each other know their own points. Only one
// process may have it open: the lock of the store sees to that.
//
// Points of one instant are read in the order in which the store has taken them: the last one is
// the one that it keeps. Points that have come through this server before are refused, so that they
// do not go round.
//
// What is lost when:
//   kill -9      no point that was acknowledged. Points that were sent and not yet said to be Done
//                are read again.
//   power loss   with sync_always, no point that was acknowledged. Else those since the last sync,
//                as of the store; and either may keep a point that the other loses.
//   no room      beyond bytes_max, or where a file cannot be written: see dropped(). Puts go on.
//   failed sync  nothing by that alone: see unsynced(). Nothing more can be written until the spool
//                is opened again, and points are dropped.
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

// The header of /api/put with the ids of the servers that have forwarded its points.
inline constexpr char kViaHeader[] = "X-Hourcell-Via";
// What a server says that gets its own points.
inline constexpr char kOwnPointsText[] = "these points have come from this server by tsd.forward";

// Points that were read together. They borrow of `blocks`.
struct SpooledBatch {
  std::deque<std::string> blocks;
  SpooledPoints read;
  std::string via;    // of all of them: the servers that have forwarded them
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

  absl::Status BeforePut(const PutBatch& batch) override;
  bool WantsOrder() const override { return true; }
  void BeforeStore(const PutBatch& batch) override;
  void AfterPut(uint64_t batch, size_t points) override;

  // The next points, of whole blocks: of `bytes` at least, if there are so many. Gives each once in
  // an opening. False: there are none now. kUnavailable: the files cannot be read; try again.
  absl::StatusOr<bool> Read(size_t bytes, SpooledBatch* batch);

  // Adds the next points to the batch, if they have its `via`. False: there are none now.
  absl::StatusOr<bool> ReadMore(size_t bytes, SpooledBatch* batch);

  // All points up to the batch's end are done with. kUnavailable: the position could not be written
  // or files not be deleted; after a crash the points may be read again.
  absl::Status Done(const SpooledBatch& batch);

  // Of this server; 16 hexadecimal digits. After Open.
  const std::string& id() const { return id_; }

  // Points that will not be read: there was no room, or they were damaged. Since the spool was
  // made: the number is kept beside the position. A crash may take those that could not be written
  // since the last Done and after which no block was written.
  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  // Points that were acknowledged and not sent, and that a power loss takes, as a sync has failed.
  uint64_t unsynced() const;
  // Of the files. The newest one stays although all of its points are done with.
  uint64_t bytes() const { return journal_ == nullptr ? 0 : journal_->bytes(); }
  // How long ago the oldest point was put that is not Done; 0: there is none.
  int64_t LagMs() const;

 private:
  struct Block {
    uint64_t sequence = 0;
    std::string bytes;
    uint64_t dropped = 0;  // points in front of it; once it is loaded
  };

  absl::Status FindId();
  absl::Status FindEnd();
  void Flush();
  // Moves the reader to the block after a gap. Returns how many points of the gap are not counted
  // as dropped yet.
  uint64_t SkipTo(uint64_t points_before) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SyncFiles();
  absl::Status SavePosition() ABSL_LOCKS_EXCLUDED(mutex_);
  void MakeRoom(size_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  void CountDropped(uint64_t oldest) ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  void AddDropped(uint64_t points, std::string_view why);
  void Warn(std::string_view text);

  bool TakeFromMemory() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status ReadFiles(uint64_t from);
  void SkipDamage(uint64_t from, const absl::Status& damage);
  // Gives the block to the reader; what is missing in front of it was dropped.
  void Load(Block block) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TakeLoaded(size_t bytes, SpooledBatch* batch);

  std::string PathOf(std::string_view name) const {
    return settings_.directory + '/' + std::string(name);
  }

  const SpoolSettings settings_;
  std::unique_ptr<FileJournal> journal_;  // from Open on
  std::string id_;                        // the same

  // Points that are in no block yet, after room for the header and their `via`.
  Mutex pending_mutex_;
  std::string pending_via_ ABSL_GUARDED_BY(pending_mutex_);
  std::string pending_ ABSL_GUARDED_BY(pending_mutex_);
  uint32_t pending_points_ ABSL_GUARDED_BY(pending_mutex_) = 0;

  // Held while a block is written, and with sync_always synced.
  Mutex write_mutex_ ABSL_ACQUIRED_BEFORE(pending_mutex_, mutex_);
  // Of all blocks, gone ones too, with those that could not be written. Written under write_mutex_.
  std::atomic<uint64_t> total_points_{0};

  mutable Mutex mutex_;                             // held briefly
  std::deque<Block> tail_ ABSL_GUARDED_BY(mutex_);  // the newest, as they are in the files
  size_t tail_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t end_ ABSL_GUARDED_BY(mutex_) = 0;      // of the block that is written next
  SpoolPosition loaded_ ABSL_GUARDED_BY(mutex_);  // the reader has what is in front of it
  SpoolPosition done_ ABSL_GUARDED_BY(mutex_);    // what is in front of it is done with
  std::deque<Block> ahead_;                       // of the reader: loaded, and not given out
  uint64_t undecoded_ = 0;                        // the same: points of blocks that are no blocks

  std::unique_ptr<Background> syncer_;  // from Open to Close

  std::atomic<int64_t> oldest_ms_{0};  // when the oldest point was put that is not done with
  std::atomic<uint64_t> dropped_{0};
  std::atomic<uint64_t> synced_points_{0};  // of total_points_
  std::atomic<uint64_t> unsynced_end_{0};   // of total_points_, when a sync failed; 0: none has
  std::atomic<int64_t> warned_ms_{0};
};

}  // namespace hourcell
