// RegionHistory: the recent load of each region of the data table, in steps of time, and the
// changes of the regions, for a picture of the key space over time. Once a second the caller passes
// the regions' counters; their growth is kept in a bounded ring: kStepsMax steps, or fewer if these
// would be more than kCellsMax cells. It also samples the keys of puts, for splits by the writes
// that come (write_split.h). Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "codec/base/mutex.h"
#include "engine/region_load.h"
#include "engine/regions/live/write_sample.h"
#include "engine/table/region_list.h"

namespace hourcell {

class RegionHistory {
 public:
  static constexpr uint64_t kStepMs = 10'000;
  static constexpr size_t kStepsMax = 720;
  static constexpr size_t kCellsMax = 1 << 18;
  static constexpr size_t kEventsMax = 1'024;
  // Sampled keys of a region in a window, and of all regions; but always 16 of each.
  static constexpr size_t kSampleMax = 128;
  static constexpr size_t kSamplesMax = 1 << 14;
  static constexpr uint64_t kWindowSteps = 30;

  // The current regions, ascending by start, with their counters since they were opened. `now_ms`
  // is Unix time; after a clock is set back, no new steps are made until it reaches the old time.
  void Note(uint64_t now_ms, std::span<const RegionUse> uses);

  struct PutsOfKey {
    std::string key;
    uint64_t count = 0;
  };
  // Points that were put since the last call; together they represent `points`.
  void NotePuts(std::span<const PutsOfKey> puts, uint64_t points);

  // The whole steps from the one that begins at or after `since_ms`. Keys are bytes, and nothing is
  // explained.
  RegionLoadReport Read(uint64_t since_ms) const;

  // Sampled puts to a region in the last 5 to 10 minutes; none for a region that is not known.
  std::vector<SampledWrite> WritesTo(RegionId id) const;

 private:
  struct Watched {
    explicit Watched(RegionId id) : sample(/*seed=*/id.value) {}
    RegionInfo info = {};
    bool is_open = true;
    uint64_t rows_written = 0;  // as they were counted last
    uint64_t rows_blocked = 0;
    uint64_t rows_read = 0;
    double points_pending = 0;
    RegionLoadStep pending = {};  // of the step that is not whole
    uint64_t first = 0;           // step, counted from the first of all
    std::deque<RegionLoadStep> steps = {};
    WriteSample sample;
  };

  void NoteChanges(uint64_t now_ms, std::span<const RegionUse> uses)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndSteps(uint64_t count) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropOld() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  uint64_t start_ms_ ABSL_GUARDED_BY(mutex_) = 0;  // of the first step of all; 0 = none yet
  uint64_t steps_ ABSL_GUARDED_BY(mutex_) = 0;     // that are whole, since the first
  uint64_t kept_from_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<RegionId, Watched> regions_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, RegionId, std::less<>> by_start_ ABSL_GUARDED_BY(mutex_);  // open ones
  std::deque<RegionEvent> events_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
