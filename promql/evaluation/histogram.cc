#include "promql/evaluation/histogram.h"

#include <cstddef>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "promql/evaluation/series_groups.h"
#include "promql/histograms/histogram_values.h"
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
  absl::flat_hash_map<Labels, size_t> index_by_labels;
};

Histograms FindHistograms(const HeldVector& vector) {
  Histograms histograms;
  histograms.bounds_by_series.resize(vector.series().size());
  for (size_t i = 0; i < vector.series().size(); ++i) {
    Labels labels = vector.series()[i].labels;
    if (!ParseNumber(labels.Get(kBucketLabel), &histograms.bounds_by_series[i])) continue;
    labels.Remove(kBucketLabel);
    const auto [found, is_new] =
        histograms.index_by_labels.try_emplace(labels, histograms.list.size());
    if (is_new) histograms.list.push_back({.labels = std::move(labels), .buckets = {}});
    histograms.list[found->second].buckets.push_back(i);
  }
  return histograms;
}

using NumberOf = absl::FunctionRef<double(size_t step, const NativeHistogram& histogram)>;

// Sets the numbers of the histograms of `series`, but none where the column has a number.
absl::Status SetNumbers(NumberOf number_of,
                        const SeriesColumn& series,
                        Budget* budget,
                        std::span<double> column) {
  for (size_t i = 0; i < column.size(); ++i) {
    if (!IsHistogram(series.values[i])) continue;
    const NativeHistogram& histogram = *series.histograms[i];
    HOURCELL_RETURN_IF_ERROR(
        budget->Work(1 + histogram.positive.size() + histogram.negative.size()));
    column[i] = IsNoValue(column[i]) ? number_of(i, histogram) : kNoValue;
  }
  return absl::OkStatus();
}

// Adds the quantiles of native histograms to those of `classic` ones, which are in `*result`.
absl::Status AddNativeQuantiles(std::span<const double> quantiles,
                                const Histograms& classic,
                                const HeldVector& vector,
                                HeldVector* result) {
  const auto quantile_of = [&](size_t step, const NativeHistogram& histogram) {
    return NativeQuantile(quantiles[step], histogram);
  };
  for (const SeriesColumn& series : vector.series()) {
    if (series.histograms.empty()) continue;
    const auto found = classic.index_by_labels.find(series.labels);
    const bool is_new = found == classic.index_by_labels.end();
    if (is_new) HOURCELL_RETURN_IF_ERROR(result->Add(series.labels).status());
    std::vector<double>& column =
        is_new ? result->series().back().values : result->series()[found->second].values;
    HOURCELL_RETURN_IF_ERROR(SetNumbers(quantile_of, series, result->budget(), column));
  }
  return absl::OkStatus();
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
      for (const auto& [value, series] : elements) {
        if (IsHistogram(value)) continue;
        buckets.push_back({.upper_bound = histograms.bounds_by_series[series], .count = value});
      }
      if (!buckets.empty()) column[step] = BucketQuantile(quantiles[step], buckets);
    };
    HOURCELL_RETURN_IF_ERROR(VisitSteps(vector, histogram.buckets, visit));
  }
  HOURCELL_RETURN_IF_ERROR(AddNativeQuantiles(quantiles, histograms, vector, &result));
  result.RemoveEmpty();
  HOURCELL_RETURN_IF_ERROR(DropMetricNames(&result));
  return result;
}

absl::StatusOr<HeldVector> NumbersOfHistograms(NumberOf number_of, const HeldVector& vector) {
  HeldVector result(vector.budget(), vector.steps());
  for (const SeriesColumn& series : vector.series()) {
    if (series.histograms.empty()) continue;
    HOURCELL_ASSIGN_OR_RETURN(const std::span<double> column, result.Add(series.labels));
    HOURCELL_RETURN_IF_ERROR(SetNumbers(number_of, series, vector.budget(), column));
  }
  result.RemoveEmpty();
  HOURCELL_RETURN_IF_ERROR(DropMetricNames(&result));
  return result;
}

}  // namespace hourcell::promql
