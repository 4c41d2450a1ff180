// QueryPlanner: a sub query -> the series it concerns, and how to read their rows.
//
// Names become UIDs. The series of a metric that is queried are mostly in memory
// (metric_series.h); else literal filters become posting sets whose intersection is the candidates.
// The other filters are tried on the candidates' own tag values. A query by tsuids names its series
// itself. Thread-safe.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/layout.h"
#include "codec/row_key.h"
#include "codec/tsuid.h"
#include "engine/metric_series.h"
#include "engine/options.h"
#include "engine/query/query_spec.h"
#include "engine/query/scan_bounds.h"
#include "engine/query/tag_filter.h"
#include "engine/retention.h"
#include "engine/series_list.h"
#include "engine/series_table.h"
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
    const RowExpiry* expiry = nullptr;  // null: nothing expires
  };
  QueryPlanner(const Options& options, const RowKeyCodec& row_keys, const Parts& parts)
      : options_(options), row_keys_(row_keys), parts_(parts) {}

  // kNotFound: unknown metric, tagk or literal tagv; kInvalidArgument: a filter does not compile, a
  // tsuid is none, or is of another metric than the first; kUnimplemented: percentiles of
  // histograms.
  absl::StatusOr<SubQueryPlan> Plan(const SubQuery& query, int64_t start_ms, int64_t end_ms) const;

  // The errors Plan has with the names, filters and tsuids, without a look at the series.
  absl::Status Check(const SubQuery& query) const;

  // Points of the metric before this are expired; 0: none is.
  int64_t VisibleFromMs(Uid metric) const {
    return parts_.expiry == nullptr ? 0 : parts_.expiry->ExpiresBeforeMs(metric);
  }

 private:
  // A filter with its key's UID and, for literal_or, its values'.
  struct ResolvedFilter {
    TagFilter filter;
    Uid tagk = kNoUid;          // kNoUid: of a not_key filter on a name no series can have
    std::vector<Uid> literals;  // ascending; those that exist
  };
  class Judge;

  // Fill in metric, group-by keys and series; say nothing of times.
  absl::Status PlanByTags(const SubQuery& query, SubQueryPlan* plan) const;
  absl::StatusOr<std::vector<ResolvedFilter>> ResolveNames(const SubQuery& query,
                                                           SubQueryPlan* plan) const;
  absl::StatusOr<std::vector<std::string>> ResolveTsuids(const SubQuery& query,
                                                         SubQueryPlan* plan) const;
  absl::Status PlanByTsuids(const SubQuery& query, SubQueryPlan* plan) const;

  absl::StatusOr<ResolvedFilter> Resolve(const TagFilterSpec& spec) const;

  // Fill in the plan's series: those that the literal filters leave.
  absl::Status FindCandidates(const std::vector<ResolvedFilter>& filters, SubQueryPlan* plan) const;
  absl::Status FindByPostings(const std::vector<ResolvedFilter>& filters, SubQueryPlan* plan) const;

  absl::StatusOr<std::vector<SeriesNumber>> WithAnyLiteral(Uid metric,
                                                           const ResolvedFilter& filter) const;
  absl::Status KeepMatching(const std::vector<ResolvedFilter>& filters,
                            bool explicit_tags,
                            SubQueryPlan* plan) const;

  const Options& options_;
  const RowKeyCodec& row_keys_;
  const Parts parts_;
};

}  // namespace hourcell
