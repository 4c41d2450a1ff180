// VersionLedger: the versions of one process's writes: which are under way, and what a view of this
// moment sees.
//
// Versions come in blocks that no two processes have, and each process has greater ones than those
// that opened the store before it. A view sees what had ended when it was made. A write whose end
// nobody knows (its call had no answer) may take effect at any later time; views of this process
// never see it, so that none of them changes.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "engine/bigtable/rows/version_view.h"

namespace hourcell {

// Thread-safe.
class VersionLedger {
 public:
  // Hands out the first of `count` versions that nobody else has, each greater than all that were
  // handed out before. Any thread calls it, one at a time.
  using Reserve = std::function<absl::StatusOr<uint64_t>(uint64_t count)>;

  // Takes versions by blocks of `block`. REQUIRES: block > 0.
  VersionLedger(Reserve reserve, uint64_t block);

  // Takes the first block: what was written before it is seen by the first view. REQUIRES: called
  // once, before any other.
  absl::Status Open();

  // Begins a write with `count` versions in a row, and returns the first. kUnavailable and others:
  // none could be had.
  absl::StatusOr<uint64_t> Begin(uint64_t count);

  // The write is over: what follows sees it. With `is_known` false, nobody knows how much of it
  // took effect.
  void End(uint64_t first, bool is_known);

  // Whether the end of some write is unknown: it may take effect at any later time.
  bool HasUnknown();

  // What was over by now. Until Release, no row is rewritten in a way that the view could see.
  VersionView Acquire();
  void Release(const VersionView& view);

  // Writes up to this version are over, and all views that are held see them, but for the hidden
  // ones of the returned view.
  VersionView Settled();

 private:
  absl::Status ReserveFor(uint64_t count) ABSL_EXCLUSIVE_LOCKS_REQUIRED(reserve_mutex_);

  const Reserve reserve_;
  const uint64_t block_;

  Mutex reserve_mutex_;  // held while a block is taken; before mutex_
  Mutex mutex_;
  uint64_t next_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t block_end_ ABSL_GUARDED_BY(mutex_) = 0;                  // exclusive
  uint64_t max_ ABSL_GUARDED_BY(mutex_) = 0;                        // of those that were begun
  std::map<uint64_t, uint64_t> under_way_ ABSL_GUARDED_BY(mutex_);  // first to last
  // Neighbours are one range, so that a long outage is few of them.
  std::vector<VersionRange> unknown_ ABSL_GUARDED_BY(mutex_);  // ascending
  // For each view that is held, the lowest version that it may not see and later ones do.
  std::multiset<uint64_t> floors_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
