// ObservedPuts: batches of points that observers have allowed and that are not acknowledged yet.
//
//   Ask -> ShowNew -> Order { Show -> points into their open hours } -> Add
//     -> journal block written -> Acknowledge -> AfterPut
//
// A thread that has waited for a block calls Acknowledge before it returns, so that observers learn
// of a batch before its sender does. Thread-safe.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "engine/store_observer.h"

namespace hourcell {

class ObservedPuts {
 public:
  // Borrowed.
  explicit ObservedPuts(std::vector<StoreObserver*> observers);

  // Blocks other puts from Show until the points are in their hours, if an observer wants to see
  // them in order.
  class Order {
   public:
    // `puts` may be null, without observers.
    explicit Order(ObservedPuts* puts);

   private:
    std::optional<MutexLock> lock_;
  };

  // Returns the number of the batch, or the error of an observer that refuses it.
  absl::StatusOr<uint64_t> Ask(std::span<const PointView> points, std::string_view via = {});

  // Shows observers series that were created. REQUIRES: not empty.
  void ShowNew(std::span<const CreatedSeries> series);

  // Shows observers the points of an allowed batch that are stored next.
  void Show(const PutBatch& batch);

  // Points of the batch are in the journal once `block` is written; and acknowledged once it is
  // synced, if they want that.
  void Add(uint64_t batch, size_t points, uint64_t block, bool wants_sync);

  // All blocks up to `block` are written, and with `is_synced` synced.
  void Acknowledge(uint64_t block, bool is_synced);

  // True while the calling thread is in Ask, ShowNew or Show.
  static bool IsAsking();

 private:
  struct Entry {
    uint64_t batch;
    size_t points;
    uint64_t block;
    bool wants_sync;
  };

  // Removes and returns acknowledged entries, in the order of Add.
  std::vector<Entry> TakeDone();

  const std::vector<StoreObserver*> observers_;
  const bool wants_order_;
  Mutex order_;  // taken before those of lanes
  std::atomic<uint64_t> last_batch_{0};
  Mutex telling_;  // held while observers are called; taken before mutex_
  Mutex mutex_;
  std::vector<Entry> entries_ ABSL_GUARDED_BY(mutex_);
  // Blocks below are written, and synced.
  uint64_t written_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t synced_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace hourcell
