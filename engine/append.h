// The values of Points::Append: its options, the refused points of a batch, and the ticket that a
// caller waits for the acknowledgement.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include <absl/status/status.h>

#include "codec/histograms/exponential_histogram.h"
#include "codec/histograms/simple_histogram.h"
#include "codec/point.h"
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

// A refused point of a batch, and the reason.
struct RefusedPoint {
  size_t index = 0;  // into the batch
  PointError error;
};

// The promise after an Append. Wait returns once the points it covers are acknowledged: OK means
// kill -9 cannot undo them, in any sync mode. A ticket covers only its Append: a later Append may
// store no points, or may get an earlier block. To wait once for several Appends, let one ticket
// Cover the others. Valid as long as the store is open.
class CommitTicket {
 public:
  CommitTicket() = default;
  explicit CommitTicket(absl::Status done) : done_(std::move(done)) {}
  CommitTicket(BlockCommitter* commit, uint64_t block, bool sync)
      : commit_(commit), block_(block), sync_(sync) {}

  // Adds everything that `other` covers. The greater block counts, `sync` counts if either has it,
  // and the first failure is kept. REQUIRES: both are of one store.
  void Cover(const CommitTicket& other);

  // kUnavailable: the points are not acknowledged, because memory or journal are full or the
  // journal cannot be written; retry. kFailedPrecondition: the store refuses points until it is
  // opened again. Otherwise the error of the observer that refused them (store_observer.h).
  absl::Status Wait() const;

  // Wait for at most `wait_ms` milliseconds. kDeadlineExceeded: not acknowledged by then. The
  // points stay visible, and are usually acknowledged a little later.
  absl::Status WaitFor(int64_t wait_ms) const;

  // True if all Appends that it covers stored nothing, because memory or journal were full or an
  // observer refused the points. Known without a Wait.
  bool took_nothing() const { return commit_ == nullptr && !done_.ok(); }

 private:
  absl::Status done_;  // not OK: an Append failed
  BlockCommitter* commit_ = nullptr;
  uint64_t block_ = 0;  // of the journal
  bool sync_ = false;
};

// A histogram of a series at an instant, of one of two kinds; the pointer of the other kind is
// null. The value of `point` counts for nothing; everything is borrowed.
struct HistogramPoint {
  PointView point;
  const SimpleHistogram* histogram = nullptr;
  uint8_t codec = 0;  // the ID of OpenTSDB's codec, which is stored with a SimpleHistogram
  const ExponentialHistogram* exponential = nullptr;
};

// Returns how many of `wanted` new series may be created now, and counts them as created.
// Thread-safe.
using NewSeriesQuota = std::function<size_t(size_t wanted)>;

struct AppendOptions {
  bool sync = false;  // fsync before the ticket is done, whatever the mode (/api/put?sync)
  // How long Append may block while memory or journal are full. Then it refuses all points and the
  // ticket is kUnavailable. Also how long it waits to create series, while other series are being
  // created or the tables of names cannot be written. Then it refuses the points of new series,
  // with kThrottled, and stores the others.
  int64_t wait_ms = 10'000;
  // If some points would be refused with kThrottled, refuses all; the ticket is kAborted.
  bool all_or_none = false;
  // The servers that have forwarded the points, for observers (PutBatch::via); borrowed.
  std::string_view via = {};
  // The item of each point, such as the histogram that it belongs to; borrowed, empty = each point
  // is an item. If a point of an item is refused, so are its others, with the same error. Expired
  // points are left out in either case.
  std::span<const size_t> items = {};
  // Limit for the series that the points would create; borrowed, null = unlimited. Points of series
  // beyond it are refused with kIllegalArgument.
  const NewSeriesQuota* new_series = nullptr;
};

}  // namespace hourcell
