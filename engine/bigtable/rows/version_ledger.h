// VersionLedger: the versions of one process's writes, the writes in progress, and the versions
// that a new view sees.
//
// Processes reserve disjoint blocks of versions, and each process gets greater ones than the
// processes that opened the store before it. A view sees the writes that had ended when it was
// made. A write with an unknown outcome (its call had no answer) may take effect at any later time;
// views of this process never see it, so no view changes.

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
  // Returns the first of `count` versions that are reserved for this process and greater than all
  // versions reserved before. May be called on any thread, but not concurrently.
  using Reserve = std::function<absl::StatusOr<uint64_t>(uint64_t count)>;

  // Reserves versions in blocks of `block`. REQUIRES: block > 0.
  VersionLedger(Reserve reserve, uint64_t block);

  // Reserves the first block, so that the first view sees all earlier writes. REQUIRES: called
  // once, before any other.
  absl::Status Open();

  // Begins a write with `count` consecutive versions and returns the first. kUnavailable and
  // others: no versions could be reserved.
  absl::StatusOr<uint64_t> Begin(uint64_t count);

  // Ends the write: later views see it. `is_known` false: the outcome is unknown.
  void End(uint64_t first, bool is_known);

  // True if the outcome of some write is unknown: it may take effect at any later time.
  bool HasUnknown();

  // A view of all writes that have ended. Until Release, rows are not rewritten in a way that the
  // view could notice.
  VersionView Acquire();
  void Release(const VersionView& view);

  // Writes up to this version have ended, and all held views see them, except the hidden ones of
  // the returned view.
  VersionView Settled();

 private:
  absl::Status ReserveFor(uint64_t count) ABSL_EXCLUSIVE_LOCKS_REQUIRED(reserve_mutex_);

  const Reserve reserve_;
  const uint64_t block_;

  Mutex reserve_mutex_;  // held while a block is reserved; before mutex_
  Mutex mutex_;
  uint64_t next_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t block_end_ ABSL_GUARDED_BY(mutex_) = 0;                  // exclusive
  uint64_t max_ ABSL_GUARDED_BY(mutex_) = 0;                        // greatest version begun
  std::map<uint64_t, uint64_t> under_way_ ABSL_GUARDED_BY(mutex_);  // first to last
  // Neighbours are joined, so that a long outage needs few ranges.
  std::vector<VersionRange> unknown_ ABSL_GUARDED_BY(mutex_);  // ascending
  // For each held view, the lowest version that only later views may see.
  std::multiset<uint64_t> floors_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
