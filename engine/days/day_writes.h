// DayWrites: decides which points share the row of a day, and changes writes of hours accordingly.
//
//   merge of a cell with few points, into an hour     -> merge into the row of the day
//     without an hour row
//   merge of a day cell, into any of its hours        -> the same for each hour that it has
//   merge of any other cell                           -> as it is
//   set or delete of an hour that is in a day's row   -> the day's row without it, and the write;
//                                                        a set stays in the day's row if there is
//                                                        not an hour row
//
// The sealer merges day cells, so that the points of several hours are encoded and merged once
// (engine/write/sealed_cells.h). The keys of the hours of such a cell differ in the base time
// alone.
//
// So an hour row is always newer than the points of that hour in the day's row.
//
// few_points.h finds the cells with few points; the hours of a day cell have few. Cells of format 1
// always have rows of hours. So have days in which the number of salt buckets changes, as hours of
// one day may then have different buckets.
//
// Merges are translated without a look at the rows written to. For each metric and day the first
// one looks whether the day has rows of hours at all; only then each later hour is looked up.
//
// Thread-safe. REQUIRES: no other write of the data table while one with sets or deletes is applied
// (Sealer::WithSealed).

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/rows/row_key.h"
#include "engine/table/table.h"
#include "engine/table/tables.h"

namespace hourcell {

class DayWrites {
 public:
  // Borrowed; `stored` has the rows as they are. Hours of fewer points than `points_max` share
  // rows; 0: none.
  DayWrites(const RowKeyCodec* row_keys, Tables* stored, uint32_t points_max)
      : row_keys_(*row_keys),
        at_(row_keys->base_time_offset()),
        stored_(*stored),
        points_max_(points_max) {}

  // Appends to `*changed` the mutations to apply instead of `group`, or nothing if those are the
  // same. `may_have_days`: the table has rows of days already. `*writes_day` becomes true if a row
  // of a day is merged. Errors of reads.
  absl::Status Translate(std::span<const Mutation> group,
                         bool may_have_days,
                         std::vector<Mutation>* changed,
                         bool* writes_day);

  // True for writes that Translate leaves as they are.
  bool LeavesAsIs(std::span<const Mutation> group, bool may_have_days) const;

  // True if the latest merge into a row of the same metric and salt bucket was into a row of a day.
  bool IsLikelyShared(std::string_view hour_key);

  // Forgets which days have rows of hours: some were written in another way.
  void ForgetDays() {
    MutexLock lock(&mutex_);
    has_hours_.clear();
  }

 private:
  class Group;

  bool MayShare(const Mutation& write) const;
  bool IsInOneEpoch(std::string_view hour_key) const;
  absl::StatusOr<bool> DayHasHours(std::string_view hour_key);
  void NoteHours(std::span<const Mutation> group);
  void NoteLatest(std::span<const Mutation> group);
  std::string DayPrefix(std::string_view hour_key) const;

  const RowKeyCodec& row_keys_;
  const size_t at_;
  Tables& stored_;
  const uint32_t points_max_;
  Mutex mutex_;
  // By the bytes of a key before its base time and the day's start.
  absl::flat_hash_map<std::string, bool> has_hours_ ABSL_GUARDED_BY(mutex_);
  // By the bytes of a key before its base time: true if the latest row is a day's.
  absl::flat_hash_map<std::string, bool> is_shared_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
