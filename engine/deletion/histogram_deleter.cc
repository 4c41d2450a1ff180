#include "engine/deletion/histogram_deleter.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/base/status_macros.h"
#include "engine/annotations/annotation_scan.h"

namespace hourcell {
namespace {

// The series of a sub query.
struct SeriesToEmpty {
  SubQueryPlan plan;
  std::vector<std::string_view> tsuids;  // ascending; views of the plan
};

// As for a query of histograms, so that series without points are selected, too.
absl::StatusOr<SeriesToEmpty> SelectSeries(const QueryPlanner& planner,
                                           const SubQuery& asked,
                                           const QuerySpec& spec) {
  SubQuery query = asked;
  query.aggregator = Aggregator::kNone;
  query.downsample.reset();
  query.percentiles.clear();
  query.show_histogram_buckets = true;
  HOURCELL_ASSIGN_OR_RETURN(QueryPlanner::ResolvedQuery resolved, planner.Resolve(query));
  SeriesToEmpty series;
  HOURCELL_ASSIGN_OR_RETURN(
      series.plan, planner.Plan(query, std::move(resolved), spec.start_ms, spec.end_ms, {}));
  series.tsuids.reserve(series.plan.selected.size());
  for (const uint32_t position : series.plan.selected)
    series.tsuids.push_back(series.plan.list->tsuid(position));
  std::ranges::sort(series.tsuids);
  return series;
}

}  // namespace

absl::StatusOr<uint64_t> DeleteHistograms(const HistogramDeletion& parts, const QuerySpec& spec) {
  uint64_t deleted = 0;
  for (const SubQuery& query : spec.queries) {
    HOURCELL_ASSIGN_OR_RETURN(const SeriesToEmpty series,
                              SelectSeries(*parts.planner, query, spec));
    HOURCELL_ASSIGN_OR_RETURN(
        const uint64_t of_query,
        parts.histograms->Delete(series.tsuids, spec.start_ms, spec.end_ms, parts.sync));
    if (of_query > 0 && parts.dropper != nullptr) parts.dropper->Add(series.plan.metric);
    deleted += of_query;
  }
  return deleted;
}

absl::StatusOr<uint64_t> CountHistograms(const QueryPlanner& planner,
                                         const RowKeyCodec& row_keys,
                                         TableView* view,
                                         const QuerySpec& spec) {
  uint64_t counted = 0;
  const AnnotationVisit count = [&counted](const AnnotationRow&) {
    ++counted;
    return absl::OkStatus();
  };
  for (const SubQuery& query : spec.queries) {
    HOURCELL_ASSIGN_OR_RETURN(const SeriesToEmpty series, SelectSeries(planner, query, spec));
    HOURCELL_RETURN_IF_ERROR(
        ScanSeriesHistograms(row_keys, view, series.tsuids, spec.start_ms, spec.end_ms, count));
  }
  return counted;
}

}  // namespace hourcell
