// SeriesLookup: which series have a metric and tags. Names become UIDs, and matches with a key and
// a value become posting sets; the series in their intersection are checked against the other
// matches, on the bytes of each tsuid. Without such a match all series of the metric, or of the
// store, are checked. If only series with points of some days are wanted, the active sets of the
// metrics (active_sets.h) take the place of all series. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "codec/rows/uid.h"
#include "engine/query/last_query.h"
#include "engine/query/memory_account.h"
#include "engine/query/query_watch.h"
#include "engine/rows/series_key.h"
#include "engine/series/active_sets.h"
#include "engine/series/series_table.h"
#include "uid/uid_directory.h"

namespace hourcell {

struct SelectedSeries {
  SeriesNumber number = 0;
  std::string tsuid;
};

class SeriesLookup {
 public:
  // All are borrowed. `memory` counts the lists of series that are made and the names that are
  // kept, and is not given back those that are answered; null: nothing does. `active` is needed for
  // LookupQuery::with_points; null: the days of points are unknown.
  SeriesLookup(const Layout& layout,
               UidDirectory* uids,
               const SeriesTable* series,
               MemoryAccount* memory = nullptr,
               ActiveSets* active = nullptr)
      : layout_(layout),
        uids_(*uids),
        series_(*series),
        unlisted_(series->unlisted()->Now()),
        memory_(memory),
        active_(active) {}

  // The series of a metric with tags, ascending by tsuid, appended to `*selected`.
  // kNotFound "No such name for 'metrics': 'x'": one of the names, or of the values with their key,
  // is unknown; kCancelled and kDeadlineExceeded by `watch`; kResourceExhausted by the memory.
  // `skip_unresolved_tagvs`: values that are unknown select nothing instead.
  absl::Status Select(std::string_view metric,
                      std::span<const TagMatch> tags,
                      const QueryWatch& watch,
                      std::vector<SelectedSeries>* selected,
                      bool skip_unresolved_tagvs = false) const;

  // Queries::LookupSeries; leaves out those of UnlistedSeries. Errors as Select's. Takes memory
  // for the series that `query` finds by posting sets; else for no more than one series, however
  // many are visited.
  absl::StatusOr<uint64_t> Visit(const LookupQuery& query,
                                 const QueryWatch& watch,
                                 const std::function<bool(const FoundSeries&)>& visit) const;

  // The same, of series of a metric that are given by their tsuids, ascending.
  absl::StatusOr<uint64_t> VisitGiven(std::span<const std::string> tsuids,
                                      const LookupQuery& query,
                                      const QueryWatch& watch,
                                      const std::function<bool(const FoundSeries&)>& visit) const;

 private:
  // A condition on a tsuid: the key, with one of the values.
  struct Condition {
    Uid tagk_uid = kNoUid;           // kNoUid: any key
    std::string tagk;                // bytes; empty: any
    std::vector<std::string> tagvs;  // bytes, ascending; empty: any
    std::vector<Uid> tagv_uids;      // the same
    bool is_never = false;           // all values are unknown, and skipped
    bool IsPosting() const { return tagk_uid != kNoUid && !tagv_uids.empty(); }
  };

  absl::StatusOr<std::vector<Condition>> Resolve(std::span<const TagMatch> tags,
                                                 bool skip_unresolved_tagvs = false) const;
  bool Matches(std::span<const Condition> conditions, std::string_view tsuid) const;
  bool IsUnlisted(SeriesNumber number) const {
    return unlisted_ != nullptr && unlisted_->Contains(number);
  }

  absl::Status Take(size_t bytes) const {
    return memory_ == nullptr ? absl::OkStatus() : memory_->Take(bytes);
  }

  using MaybeNumbers = std::optional<std::vector<SeriesNumber>>;
  // The series that meet all conditions with postings; nothing if there are no such conditions.
  // `hold` takes their memory.
  absl::StatusOr<MaybeNumbers> Intersect(Uid metric,
                                         std::span<const Condition> conditions,
                                         MemoryHold* hold) const;
  // The same, of the series with points on the days of `times`, and perhaps removed series; nothing
  // if neither is known.
  absl::StatusOr<MaybeNumbers> Narrow(Uid metric,
                                      std::span<const Condition> conditions,
                                      const std::optional<PointTimes>& times,
                                      MemoryHold* hold) const;

  // False: no other series is wanted.
  using Consider = std::function<bool(SeriesNumber number, std::string_view tsuid)>;
  // Considers series ascending by tsuid, including series that do not match. VisitAmong: those of
  // `numbers` after `after`; VisitMetric: those of a metric; the last: those of all metrics.
  absl::Status VisitAmong(std::span<const SeriesNumber> numbers,
                          std::span<const Condition> conditions,
                          std::string_view after,
                          const QueryWatch& watch,
                          const Consider& consider) const;
  absl::Status VisitMetric(Uid metric,
                           std::span<const Condition> conditions,
                           const std::optional<PointTimes>& times,
                           const QueryWatch& watch,
                           const Consider& consider) const;
  absl::Status VisitAllMetrics(std::span<const Condition> conditions,
                               const std::optional<PointTimes>& times,
                               const QueryWatch& watch,
                               const Consider& consider) const;

  // The series that `walk` considers, as Visit answers them. `total`: how many match, if known.
  using Walk = std::function<absl::Status(const Consider& consider)>;
  absl::StatusOr<uint64_t> VisitMatching(const LookupQuery& query,
                                         std::span<const Condition> conditions,
                                         std::optional<uint64_t> total,
                                         const QueryWatch& watch,
                                         const std::function<bool(const FoundSeries&)>& visit,
                                         const Walk& walk) const;

  // Appends those of `numbers` that match, ascending by tsuid.
  absl::Status SelectAmong(std::span<const SeriesNumber> numbers,
                           std::span<const Condition> conditions,
                           const QueryWatch& watch,
                           std::vector<SelectedSeries>* selected) const;

  const Layout layout_;
  UidDirectory& uids_;
  const SeriesTable& series_;
  const SeriesSet::Pointer unlisted_;
  MemoryAccount* const memory_;  // may be null
  ActiveSets* const active_;     // may be null
};

// The numbers of a metric's series that may have points on the days of `times`, ascending, with
// removed series among them; their memory is taken from `hold`. Nothing: the days of points are
// unknown. `active` may be null. Errors are storage's and those of the memory.
absl::StatusOr<std::optional<std::vector<SeriesNumber>>> SeriesWithPoints(ActiveSets* active,
                                                                          Uid metric,
                                                                          const PointTimes& times,
                                                                          MemoryHold* hold);

}  // namespace hourcell
