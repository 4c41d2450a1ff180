#include "promql/evaluation/histogram.h"

#include <cstddef>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "promql/evaluation/series_groups.h"
#include "promql/values/histogram_quantile.h"
#include "promql/values/number_text.h"

namespace hourcell::promql {
namespace {

struct Histogram {
  Labels labels;                // without `le`, with the metric's name
  std::vector<size_t> buckets;  // series
};

struct Histograms {
  std::vector<Histogram> list;           // in the order of their first buckets
  std::vector<double> bounds_by_series;  // for the series that are buckets
};

Histograms FindHistograms(const HeldVector& vector) {
  Histograms histograms;
  histograms.bounds_by_series.resize(vector.series().size());
  absl::flat_hash_map<Labels, size_t> index_by_labels;
  for (size_t i = 0; i < vector.series().size(); ++i) {
    Labels labels = vector.series()[i].labels;
    if (!ParseNumber(labels.Get(kBucketLabel), &histograms.bounds_by_series[i])) continue;
    labels.Remove(kBucketLabel);
    const auto [found, is_new] = index_by_labels.try_emplace(labels, histograms.list.size());
    if (is_new) histograms.list.push_back({.labels = std::move(labels), .buckets = {}});
    histograms.list[found->second].buckets.push_back(i);
  }
  return histograms;
}

}  // namespace

absl::StatusOr<HeldVector> HistogramQuantile(std::span<const double> quantiles,
                                             const HeldVector& vector) {
  HOURCELL_DCHECK(quantiles.size() == vector.steps());
  HeldVector result(vector.budget(), vector.steps());
  const Histograms histograms = FindHistograms(vector);
  std::vector<Bucket> buckets;
  for (const Histogram& histogram : histograms.list) {
    HOURCELL_ASSIGN_OR_RETURN(const std::span<double> column, result.Add(histogram.labels));
    const auto visit = [&](size_t step, std::span<const StepElement> elements) {
      buckets.clear();
      for (const auto& [value, series] : elements)
        buckets.push_back({.upper_bound = histograms.bounds_by_series[series], .count = value});
      column[step] = BucketQuantile(quantiles[step], buckets);
    };
    HOURCELL_RETURN_IF_ERROR(VisitSteps(vector, histogram.buckets, visit));
  }
  HOURCELL_RETURN_IF_ERROR(DropMetricNames(&result));
  return result;
}

}  // namespace hourcell::promql
