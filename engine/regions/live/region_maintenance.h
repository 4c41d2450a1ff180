// RegionMaintenance: splits and merges the regions of the data table in the background, as their
// settings require.
//
//   Tick     for each region that grew: should it be split (split_policy.h)? where (split_point.h)?
//            -> RegionStore::Split, one region after the other
//            every period: the plan of the normaliser (normalizer.h) -> splits and merges
//   Trim     removes the rows that splits left in files of both daughters, before other work
//
// A region that should be split and cannot be is counted and named once; its files are merged as
// usual, so it is not stuck. Thread-safe: one Tick and one Trim at a time.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "engine/regions/live/put_sample.h"
#include "engine/regions/live/region_history.h"
#include "engine/regions/live/region_loads.h"
#include "engine/regions/split/busy_rate.h"
#include "engine/regions/split/region_settings.h"
#include "engine/regions/split/split_policy.h"
#include "engine/stats.h"
#include "engine/table/region_list.h"
#include "engine/table/region_store.h"
#include "engine/table/tables.h"

namespace hourcell {

class RegionMaintenance {
 public:
  // All are borrowed; `warn` may be empty.
  struct Parts {
    Tables* tables = nullptr;
    RegionList* list = nullptr;      // of the same store
    RegionStore* regions = nullptr;  // of the same store
    RegionLoads* loads = nullptr;
    Clock* clock = nullptr;
    Stats* stats = nullptr;
    std::function<void(std::string_view)> warn = {};
    // Of the whole store in milliseconds; 0 = nothing expires. A region that has outlived it is not
    // too young to be merged.
    std::function<int64_t()> ttl_ms = {};
    uint64_t write_buffers_bytes = 0;  // of all tables
    RegionHistory* history = nullptr;  // receives each round; may be null
    PutSample* puts = nullptr;         // sampled puts, for the history; may be null
    // The row keys of puts, for the history; empty for a series that is gone.
    std::function<absl::StatusOr<std::vector<std::string>>(std::span<const SampledPut>)> keys_of =
        {};
  };
  RegionMaintenance(const RegionSettings& settings, const Parts& parts);

  // Storage's errors; a later call repeats the work that failed.
  absl::Status Tick();

  // True if there may be more to do.
  absl::StatusOr<bool> Trim();

  // The last decision about a region, with its reason. Empty for one not looked at yet.
  std::string ReasonOf(RegionId id) const;

 private:
  // Its status is not that of the round: nothing but a picture depends on it.
  void NoteHistory(std::span<const RegionUse> uses) ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  void NotePuts(PutSample::Taken taken) ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  absl::Status SplitWhatIsLarge() ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  absl::Status Consider(const RegionUse& use, const TableFacts& table)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  // Cuts where the bytes or the load are halved; only notes a reason if no such place exists.
  absl::Status SplitRegion(const RegionUse& use,
                           SplitPlace place,
                           const std::string& hint,
                           uint64_t pinned_until_ms) ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  absl::Status Normalize() ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  void WatchRegions() ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  void WarnOfMemory(size_t regions) ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  void SetReason(RegionId id, std::string reason);
  void NoteUnsplittable(const RegionUse& use, const std::string& reason)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  RegionFacts FactsOf(const RegionUse& use, uint64_t now_ms) const;
  double BlockedShareOf(const RegionUse& use, uint64_t now_ms)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_);
  uint64_t NowMs() const { return static_cast<uint64_t>(parts_.clock->NowMs()); }
  uint64_t MonotonicMs() const { return static_cast<uint64_t>(parts_.clock->MonotonicMs()); }

  const RegionSettings settings_;
  const std::unique_ptr<const SplitPolicy> policy_;
  const Parts parts_;
  Counter* const splits_;
  Counter* const merges_;
  Counter* const errors_;
  Counter* const unsplittable_;

  Mutex round_;
  Mutex trimming_;
  // The regions that should be split and cannot be, with their size when that was found.
  std::map<RegionId, uint64_t> unsplittable_bytes_ ABSL_GUARDED_BY(round_);
  std::map<RegionId, BusyRate> busy_rates_ ABSL_GUARDED_BY(round_);
  uint64_t next_normalizing_ms_ ABSL_GUARDED_BY(round_) = 0;
  size_t regions_warned_of_ ABSL_GUARDED_BY(round_) = 0;

  mutable Mutex mutex_;
  std::map<RegionId, std::string> reasons_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
