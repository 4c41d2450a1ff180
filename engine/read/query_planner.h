// QueryPlanner: a sub query -> the series it concerns, and how to read their rows.
//
// Names become UIDs. The series of a metric that is queried are mostly in memory
// (metric_series.h); else literal filters become posting sets whose intersection is the candidates.
// A filter whose values begin alike, such as a wildcard, becomes posting sets, too, if few names
// begin so. The other filters are tried on the candidates' own tag values. Of many candidates those
// are left out that have no point in the days of the query (active_sets.h). A query by tsuids names
// its series itself. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "codec/rows/row_key.h"
#include "codec/rows/tsuid.h"
#include "engine/options.h"
#include "engine/query/memory_account.h"
#include "engine/query/query_spec.h"
#include "engine/query/query_watch.h"
#include "engine/query/stages/scan_bounds.h"
#include "engine/query/stages/tag_filter.h"
#include "engine/series/active_sets.h"
#include "engine/series/metric_series.h"
#include "engine/series/series_list.h"
#include "engine/series/series_table.h"
#include "engine/table/retention.h"
#include "uid/uid_directory.h"

namespace hourcell {

struct SubQueryPlan {
  Uid metric = kNoUid;
  std::shared_ptr<const SeriesList> list;  // the selected series and perhaps others
  std::vector<uint32_t> selected;          // positions in it, ascending
  uint64_t metric_series = 0;              // how many the metric has, if known, else an estimate
  bool list_is_whole = false;              // `list` has all series of the metric
  std::vector<Uid> group_by_tagks;
  ScanBounds bounds;            // as the query asks
  int64_t visible_from_ms = 0;  // points before it are expired, and not to be seen
};

class QueryPlanner {
 public:
  // What it works on; borrowed, outlives it.
  struct Parts {
    UidDirectory* uids = nullptr;
    const SeriesTable* series = nullptr;
    MetricSeriesCache* metric_series = nullptr;
    ActiveSets* active = nullptr;       // null: nobody knows which series are active
    const RowExpiry* expiry = nullptr;  // null: nothing expires
  };
  QueryPlanner(const Options& options, const RowKeyCodec& row_keys, const Parts& parts)
      : options_(options), row_keys_(row_keys), parts_(parts) {}

  // A filter with its key's UID and, for literal_or, its values'.
  struct ResolvedFilter {
    TagFilter filter;
    Uid tagk = kNoUid;          // kNoUid: of a not_key filter on a name no series can have
    std::vector<Uid> literals;  // ascending; those that exist
  };
  // A sub query with UIDs for its names.
  struct ResolvedQuery {
    Uid metric = kNoUid;
    std::vector<Uid> group_by_tagks;
    std::vector<ResolvedFilter> filters;
    std::vector<std::string> tsuids;  // their bytes
  };
  // What planning may take; either pointer may be null.
  struct Budget {
    const QueryWatch* watch = nullptr;
    MemoryAccount* memory = nullptr;
    uint64_t quick_series = 0;  // that a quick query may look at; 0: any number, and read

    bool is_quick() const { return quick_series != 0; }
    absl::Status Check() const { return watch == nullptr ? absl::OkStatus() : watch->Check(); }
    // What the plan keeps.
    absl::Status Take(size_t bytes) const {
      return memory == nullptr ? absl::OkStatus() : memory->Take(bytes);
    }
  };

  // kNotFound: unknown metric, tagk or literal tagv; kInvalidArgument: a filter does not compile, a
  // tsuid is none, or is of another metric than the first; kUnimplemented: percentiles of
  // histograms. `watch`, which may be null, is asked before each regular expression.
  absl::StatusOr<ResolvedQuery> Resolve(const SubQuery& query,
                                        const QueryWatch* watch = nullptr) const;

  // `resolved` is Resolve(query). kCancelled and kDeadlineExceeded by the budget's watch, which is
  // asked every so many series, and before each value that a regular expression is tried on;
  // kResourceExhausted by its memory, which counts the series of the plan, but for lists that are
  // cached. kAborted: the series of the metric are not in memory, or the filters leave more than
  // `quick_series` to look at.
  absl::StatusOr<SubQueryPlan> Plan(const SubQuery& query,
                                    ResolvedQuery resolved,
                                    int64_t start_ms,
                                    int64_t end_ms,
                                    const Budget& budget) const;

  // kAborted: filters and tsuids alone say that a plan may take long.
  absl::Status CheckQuick(const SubQuery& query) const;

  // Points of the metric before this are expired; 0: none is.
  int64_t VisibleFromMs(Uid metric) const {
    return parts_.expiry == nullptr ? 0 : parts_.expiry->ExpiresBeforeMs(metric);
  }

 private:
  class Judge;

  absl::Status ResolveNames(const SubQuery& query,
                            const QueryWatch* watch,
                            ResolvedQuery* resolved) const;
  absl::Status ResolveTsuids(const SubQuery& query, ResolvedQuery* resolved) const;

  // Fill in the plan's series. REQUIRES: it has its metric and bounds.
  absl::Status PlanByTags(const SubQuery& query,
                          const ResolvedQuery& resolved,
                          const Budget& budget,
                          SubQueryPlan* plan) const;
  absl::Status PlanByTsuids(std::vector<std::string> tsuids,
                            const Budget& budget,
                            SubQueryPlan* plan) const;

  absl::StatusOr<ResolvedFilter> ResolveFilter(const TagFilterSpec& spec) const;

  // Fill in the plan's series: those that the literal filters leave.
  absl::Status FindCandidates(const std::vector<ResolvedFilter>& filters,
                              const Budget& budget,
                              SubQueryPlan* plan) const;
  // As FindCandidates, of series that are in memory, and of few of them.
  absl::Status FindFewCandidates(const std::vector<ResolvedFilter>& filters,
                                 bool any_literal,
                                 const Budget& budget,
                                 SubQueryPlan* plan) const;
  static void SelectFrom(const std::shared_ptr<const MetricSeries>& all,
                         const std::vector<ResolvedFilter>& filters,
                         bool any_literal,
                         SubQueryPlan* plan);
  // False, and nothing is done, unless few of the metric's many series are active and the others
  // are not in memory.
  absl::StatusOr<bool> FindActive(const Budget& budget, SubQueryPlan* plan) const;
  absl::Status FindByPostings(const std::vector<ResolvedFilter>& filters,
                              const Budget& budget,
                              SubQueryPlan* plan) const;
  // False, and nothing is done, unless the names of few values begin as those that a filter takes.
  absl::StatusOr<bool> FindByNames(const std::vector<ResolvedFilter>& filters,
                                   const Budget& budget,
                                   SubQueryPlan* plan) const;
  // The series of `metric` with a value that one of the filters takes, by the names that begin as
  // its values; nothing if that costs more than to look at `series` of them.
  absl::StatusOr<std::optional<std::vector<SeriesNumber>>> NumbersByNames(
      const std::vector<ResolvedFilter>& filters,
      Uid metric,
      uint64_t series,
      const Budget& budget,
      MemoryHold* hold) const;
  // The values that the filter takes; nothing if more than `names_max` names begin as they do.
  absl::StatusOr<std::optional<std::vector<Uid>>> ValuesByNames(const ResolvedFilter& filter,
                                                                uint64_t names_max,
                                                                const Budget& budget) const;

  // Makes the plan's list of these series, all selected.
  absl::Status ListAll(std::span<const SeriesNumber> numbers,
                       const Budget& budget,
                       SubQueryPlan* plan) const;
  // Of many selected series, leaves out those that are not active.
  absl::Status KeepActive(const Budget& budget, SubQueryPlan* plan) const;
  // What ActiveSets::Of says of the plan's metric and bounds, counted in the budget.
  absl::StatusOr<std::optional<std::vector<SeriesNumber>>> ActiveOf(const Budget& budget,
                                                                    const SubQueryPlan& plan) const;

  // Series with one of some values; `hold` takes what they need.
  absl::StatusOr<std::vector<SeriesNumber>> WithAnyOf(Uid metric,
                                                      Uid tagk,
                                                      std::span<const Uid> values,
                                                      const Budget& budget,
                                                      MemoryHold* hold) const;
  absl::Status KeepMatching(const std::vector<ResolvedFilter>& filters,
                            bool explicit_tags,
                            const Budget& budget,
                            SubQueryPlan* plan) const;

  const Options& options_;
  const RowKeyCodec& row_keys_;
  const Parts parts_;
};

}  // namespace hourcell
