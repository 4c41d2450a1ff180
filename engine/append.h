// The values of Tsdb::Append: how a batch of points is taken, which of them are refused, and the
// ticket on which a caller waits for the acknowledgement.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include <absl/status/status.h>

#include "codec/text/point_error.h"

namespace hourcell {

// Writes and syncs blocks of the journal. Thread-safe.
class BlockCommitter {
 public:
  BlockCommitter() = default;
  virtual ~BlockCommitter() = default;
  BlockCommitter(const BlockCommitter&) = delete;
  BlockCommitter& operator=(const BlockCommitter&) = delete;

  // Returns when all blocks up to `block` are written and, with `sync`, synced. Errors are those of
  // CommitTicket::Wait.
  virtual absl::Status CommitThrough(uint64_t block, bool sync) = 0;
  // The same, for at most `wait_ms` milliseconds; see CommitTicket::WaitFor.
  virtual absl::Status CommitWithin(uint64_t block, bool sync, int64_t wait_ms) = 0;
};

// A point of a batch that was not taken, and why.
struct RefusedPoint {
  size_t index = 0;  // into the batch
  PointError error;
};

// The promise after an Append. Wait returns once the points it covers are acknowledged: OK means
// kill -9 cannot undo them, in any sync mode. A ticket covers its own Append and no other one: a
// later Append may take no points, or may get an earlier block. A caller of several Appends that
// waits once has one ticket Cover the others. Valid as long as the store is open.
class CommitTicket {
 public:
  CommitTicket() = default;
  explicit CommitTicket(absl::Status done) : done_(std::move(done)) {}
  CommitTicket(BlockCommitter* commit, uint64_t block, bool sync)
      : commit_(commit), block_(block), sync_(sync) {}

  // From now on this ticket also covers what `other` covers. The greater block counts, `sync`
  // counts if either has it, and the first failure is kept. REQUIRES: both are of one store.
  void Cover(const CommitTicket& other);

  // kUnavailable: the points are not acknowledged, as there is no room for them or the journal
  // cannot be written; they may be put again. kFailedPrecondition: the store takes no more points
  // until it is opened again. Else: what an observer has refused them with (store_observer.h).
  absl::Status Wait() const;

  // Wait for at most `wait_ms` milliseconds. kDeadlineExceeded: not acknowledged by then. Nothing
  // is taken back: the points are visible, and mostly acknowledged a little later.
  absl::Status WaitFor(int64_t wait_ms) const;

  // Known at once: no Append that it covers took a point, as there was no room for them, or an
  // observer refused them.
  bool took_nothing() const { return commit_ == nullptr && !done_.ok(); }

 private:
  absl::Status done_;  // not OK: an Append failed
  BlockCommitter* commit_ = nullptr;
  uint64_t block_ = 0;  // of the journal
  bool sync_ = false;
};

// How many of so many new series may be created now; it counts them as created. Thread-safe.
using NewSeriesQuota = std::function<size_t(size_t wanted)>;

struct AppendOptions {
  bool sync = false;  // fsync before the ticket is done, whatever the mode (/api/put?sync)
  // How long Append may block when memory or journal are full, before it takes none of the points
  // and the ticket is kUnavailable; and how long before it may create series, as others are being
  // created or the tables of names take no rows: then it refuses the points of new series, with
  // kThrottled, and takes the others.
  int64_t wait_ms = 10'000;
  // Rather than refuse some of the points with kThrottled it takes none; the ticket is kAborted.
  bool all_or_none = false;
  // The servers that have forwarded the points, for observers (PutBatch::via); borrowed.
  std::string_view via = {};
  // Of the series that the points would create; borrowed, null = none. Points of series beyond it
  // are refused with kIllegalArgument.
  const NewSeriesQuota* new_series = nullptr;
};

}  // namespace hourcell
