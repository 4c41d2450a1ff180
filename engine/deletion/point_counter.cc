#include "engine/deletion/point_counter.h"

#include <cstddef>
#include <cstdint>
#include <optional>

#include "engine/query/query_plan.h"

namespace hourcell {
namespace {

class SeriesCounter : public QuerySink {
 public:
  explicit SeriesCounter(CountedPoints* counted) : counted_(*counted) {}

  absl::Status OnSeries(const SeriesView& series) override {
    if (series.points.empty()) return absl::OkStatus();
    // Series come sub query by sub query.
    if (last_query_ != series.query_index) ++counted_.metrics;
    last_query_ = series.query_index;
    ++counted_.series;
    for (size_t i = 0; i < series.points.size(); ++i)
      counted_.points += static_cast<uint64_t>(series.points.value(i).ToDouble());
    return absl::OkStatus();
  }

 private:
  CountedPoints& counted_;
  std::optional<size_t> last_query_;
};

}  // namespace

absl::Status CountSelected(const QuerySpec& spec,
                           const QueryExecutor& executor,
                           OpenHours* open_hours,
                           QueryControl* control,
                           CountedPoints* counted) {
  if (HasFunctions(spec)) {
    return absl::InvalidArgumentError("functions: not allowed in a count");
  }
  QuerySpec counts = spec;
  // The bucket of `all` ends before the end.
  if (counts.end_ms < INT64_MAX) ++counts.end_ms;
  counts.keep_scanned = false;
  counts.may_use_rollups = false;
  counts.annotations = false;
  counts.global_annotations = false;
  for (SubQuery& query : counts.queries) {
    query.aggregator = Aggregator::kNone;
    query.downsample = DownsampleSpec{.all = true, .function = Aggregator::kCount};
    query.rate.reset();
    query.percentiles.clear();
    query.show_histogram_buckets = false;
  }
  SeriesCounter counter(counted);
  return executor.Run(counts, open_hours, &counter, control);
}

}  // namespace hourcell
