// QueryPlanner: a sub query -> the series it concerns and how to read their rows.
//
// Names become UIDs, literal filters become posting sets whose intersection is the candidates, and
// the other filters are tried on the candidates' own tag values. Without literal filters all series
// of the metric are candidates. A query by tsuids names its series itself. Reading is by point
// reads of exactly the rows wanted, unless so large a part of the metric's series is wanted that
// one linear scan of the range is cheaper. Thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/layout.h"
#include "codec/row_key.h"
#include "codec/tsuid.h"
#include "engine/options.h"
#include "engine/query/query_spec.h"
#include "engine/query/scan_bounds.h"
#include "engine/query/tag_filter.h"
#include "engine/retention.h"
#include "engine/series_key.h"
#include "engine/series_table.h"
#include "engine/table.h"
#include "uid/uid_directory.h"

namespace hourcell {

// One series of a plan.
struct PlannedSeries {
  SeriesNumber number = 0;
  std::string tsuid;
  SeriesUids uids;
};

enum class ReadMethod : uint8_t {
  kPointReads,  // GetMany of series x hours
  kLinearScan,  // every row of the metric in the range, membership tested
};

struct SubQueryPlan {
  Uid metric = kNoUid;
  std::vector<PlannedSeries> series;  // ascending by tsuid
  std::vector<Uid> group_by_tagks;
  ScanBounds bounds;            // as the query asks
  ScanBounds present;           // cut to the hours the metric has rows in
  int64_t visible_from_ms = 0;  // points before it are expired, and not to be seen
  ReadMethod method = ReadMethod::kPointReads;
  RowFilter row_filter;  // for the linear scan
};

class QueryPlanner {
 public:
  // All borrowed. `expiry` may be null: nothing expires.
  QueryPlanner(const Options& options,
               const RowKeyCodec& row_keys,
               UidDirectory* uids,
               const SeriesTable* series,
               const RowExpiry* expiry = nullptr)
      : options_(options), row_keys_(row_keys), uids_(*uids), series_(*series), expiry_(expiry) {}

  // kNotFound: unknown metric, tagk or literal tagv; kInvalidArgument: a filter does not compile, a
  // tsuid is none, or is of another metric than the first; kUnimplemented: percentiles of
  // histograms.
  absl::StatusOr<SubQueryPlan> Plan(TableView* view,
                                    const SubQuery& query,
                                    int64_t start_ms,
                                    int64_t end_ms) const;

  // Points of the metric before this are expired; 0: none is.
  int64_t VisibleFromMs(Uid metric) const {
    return expiry_ == nullptr ? 0 : expiry_->ExpiresBeforeMs(metric);
  }

 private:
  // A filter with its key's UID and, for literal_or, its values'.
  struct ResolvedFilter {
    TagFilter filter;
    Uid tagk = kNoUid;          // kNoUid: of a not_key filter on a name no series can have
    std::vector<Uid> literals;  // ascending; those that exist
  };
  class Judge;
  struct Candidates {
    std::vector<PlannedSeries> series;
    uint64_t metric_series = 0;  // how many the metric has
  };

  // Fills in metric, group-by keys, series and how to read them; says nothing of times.
  absl::Status PlanByTags(TableView* view, const SubQuery& query, SubQueryPlan* plan) const;
  absl::Status PlanByTsuids(TableView* view, const SubQuery& query, SubQueryPlan* plan) const;

  // Fills in the numbers of series of one metric that ascend by tsuid; of those that do not exist
  // it stays 0.
  absl::Status FindNumbers(TableView* view, std::vector<PlannedSeries>* series) const;

  absl::StatusOr<ResolvedFilter> Resolve(const TagFilterSpec& spec) const;
  absl::StatusOr<Candidates> FindCandidates(TableView* view,
                                            Uid metric,
                                            const std::vector<ResolvedFilter>& filters) const;
  absl::StatusOr<std::vector<SeriesNumber>> WithAnyLiteral(TableView* view,
                                                           Uid metric,
                                                           const ResolvedFilter& filter) const;
  absl::Status KeepMatching(const std::vector<ResolvedFilter>& filters,
                            bool explicit_tags,
                            std::vector<PlannedSeries>* series) const;
  absl::StatusOr<ScanBounds> PresentBounds(TableView* view, Uid metric, ScanBounds bounds) const;
  RowFilter MakeRowFilter(const std::vector<ResolvedFilter>& filters) const;

  const Options& options_;
  const RowKeyCodec& row_keys_;
  UidDirectory& uids_;
  const SeriesTable& series_;
  const RowExpiry* const expiry_;
};

}  // namespace hourcell
