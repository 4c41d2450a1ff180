// PointSpool: a queue of acknowledged points and histograms for another server. It observes a
// store, and writes the points of each put to a separate journal before they are acknowledged. One
// thread reads in order and calls Done for the points that it sent.
//
//   put    BeforeStore -> memory -> journal block of the store -> AfterPut: files -> acknowledged
//   histograms   AfterHistograms: files -> acknowledged
//   read   Read -> (the caller sends) -> Done: position durable, files deleted
//
// On disk: a directory with the segments of a FileJournal (spool_block.h describes the blocks),
// `position`, and `id`. Servers that forward to each other recognize their own points by `id`. The
// lock of the store ensures that only one process has the spool open.
//
// Points of one instant are read in the order in which the store took them: the store keeps the
// last one. The spool refuses points that have come through this server before, so that forwarding
// does not loop.
//
// Possible losses:
//   kill -9      no acknowledged point. Points that were sent, but not reported with Done, are
//                read again.
//   power loss   with sync_always, no acknowledged point. Otherwise points since the last sync,
//                as in the store; and either may keep a point that the other loses.
//   no room      points beyond bytes_max, or while a file cannot be written: see dropped(). Puts
//                succeed.
//   failed sync  by itself, no point: see unsynced(). Later points are dropped until the spool is
//                opened again.
//   damage       to synced bytes: Open fails with kDataLoss. In an open spool, the damaged segment
//                is skipped, and its points count as dropped.
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
  std::string directory = {};                       // its parent is there
  uint64_t bytes_max = uint64_t{1} << 30;           // of the files; at least kSpoolBytesMin
  bool sync_always = false;                         // before a put is acknowledged
  int64_t sync_interval_ms = 0;                     // between syncs by the spool's thread; 0 = none
  Clock* clock = Clock::System();                   // borrowed
  rocksdb::FileSystem* fs = nullptr;                // borrowed; null = the operating system's
  std::function<void(std::string_view)> warn = {};  // as Options::warn
};

inline constexpr uint64_t kSpoolBytesMin = 64 << 10;

// The header of /api/put with the ids of the servers that have forwarded its points.
inline constexpr char kViaHeader[] = "X-Hourcell-Via";
// The error of a server that receives its own points.
inline constexpr char kOwnPointsText[] = "these points have come from this server by tsd.forward";

// Points that were read together. They borrow from `blocks`.
struct SpooledBatch {
  std::deque<std::string> blocks;
  SpooledPoints read;
  std::string via;    // the servers that have forwarded these points
  SpoolPosition end;  // of the block after its last
};

class PointSpool : public StoreObserver {
 public:
  explicit PointSpool(SpoolSettings settings);
  // As after a crash.
  ~PointSpool() override;
  PointSpool(const PointSpool&) = delete;
  PointSpool& operator=(const PointSpool&) = delete;

  // Opens the files; creates missing ones. Call it before the first put. kDataLoss: damage.
  // kUnavailable: an error of the file system.
  absl::Status Open();

  // Writes points in memory, and ends the files in good order. No later put or Read.
  absl::Status Close();

  absl::Status BeforePut(const PutBatch& batch) override;
  bool WantsOrder() const override { return true; }
  void BeforeStore(const PutBatch& batch) override;
  void AfterPut(uint64_t batch, size_t points) override;

  bool TakesHistograms() const override { return true; }
  absl::Status BeforeHistograms(std::string_view via) override;
  void AfterHistograms(std::span<const StoredHistogram> histograms, std::string_view via) override;

  // Reads the next points, in whole blocks: at least `bytes`, if available. Returns each point once
  // in an opening. False: no points now. kUnavailable: the files cannot be read; retry.
  absl::StatusOr<bool> Read(size_t bytes, SpooledBatch* batch);

  // Adds the next points to the batch, if they have its `via`. False: no points now.
  absl::StatusOr<bool> ReadMore(size_t bytes, SpooledBatch* batch);

  // All points up to the batch's end were sent or refused. kUnavailable: the position could not be
  // written, or files could not be deleted; after a crash the points may be read again.
  absl::Status Done(const SpooledBatch& batch);

  // The id of this server: 16 hexadecimal digits. After Open.
  const std::string& id() const { return id_; }

  // Points that will not be read, for lack of room or because of damage. Counts from the creation
  // of the spool; the number is stored in `position`. A crash loses the count of points that could
  // not be written since the last Done, if no block was written after them.
  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  // Acknowledged points that are not sent yet and would be lost in a power loss, because a sync
  // failed.
  uint64_t unsynced() const;
  // Of the files. The newest file stays even if all of its points were sent.
  uint64_t bytes() const { return journal_ == nullptr ? 0 : journal_->bytes(); }
  // The age of the oldest point without a Done; 0 without one.
  int64_t LagMs() const;

 private:
  struct Block {
    uint64_t sequence = 0;
    std::string bytes;
    uint64_t dropped = 0;  // points before the block; once it is loaded
  };

  absl::Status FindId();
  absl::Status FindEnd();
  absl::Status CheckVia(std::string_view via) const;
  // Collects points, or histograms if there are cells, for the next block.
  void Collect(std::span<const PointView> points,
               std::span<const std::string_view> cells,
               std::string_view via);
  void Flush();
  // Moves the reader to the block after a gap. Returns the number of points in the gap that are not
  // counted as dropped yet.
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
  // Passes the block to the reader; missing points before the block were dropped.
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
  std::string pending_bytes_ ABSL_GUARDED_BY(pending_mutex_);
  uint32_t pending_points_ ABSL_GUARDED_BY(pending_mutex_) = 0;
  bool pending_has_histograms_ ABSL_GUARDED_BY(pending_mutex_) = false;

  // Held while a block is written, and with sync_always synced.
  Mutex write_mutex_ ABSL_ACQUIRED_BEFORE(pending_mutex_, mutex_);
  // Points of all blocks, including deleted ones and failed writes. Written under write_mutex_.
  std::atomic<uint64_t> total_points_{0};

  mutable Mutex mutex_;                                      // held briefly
  std::deque<Block> recent_blocks_ ABSL_GUARDED_BY(mutex_);  // the newest, as they are in the files
  size_t recent_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t next_sequence_ ABSL_GUARDED_BY(mutex_) = 0;   // of the block that is written next
  SpoolPosition read_position_ ABSL_GUARDED_BY(mutex_);  // the reader has all earlier points
  SpoolPosition sent_position_ ABSL_GUARDED_BY(mutex_);  // all earlier points are done
  std::deque<Block> read_blocks_;                        // of the reader: loaded, and not given out
  uint64_t undecoded_points_ = 0;                        // the same: points of invalid blocks

  std::unique_ptr<Background> syncer_;  // from Open to Close

  std::atomic<int64_t> oldest_ms_{0};  // when the oldest point was put that is not done with
  std::atomic<uint64_t> dropped_{0};
  std::atomic<uint64_t> synced_points_{0};  // of total_points_
  std::atomic<uint64_t> unsynced_end_{0};   // of total_points_, when a sync failed; 0: none has
  std::atomic<int64_t> warned_ms_{0};
};

}  // namespace hourcell
