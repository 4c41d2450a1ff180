#include "promql/evaluation/aggregation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "promql/evaluation/series_groups.h"
#include "promql/text/quoting.h"
#include "promql/values/aggregators.h"
#include "promql/values/label_functions.h"
#include "promql/values/number_text.h"

namespace hourcell::promql {
namespace {

// The bits of a value; all NaNs have one text, so they count as one value.
uint64_t BitsOf(double value) {
  return std::bit_cast<uint64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN()
                                                   : value);
}

// count_values. Groups are made without the label of the value; a group and a value make a series.
class ValueCounter final {
 public:
  ValueCounter(std::string_view label, const GroupingRule& grouping, const HeldVector& vector)
      : label_(label),
        is_label_dropped_(!grouping.only_names &&
                          (label == kMetricName || Names(grouping.names, label))),
        grouping_(WithoutLabel(grouping, label)),
        vector_(vector),
        groups_(&grouping_),
        result_(vector.budget(), vector.steps()) {}

  absl::StatusOr<HeldVector> Run() && {
    for (const SeriesColumn& series : vector_.series()) {
      HOURCELL_RETURN_IF_ERROR(vector_.budget()->Work(vector_.steps()));
      HOURCELL_RETURN_IF_ERROR(Count(series));
    }
    return std::move(result_);
  }

 private:
  using SeriesByBits = absl::flat_hash_map<uint64_t, size_t>;

  static bool Names(const std::vector<std::string>& names, std::string_view label) {
    return std::ranges::binary_search(names, label);
  }

  // The label of the value overwrites one of the series, so that one decides nothing.
  static GroupingRule WithoutLabel(GroupingRule grouping, std::string_view label) {
    std::erase(grouping.names, label);
    if (grouping.only_names) return grouping;
    grouping.names.emplace_back(label);
    std::ranges::sort(grouping.names);
    return grouping;
  }

  absl::Status Count(const SeriesColumn& series) {
    const size_t group = groups_.Insert(series.labels);
    if (group >= series_by_bits_.size()) series_by_bits_.resize(group + 1);
    // Values often repeat from step to step.
    uint64_t last_bits = kNoValueBits;
    size_t last = 0;
    for (size_t i = 0; i < series.values.size(); ++i) {
      if (IsNoValue(series.values[i])) continue;
      if (const uint64_t bits = BitsOf(series.values[i]); bits != last_bits) {
        HOURCELL_ASSIGN_OR_RETURN(last, FindOrAdd(series.labels, series.values[i], group));
        last_bits = bits;
      }
      double& count = result_.series()[last].values[i];
      count = IsNoValue(count) ? 1.0 : count + 1.0;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<size_t> FindOrAdd(const Labels& labels, double value, size_t group) {
    const uint64_t key = is_label_dropped_ ? 0 : BitsOf(value);
    const size_t next = result_.series().size();
    const auto [found, is_new] = series_by_bits_[group].try_emplace(key, next);
    if (!is_new) return found->second;
    Labels result = GroupLabels(labels, grouping_);
    if (!is_label_dropped_) result.Set(label_, NumberText(value));
    HOURCELL_RETURN_IF_ERROR(result_.Add(std::move(result)).status());
    return next;
  }

  const std::string label_;
  const bool is_label_dropped_;
  const GroupingRule grouping_;
  const HeldVector& vector_;
  SeriesGroups groups_;
  std::vector<SeriesByBits> series_by_bits_;  // by group
  HeldVector result_;
};

// The sum of the elements of a group at one step: numbers or histograms.
class StepSum final {
 public:
  void Add(const SeriesColumn& series, size_t step) {
    const double value = series.values[step];
    if (IsNoValue(value)) return;
    if (!IsHistogram(value)) {
      number_ = numbers_++ == 0 ? value : number_ + value;
      return;
    }
    const HistogramPointer& one = series.histograms[step];
    if (histograms_++ == 0) {
      single_ = one;
      return;
    }
    if (histograms_ == 2) sum_ = *single_;
    if (one->schema >= sum_.schema) {
      AddHistogram(*one, &sum_);
    } else {
      sum_ = SumOf(sum_, *one);
    }
  }

  // None if there are numbers and histograms.
  absl::Status Finish(size_t step, HeldVector* result) {
    if (numbers_ > 0 && histograms_ == 0) result->series().back().values[step] = number_;
    if (numbers_ > 0 || histograms_ == 0) return absl::OkStatus();
    return result->SetHistogram(step, histograms_ == 1
                                          ? std::move(single_)
                                          : std::make_shared<NativeHistogram>(std::move(sum_)));
  }

 private:
  size_t numbers_ = 0;
  size_t histograms_ = 0;
  double number_ = 0;
  HistogramPointer single_;  // the first one
  NativeHistogram sum_;      // of several
};

bool HasHistograms(const HeldVector& vector, std::span<const size_t> members) {
  return std::ranges::any_of(
      members, [&](size_t member) { return !vector.series()[member].histograms.empty(); });
}

// The sum of a group with histograms, in the last series of `*result`.
absl::Status SumWithHistograms(const HeldVector& vector,
                               std::span<const size_t> members,
                               HeldVector* result) {
  for (size_t step = 0; step < vector.steps(); ++step) {
    HOURCELL_RETURN_IF_ERROR(vector.budget()->Work(members.size()));
    StepSum sum;
    for (const size_t member : members)
      sum.Add(vector.series()[member], step);
    HOURCELL_RETURN_IF_ERROR(sum.Finish(step, result));
  }
  if (!HasValue(result->series().back().values)) result->RemoveLast();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<HeldVector> Aggregate(AggregateOperator op,
                                     const GroupingRule& grouping,
                                     const HeldVector& vector) {
  HOURCELL_DCHECK(IsGroupAggregate(op));
  HeldVector result(vector.budget(), vector.steps());
  for (const std::vector<size_t>& members : MembersOf(vector, grouping)) {
    if (op == AggregateOperator::kSum && HasHistograms(vector, members)) {
      const Labels& first = vector.series()[members.front()].labels;
      HOURCELL_RETURN_IF_ERROR(result.Add(GroupLabels(first, grouping)).status());
      HOURCELL_RETURN_IF_ERROR(SumWithHistograms(vector, members, &result));
      continue;
    }
    GroupAggregate aggregate(op, vector.steps());
    for (const size_t member : members) {
      HOURCELL_RETURN_IF_ERROR(vector.budget()->Work(vector.steps()));
      aggregate.Add(vector.series()[member].values);
    }
    const Labels& first = vector.series()[members.front()].labels;
    HOURCELL_ASSIGN_OR_RETURN(const std::span<double> column,
                              result.Add(GroupLabels(first, grouping)));
    aggregate.Finish(column);
  }
  return result;
}

absl::StatusOr<HeldVector> AggregateQuantile(std::span<const double> quantiles,
                                             const GroupingRule& grouping,
                                             const HeldVector& vector) {
  HOURCELL_DCHECK(quantiles.size() == vector.steps());
  HeldVector result(vector.budget(), vector.steps());
  std::vector<double> values;
  for (const std::vector<size_t>& members : MembersOf(vector, grouping)) {
    const Labels& first = vector.series()[members.front()].labels;
    HOURCELL_ASSIGN_OR_RETURN(const std::span<double> column,
                              result.Add(GroupLabels(first, grouping)));
    const auto visit = [&](size_t step, std::span<const StepElement> elements) {
      values.clear();
      for (const StepElement& element : elements)
        values.push_back(element.value);
      column[step] = Quantile(quantiles[step], values);
    };
    HOURCELL_RETURN_IF_ERROR(VisitSteps(vector, members, visit));
  }
  return result;
}

absl::StatusOr<HeldVector> CountValues(std::string_view label,
                                       const GroupingRule& grouping,
                                       const HeldVector& vector) {
  if (!IsLabelName(label)) return absl::InvalidArgumentError("invalid label name " + Quoted(label));
  return ValueCounter(label, grouping, vector).Run();
}

}  // namespace hourcell::promql
