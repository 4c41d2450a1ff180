// TagsInUse: which tag keys and tag values have a series. The store has its series by metric and
// tag, and not by tag alone, so the first call visits all series, and keeps a bit for each UID. A
// later call adds the series that are new since. After series were dropped, a call visits all
// series again, unless a visit has just taken time: visits take at most 5 % of the time.
//
// A tag of a series is always in use. A tag whose last series was dropped, or hidden by a delete
// (UnlistedSeries), is in use until the next visit of all series. Thread-safe; one thread visits at
// a time, and the others wait for it.

#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "codec/rows/layout.h"
#include "codec/rows/uid.h"
#include "engine/hidden/unlisted_series.h"
#include "engine/query/query_watch.h"
#include "engine/series/series_table.h"

namespace hourcell {

class TagsInUse {
 public:
  // All are borrowed.
  TagsInUse(const Layout& layout, SeriesTable* series, MonotonicClock* clock);
  ~TagsInUse();

  // Adds the tags of all series that there are now. kCancelled and kDeadlineExceeded by `watch`;
  // kDataLoss: a row of a series does not decode. REQUIRES: the series are not followed, so that
  // `series` knows of all drops.
  absl::Status Refresh(const QueryWatch& watch);

  // Whether a tag key or a tag value had a series at the last successful Refresh. False for
  // metrics.
  bool Has(UidKind kind, Uid uid) const;

  // The next Refresh visits all series.
  void Clear();

 private:
  struct Uids;

  absl::Status VisitAll(const QueryWatch& watch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(refresh_);
  absl::Status AddNewer(const QueryWatch& watch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(refresh_);
  absl::Status AddListedAgain(const SeriesSet::Pointer& unlisted, const QueryWatch& watch)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(refresh_);
  absl::Status AddTagsOf(std::span<const SeriesNumber> numbers)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(refresh_);

  const Layout& layout_;
  SeriesTable& series_;
  MonotonicClock& clock_;

  Mutex refresh_;                                           // one Refresh at a time
  SeriesNumber last_number_ ABSL_GUARDED_BY(refresh_) = 0;  // series up to it are in `uids_`
  uint64_t drops_ ABSL_GUARDED_BY(refresh_) = 0;           // DroppingSeries::changes() at the visit
  SeriesSet::Pointer left_out_ ABSL_GUARDED_BY(refresh_);  // their tags were not added
  int64_t next_visit_ms_ ABSL_GUARDED_BY(refresh_) = 0;    // no visit of all series before it

  mutable SharedMutex uids_mutex_;
  std::unique_ptr<Uids> uids_ ABSL_GUARDED_BY(uids_mutex_);  // null: not visited
};

}  // namespace hourcell
