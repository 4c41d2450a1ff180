// DroppingSeries: which series are about to be dropped while puts continue, and which were dropped
// since the store was opened.
//
// An announced series is unused as long as no put looks it up in the tables; a put that does takes
// it off the list (Use), and it stays. Take drops the series that are still on the list: from then
// on a put that still finds the row of one treats it as missing, and creates the series again,
// under another number.
//
// A put that has the number from elsewhere does not call Use. So the caller that announces series
// clears them from caches, and waits for puts that were under way: engine/deletion. Thread-safe.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "codec/base/mutex.h"
#include "codec/rows/uid.h"
#include "engine/rows/series_key.h"

namespace hourcell {

class DroppingSeries {
 public:
  DroppingSeries();
  ~DroppingSeries();

  // Puts series on the list.
  void Announce(std::span<const SeriesNumber> numbers);

  // A put found this number in the tables. Takes it off the list and returns it; 0 if the series
  // was dropped.
  SeriesNumber Use(SeriesNumber number);

  // The same without taking anything off the list, for readers.
  bool WasDropped(SeriesNumber number) const;

  // Those of `numbers` that are still on the list: they are dropped from now on. The others are
  // taken off the list.
  std::vector<SeriesNumber> Take(std::span<const SeriesNumber> numbers);

  // After Take: their rows are gone. Counts for DropsOf.
  void Finish(Uid metric);

  // After Take: their rows could not be removed, and they are as before.
  void Undo(std::span<const SeriesNumber> numbers);

  // Empties the list.
  void Cancel();

  // Changes whenever series were taken, finished or undone. A caller that did not find a series at
  // another count must look again.
  uint64_t changes() const { return changes_.load(); }

  // How many times series of the metric were dropped: grows before a dropped one can be made anew.
  uint64_t DropsOf(Uid metric) const;

 private:
  struct Numbers;

  std::atomic<bool> is_any_{false};  // announced or dropped ever; else calls skip the lock
  std::atomic<uint64_t> changes_{0};
  mutable Mutex mutex_;
  absl::flat_hash_set<SeriesNumber> announced_ ABSL_GUARDED_BY(mutex_);
  const std::unique_ptr<Numbers> dropped_ ABSL_PT_GUARDED_BY(mutex_);
  absl::flat_hash_map<Uid, uint64_t> drops_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
