// QueryPlanner: plans a sub query: its series, and how to read their rows.
//
// Names become UIDs. The series of a queried metric are mostly in memory (metric_series.h);
// otherwise literal filters become posting sets, and their intersection gives the candidates. A
// filter with a common prefix of its values, such as a wildcard, also becomes posting sets, if few
// names have that prefix. The other filters are applied to the candidates' tag values. If there are
// many candidates, series without points in the days of the query are left out (active_sets.h). A
// query by tsuids names its series itself. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <absl/container/inlined_vector.h>
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

// A few UIDs; more are rare.
using FewUids = absl::InlinedVector<Uid, 4>;

struct SubQueryPlan {
  Uid metric = kNoUid;
  bool is_of_histograms = false;           // of the query; active sets know points alone
  std::shared_ptr<const SeriesList> list;  // the selected series and perhaps others
  std::vector<uint32_t> selected;          // positions in it, ascending
  uint64_t metric_series = 0;              // how many the metric has, if known, else an estimate
  bool list_is_whole = false;              // `list` has all series of the metric
  FewUids group_by_tagks;
  ScanBounds bounds;            // from the query
  int64_t visible_from_ms = 0;  // points before it are expired, and not to be seen
};

class QueryPlanner {
 public:
  // Borrowed; they outlive the planner.
  struct Parts {
    UidDirectory* uids = nullptr;
    const SeriesTable* series = nullptr;
    MetricSeriesCache* metric_series = nullptr;
    ActiveSets* active = nullptr;       // null: active series are unknown
    const RowExpiry* expiry = nullptr;  // null: nothing expires
  };
  QueryPlanner(const Options& options, const RowKeyCodec& row_keys, const Parts& parts)
      : options_(options), row_keys_(row_keys), parts_(parts) {}

  // A filter with its key's UID and, for literal_or, its values'.
  struct ResolvedFilter {
    TagFilter filter;
    Uid tagk = kNoUid;  // kNoUid: of a not_key filter on a name no series can have
    FewUids literals;   // ascending; those that exist
  };
  // A sub query with UIDs for its names.
  struct ResolvedQuery {
    Uid metric = kNoUid;
    FewUids group_by_tagks;
    std::vector<ResolvedFilter> filters;
    std::vector<std::string> tsuids;  // their bytes
  };
  // Limits of planning; either pointer may be null.
  struct Budget {
    const QueryWatch* watch = nullptr;
    MemoryAccount* memory = nullptr;
    uint64_t quick_series = 0;  // series that a quick query may check; 0: any number, and read

    bool is_quick() const { return quick_series != 0; }
    absl::Status Check() const { return watch == nullptr ? absl::OkStatus() : watch->Check(); }
    // Memory of the plan.
    absl::Status Take(size_t bytes) const {
      return memory == nullptr ? absl::OkStatus() : memory->Take(bytes);
    }
  };

  // kNotFound: unknown metric, tagk or literal tagv; kInvalidArgument: a filter does not compile, a
  // tsuid is invalid, or is of another metric than the first; or CheckHistogramQuery's errors.
  // Checks `watch`, which may be null, before each regular expression.
  absl::StatusOr<ResolvedQuery> Resolve(const SubQuery& query,
                                        const QueryWatch* watch = nullptr) const;

  // `resolved` is Resolve(query). kCancelled and kDeadlineExceeded by the budget's watch, which is
  // checked at intervals, and before a regular expression is tried on a value; kResourceExhausted
  // by its memory, which counts the series of the plan, except cached lists. kAborted: the series
  // of the metric are not in memory, or the filters leave more than `quick_series` to check.
  absl::StatusOr<SubQueryPlan> Plan(const SubQuery& query,
                                    ResolvedQuery resolved,
                                    int64_t start_ms,
                                    int64_t end_ms,
                                    const Budget& budget) const;

  // kAborted: filters and tsuids alone show that a plan may take long.
  absl::Status CheckQuick(const SubQuery& query) const;

  // Points of the metric before this are expired; 0: no point is.
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

  // Fill in the plan's series: those that pass the literal filters.
  absl::Status FindCandidates(const std::vector<ResolvedFilter>& filters,
                              const Budget& budget,
                              SubQueryPlan* plan) const;
  // As FindCandidates, for a few series in memory.
  absl::Status FindFewCandidates(const std::vector<ResolvedFilter>& filters,
                                 bool any_literal,
                                 const Budget& budget,
                                 SubQueryPlan* plan) const;
  static void SelectFrom(const std::shared_ptr<const MetricSeries>& all,
                         const std::vector<ResolvedFilter>& filters,
                         bool any_literal,
                         SubQueryPlan* plan);
  // False, without effect, unless few of the metric's many series are active and the others are not
  // in memory.
  absl::StatusOr<bool> FindActive(const Budget& budget, SubQueryPlan* plan) const;
  absl::Status FindByPostings(const std::vector<ResolvedFilter>& filters,
                              const Budget& budget,
                              SubQueryPlan* plan) const;
  // False, without effect, unless few names of values have a prefix of a filter's values.
  absl::StatusOr<bool> FindByNames(const std::vector<ResolvedFilter>& filters,
                                   const Budget& budget,
                                   SubQueryPlan* plan) const;
  // The series of `metric` with a value that a filter accepts, found by names with the prefix of
  // its values; nullopt if that costs more than checking `series` series.
  absl::StatusOr<std::optional<std::vector<SeriesNumber>>> NumbersByNames(
      const std::vector<ResolvedFilter>& filters,
      Uid metric,
      uint64_t series,
      const Budget& budget,
      MemoryHold* hold) const;
  // The values that the filter accepts; nullopt if more than `names_max` names have their prefix.
  absl::StatusOr<std::optional<std::vector<Uid>>> ValuesByNames(const ResolvedFilter& filter,
                                                                uint64_t names_max,
                                                                const Budget& budget) const;

  // Sets the plan's list to these series, all selected.
  absl::Status ListAll(std::span<const SeriesNumber> numbers,
                       const Budget& budget,
                       SubQueryPlan* plan) const;
  // If many series are selected, leaves out inactive ones.
  absl::Status KeepActive(const Budget& budget, SubQueryPlan* plan) const;
  // ActiveSets::Of for the plan's metric and bounds, counted in the budget.
  absl::StatusOr<std::optional<std::vector<SeriesNumber>>> ActiveOf(const Budget& budget,
                                                                    const SubQueryPlan& plan) const;

  // Series with one of some values; `hold` counts the memory.
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
