// LateCommits: the journal of a fake store. As in a real store, a ticket is done only after a wait
// for it. Without a wait its points stay in memory, where kill -9 would lose them.
//
//   settings.append = [&](size_t points, ...) { return commits.Take(points); };
//   <the code under test acknowledges the points>
//   EXPECT_EQ(commits.written_points(), points);
//
// Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include <absl/status/status.h>

#include "codec/base/mutex.h"
#include "codec/base/status_copy.h"
#include "engine/append.h"

namespace hourcell {

class LateCommits final : public BlockCommitter {
 public:
  // A batch of `points` points, in a separate block after those before it.
  CommitTicket Take(size_t points, bool sync = false) {
    MutexLock lock(&mutex_);
    const uint64_t block = blocks_.empty() ? 1 : blocks_.rbegin()->first + 1;
    return TakeLocked(block, points, sync);
  }
  // The same in block `block`, which others may be in.
  CommitTicket TakeInto(uint64_t block, size_t points, bool sync = false) {
    MutexLock lock(&mutex_);
    return TakeLocked(block, points, sync);
  }
  // The block that the next Take gets cannot be written at first; it is tried again.
  void FailNext(const absl::Status& failure) {
    MutexLock lock(&mutex_);
    const uint64_t block = blocks_.empty() ? 1 : blocks_.rbegin()->first + 1;
    failures_.emplace(block, CopyStatus(failure));
  }

  // Points that survive kill -9: their blocks were waited for.
  size_t written_points() const { return PointsOf(&Block::is_written); }
  // Points that survive a power loss: their blocks were waited for with `sync`.
  size_t synced_points() const { return PointsOf(&Block::is_synced); }

  absl::Status CommitThrough(uint64_t block, bool sync) override {
    MutexLock lock(&mutex_);
    for (auto it = blocks_.begin(); it != blocks_.end() && it->first <= block; ++it) {
      if (const auto failed = failures_.find(it->first); failed != failures_.end()) {
        absl::Status failure = std::move(failed->second);
        failures_.erase(failed);
        return failure;
      }
      it->second.is_written = true;
      it->second.is_synced |= sync;
    }
    return absl::OkStatus();
  }
  absl::Status CommitWithin(uint64_t block, bool sync, int64_t /*wait_ms*/) override {
    return CommitThrough(block, sync);
  }

 private:
  struct Block {
    size_t points = 0;
    bool is_written = false;
    bool is_synced = false;
  };

  CommitTicket TakeLocked(uint64_t block, size_t points, bool sync)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    blocks_[block].points += points;
    return {this, block, sync};
  }
  size_t PointsOf(bool Block::* has_it) const {
    MutexLock lock(&mutex_);
    size_t points = 0;
    for (const auto& [number, block] : blocks_)
      if (block.*has_it) points += block.points;
    return points;
  }

  mutable Mutex mutex_;
  std::map<uint64_t, Block> blocks_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, absl::Status> failures_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
