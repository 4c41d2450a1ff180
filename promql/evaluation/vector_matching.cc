#include "promql/evaluation/vector_matching.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "promql/evaluation/binary.h"
#include "promql/evaluation/series_groups.h"
#include "promql/values/arithmetic.h"

namespace hourcell::promql {
namespace {

constexpr std::string_view kManyToOneText =
    "multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)";
constexpr std::string_view kNotUniqueText =
    "multiple matches for labels: grouping labels must ensure unique matches";

// Elements of the one side that give the same labels to a result. At each step, a group has one
// element on that side, so its series need no more than one column.
struct OneColumn {
  const Labels* labels = nullptr;  // of one of the series
  std::span<const double> values;
  std::span<const HistogramPointer> histograms = {};
};

// Series of equal matching labels, as indices into the vectors.
struct MatchGroup {
  bool has_many = false;
  std::vector<size_t> one;
  std::vector<OneColumn> columns;  // of `one`
  std::vector<size_t> results;
};

// The error of the earliest step. Of one step, the error that was found first counts.
class EarliestError final {
 public:
  void Add(size_t step, std::string_view text) {
    if (step_.has_value() && *step_ <= step) return;
    step_ = step;
    text_ = text;
  }
  absl::Status ToStatus() const {
    return step_.has_value() ? absl::InvalidArgumentError(text_) : absl::OkStatus();
  }

 private:
  std::optional<size_t> step_;
  std::string text_;
};

std::vector<std::string> Sorted(std::vector<std::string> names) {
  std::ranges::sort(names);
  return names;
}

// One operator of two vectors. `many` is the side that may have several series in a group: the
// right side for group_right, else the left one.
class Matcher final {
 public:
  Matcher(BinaryOperator op,
          const VectorMatching& matching,
          bool return_bool,
          const HeldVector& many,
          const HeldVector& one)
      : op_(op),
        matching_(matching),
        return_bool_(return_bool),
        many_(many),
        one_(one),
        merged_(one.budget(), one.steps()),
        result_(many.budget(), many.steps()) {}

  absl::StatusOr<HeldVector> Run() &&;

 private:
  bool is_swapped() const { return matching_.cardinality == MatchCardinality::kOneToMany; }
  bool is_one_to_one() const { return matching_.cardinality == MatchCardinality::kOneToOne; }
  void MakeGroups();
  absl::Status FindDuplicates();
  absl::StatusOr<std::vector<bool>> StepsOfMany() const;
  std::string DuplicatesText(size_t step) const;
  absl::Status MergeOneSide(MatchGroup* group);
  absl::Status CombineSeries(size_t many);
  absl::Status AddWithHistograms(const SeriesColumn& many, const OneColumn& one);
  double CombineElements(double many, double one) const;
  Labels ResultLabels(const Labels& many, const Labels& one) const;
  void FindCollisions(std::vector<size_t> results);

  const BinaryOperator op_;
  const VectorMatching& matching_;
  const bool return_bool_;
  const HeldVector& many_;
  const HeldVector& one_;
  std::vector<MatchGroup> groups_;
  std::vector<size_t> group_of_many_;
  HeldVector merged_;  // columns of several series of the one side
  EarliestError error_;
  HeldVector result_;
};

absl::StatusOr<HeldVector> Matcher::Run() && {
  MakeGroups();
  HOURCELL_RETURN_IF_ERROR(FindDuplicates());
  for (MatchGroup& group : groups_) {
    if (group.has_many) HOURCELL_RETURN_IF_ERROR(MergeOneSide(&group));
  }
  // In the order of the many side, which is that of the result.
  for (size_t many = 0; many < many_.series().size(); ++many)
    HOURCELL_RETURN_IF_ERROR(CombineSeries(many));
  for (MatchGroup& group : groups_) {
    if (group.results.size() > 1) FindCollisions(std::move(group.results));
  }
  if (const auto step = MergeEqualLabels(&result_)) error_.Add(*step, kEqualLabelsText);
  HOURCELL_RETURN_IF_ERROR(error_.ToStatus());
  return std::move(result_);
}

void Matcher::MakeGroups() {
  const GroupingRule rule{.only_names = matching_.on, .names = matching_.labels};
  SeriesGroups numbers(&rule);
  for (size_t one = 0; one < one_.series().size(); ++one) {
    const size_t number = numbers.Insert(one_.series()[one].labels);
    if (number >= groups_.size()) groups_.resize(number + 1);
    groups_[number].one.push_back(one);
  }
  for (const SeriesColumn& series : many_.series()) {
    const size_t number = numbers.Insert(series.labels);
    if (number >= groups_.size()) groups_.resize(number + 1);
    groups_[number].has_many = true;
    group_of_many_.push_back(number);
  }
}

// Two elements of a group on the one side are an error, unless the many side has no element at the
// step: nothing is matched then.
absl::Status Matcher::FindDuplicates() {
  size_t end = one_.steps();
  std::vector<bool> many_has_elements;
  for (const MatchGroup& group : groups_) {
    if (group.one.size() < 2) continue;
    if (many_has_elements.empty()) {
      HOURCELL_ASSIGN_OR_RETURN(many_has_elements, StepsOfMany());
    }
    std::vector<bool> is_taken(end);
    for (const size_t one : group.one) {
      HOURCELL_RETURN_IF_ERROR(one_.budget()->Work(end));
      const std::span<const double> column = one_.series()[one].values;
      for (size_t i = 0; i < end; ++i) {
        if (IsNoValue(column[i]) || !many_has_elements[i]) continue;
        if (is_taken[i]) end = i;  // ends the loop: later steps do not count
        is_taken[i] = true;
      }
    }
  }
  if (end < one_.steps()) error_.Add(end, DuplicatesText(end));
  return end == 0 ? error_.ToStatus() : absl::OkStatus();
}

absl::StatusOr<std::vector<bool>> Matcher::StepsOfMany() const {
  std::vector<bool> has_elements(many_.steps());
  for (const SeriesColumn& series : many_.series()) {
    HOURCELL_RETURN_IF_ERROR(many_.budget()->Work(many_.steps()));
    for (size_t i = 0; i < many_.steps(); ++i)
      if (!IsNoValue(series.values[i])) has_elements[i] = true;
  }
  return has_elements;
}

// Names the first series of the one side that has an earlier one of its group at the step.
std::string Matcher::DuplicatesText(size_t step) const {
  std::optional<std::pair<size_t, size_t>> found;  // later and earlier series
  for (const MatchGroup& group : groups_) {
    std::optional<size_t> earlier;
    for (const size_t one : group.one) {
      if (IsNoValue(one_.series()[one].values[step])) continue;
      if (!earlier.has_value()) {
        earlier = one;
        continue;
      }
      if (!found.has_value() || one < found->first) found = {one, *earlier};
      break;
    }
  }
  const Labels& later = one_.series()[found->first].labels;
  const Labels& earlier = one_.series()[found->second].labels;
  const GroupingRule rule{.only_names = matching_.on, .names = matching_.labels};
  return fmt::format(
      "found duplicate series for the match group {} on the {} hand-side of the operation: "
      "[{}, {}];many-to-many matching not allowed: matching labels must be unique on one side",
      GroupLabels(later, rule).Text(), is_swapped() ? "left" : "right", later.Text(),
      earlier.Text());
}

// Makes one column of the series that include the same labels in a result.
absl::Status Matcher::MergeOneSide(MatchGroup* group) {
  if (group->one.size() == 1) {
    const SeriesColumn& series = one_.series()[group->one.front()];
    group->columns.push_back(
        {.labels = &series.labels, .values = series.values, .histograms = series.histograms});
    return absl::OkStatus();
  }
  const GroupingRule included{.only_names = true, .names = Sorted(matching_.include)};
  SeriesGroups variants(&included);
  std::vector<std::vector<size_t>> series_by_variant;
  for (const size_t one : group->one) {
    const size_t variant = variants.Insert(one_.series()[one].labels);
    if (variant >= series_by_variant.size()) series_by_variant.resize(variant + 1);
    series_by_variant[variant].push_back(one);
  }
  for (const std::vector<size_t>& series : series_by_variant) {
    const SeriesColumn& first = one_.series()[series.front()];
    OneColumn column{
        .labels = &first.labels, .values = first.values, .histograms = first.histograms};
    if (series.size() > 1) {
      HOURCELL_RETURN_IF_ERROR(merged_.Add(Labels()).status());
      SeriesColumn& merged = merged_.series().back();
      for (const size_t one : series) {
        HOURCELL_RETURN_IF_ERROR(one_.budget()->Work(merged.values.size()));
        MergeColumns(one_.series()[one], &merged);
      }
      column.values = merged.values;
      column.histograms = merged.histograms;
    }
    group->columns.push_back(column);
  }
  return absl::OkStatus();
}

absl::Status Matcher::CombineSeries(size_t many) {
  const SeriesColumn& series = many_.series()[many];
  MatchGroup& group = groups_[group_of_many_[many]];
  for (const OneColumn& one : group.columns) {
    HOURCELL_RETURN_IF_ERROR(many_.budget()->Work(many_.steps()));
    HOURCELL_ASSIGN_OR_RETURN(const std::span<double> column,
                              result_.Add(ResultLabels(series.labels, *one.labels)));
    if (!series.histograms.empty() || !one.histograms.empty()) {
      HOURCELL_RETURN_IF_ERROR(AddWithHistograms(series, one));
    } else {
      for (size_t i = 0; i < column.size(); ++i) {
        if (IsNoValue(series.values[i]) || IsNoValue(one.values[i])) continue;
        column[i] = CombineElements(series.values[i], one.values[i]);
      }
    }
    if (HasValue(column)) {
      group.results.push_back(result_.series().size() - 1);
    } else {
      result_.RemoveLast();
    }
  }
  return absl::OkStatus();
}

// Leaves out pairs of a number and a histogram.
absl::Status Matcher::AddWithHistograms(const SeriesColumn& many, const OneColumn& one) {
  HOURCELL_DCHECK(op_ == BinaryOperator::kAdd);
  const std::span<double> column = result_.series().back().values;
  for (size_t i = 0; i < column.size(); ++i) {
    if (IsNoValue(many.values[i]) || IsNoValue(one.values[i])) continue;
    const bool is_histogram = IsHistogram(many.values[i]);
    if (is_histogram != IsHistogram(one.values[i])) continue;
    if (!is_histogram) {
      column[i] = CombineElements(many.values[i], one.values[i]);
      continue;
    }
    const NativeHistogram& left = *(is_swapped() ? one.histograms : many.histograms)[i];
    const NativeHistogram& right = *(is_swapped() ? many.histograms : one.histograms)[i];
    HOURCELL_RETURN_IF_ERROR(
        result_.SetHistogram(i, std::make_shared<NativeHistogram>(SumOf(left, right))));
  }
  return absl::OkStatus();
}

double Matcher::CombineElements(double many, double one) const {
  const double left = is_swapped() ? one : many;
  const double right = is_swapped() ? many : one;
  if (!IsComparison(op_)) return Calculate(op_, left, right);
  const bool holds = Compare(op_, left, right);
  if (return_bool_) return holds ? 1.0 : 0.0;
  return holds ? left : kNoValue;
}

Labels Matcher::ResultLabels(const Labels& many, const Labels& one) const {
  Labels labels = many;
  if (DropsMetricName(op_, /*return_bool=*/false)) labels.Remove(kMetricName);
  if (is_one_to_one())
    labels = matching_.on ? labels.Keep(matching_.labels) : labels.Without(matching_.labels);
  for (const std::string& name : matching_.include)
    labels.Set(name, one.Get(name));
  if (return_bool_) labels.Remove(kMetricName);
  return labels;
}

// Of one-to-one matches, a group has one result at each step. Of others, its results at a step have
// different labels.
void Matcher::FindCollisions(std::vector<size_t> results) {
  const Vector& series = result_.series();
  if (!is_one_to_one()) {
    std::ranges::sort(results,
                      [&](size_t a, size_t b) { return series[a].labels < series[b].labels; });
  }
  std::vector<bool> is_taken(result_.steps());
  for (size_t k = 0; k < results.size(); ++k) {
    const bool has_new_labels =
        !is_one_to_one() && k > 0 && series[results[k]].labels != series[results[k - 1]].labels;
    if (has_new_labels) is_taken.assign(is_taken.size(), false);
    const std::span<const double> column = series[results[k]].values;
    for (size_t i = 0; i < column.size(); ++i) {
      if (IsNoValue(column[i])) continue;
      if (is_taken[i]) error_.Add(i, is_one_to_one() ? kManyToOneText : kNotUniqueText);
      is_taken[i] = true;
    }
  }
}

}  // namespace

absl::StatusOr<HeldVector> CombineVectors(BinaryOperator op,
                                          const VectorMatching& matching,
                                          bool return_bool,
                                          HeldVector left,
                                          HeldVector right) {
  HOURCELL_DCHECK(!IsSetOperator(op));
  HOURCELL_DCHECK(matching.cardinality != MatchCardinality::kManyToMany);
  HOURCELL_DCHECK(left.steps() == right.steps());
  const bool is_swapped = matching.cardinality == MatchCardinality::kOneToMany;
  const HeldVector& many = is_swapped ? right : left;
  const HeldVector& one = is_swapped ? left : right;
  return Matcher(op, matching, return_bool, many, one).Run();
}

}  // namespace hourcell::promql
