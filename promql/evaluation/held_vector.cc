#include "promql/evaluation/held_vector.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"

namespace hourcell::promql {
namespace {

constexpr size_t kValuesBetweenChecks = 16'384;

struct LabelsHash {
  using is_transparent = void;
  size_t operator()(const Labels* labels) const { return absl::HashOf(*labels); }
};
struct LabelsEqual {
  using is_transparent = void;
  bool operator()(const Labels* a, const Labels* b) const { return *a == *b; }
};
// The keys are borrowed.
using IndexByLabels = absl::flat_hash_map<const Labels*, size_t, LabelsHash, LabelsEqual>;

bool HasMetricName(const SeriesColumn& series) {
  return !series.labels.Get(kMetricName).empty();
}

// If all series have the same __name__, their labels stay unique without it.
bool MetricNamesDiffer(const Vector& series) {
  return std::ranges::any_of(series, [&](const SeriesColumn& one) {
    return one.labels.Get(kMetricName) != series.front().labels.Get(kMetricName);
  });
}

}  // namespace

absl::Status Budget::Work(size_t values) {
  values_since_check_ += values;
  if (values_since_check_ < kValuesBetweenChecks) return absl::OkStatus();
  values_since_check_ = 0;
  return check_ == nullptr ? absl::OkStatus() : (*check_)();
}

HeldVector& HeldVector::operator=(HeldVector&& other) noexcept {
  if (this == &other) return *this;
  if (budget_ != nullptr) budget_->GiveBack(bytes_);
  budget_ = other.budget_;
  steps_ = other.steps_;
  bytes_ = std::exchange(other.bytes_, 0);
  series_ = std::move(other.series_);
  other.series_.clear();
  return *this;
}

size_t HeldVector::BytesOf(const SeriesColumn& series) const {
  return sizeof(SeriesColumn) + series.labels.MemoryBytes() + steps_ * sizeof(double) +
         BytesOfHistograms(series.histograms);
}

absl::StatusOr<std::span<double>> HeldVector::Add(Labels labels) {
  SeriesColumn series{.labels = std::move(labels), .values = {}};
  const size_t bytes = BytesOf(series);
  HOURCELL_RETURN_IF_ERROR(budget_->Take(bytes));
  bytes_ += bytes;
  series.values.assign(steps_, kNoValue);
  series_.push_back(std::move(series));
  return std::span<double>(series_.back().values);
}

absl::Status HeldVector::SetHistogram(size_t step, HistogramPointer histogram) {
  HOURCELL_DCHECK(step < steps_);
  SeriesColumn& series = series_.back();
  size_t bytes = series.histograms.empty() ? steps_ * sizeof(HistogramPointer) : 0;
  const bool is_repeated =
      step > 0 && !series.histograms.empty() && series.histograms[step - 1] == histogram;
  if (!is_repeated) {
    bytes += histogram->MemoryBytes();
    HOURCELL_RETURN_IF_ERROR(
        budget_->Work(histogram->positive.size() + histogram->negative.size()));
  }
  HOURCELL_RETURN_IF_ERROR(budget_->Take(bytes));
  bytes_ += bytes;
  series.histograms.resize(steps_);
  series.histograms[step] = std::move(histogram);
  series.values[step] = kHistogram;
  return absl::OkStatus();
}

void HeldVector::Append(HeldVector other) {
  HOURCELL_DCHECK(other.steps_ == steps_);
  bytes_ += std::exchange(other.bytes_, 0);
  std::ranges::move(other.series_, std::back_inserter(series_));
}

void HeldVector::RemoveLast() {
  const size_t bytes = BytesOf(series_.back());
  series_.pop_back();
  GiveBack(bytes);
}

void HeldVector::RemoveEmpty() {
  size_t bytes = 0;
  std::erase_if(series_, [&](const SeriesColumn& series) {
    if (HasValue(series.values)) return false;
    bytes += BytesOf(series);
    return true;
  });
  GiveBack(bytes);
}

bool HeldVector::RemoveHistograms() {
  bool is_any = false;
  for (SeriesColumn& series : series_) {
    if (series.histograms.empty()) continue;
    is_any |= std::ranges::any_of(series.values, IsHistogram);
    std::ranges::replace_if(series.values, IsHistogram, kNoValue);
    GiveBack(BytesOfHistograms(series.histograms));
    series.histograms = {};
  }
  if (is_any) RemoveEmpty();
  return is_any;
}

// Never more than was taken: labels and histograms may have become larger since.
void HeldVector::GiveBack(size_t bytes) {
  bytes = std::min(bytes, bytes_);
  bytes_ -= bytes;
  budget_->GiveBack(bytes);
}

absl::Status HeldVector::SetLabels(size_t i, Labels labels) {
  const size_t before = series_[i].labels.MemoryBytes();
  const size_t after = labels.MemoryBytes();
  if (after > before) {
    HOURCELL_RETURN_IF_ERROR(budget_->Take(after - before));
    bytes_ += after - before;
  }
  series_[i].labels = std::move(labels);
  return absl::OkStatus();
}

absl::Status HeldVector::Repeat(size_t steps) {
  HOURCELL_DCHECK(steps_ == 1);
  const size_t bytes = series_.size() * (steps - 1) * sizeof(double);
  HOURCELL_RETURN_IF_ERROR(budget_->Take(bytes));
  bytes_ += bytes;
  steps_ = steps;
  for (SeriesColumn& series : series_) {
    HOURCELL_RETURN_IF_ERROR(budget_->Work(steps));
    series.values.assign(steps, series.values.front());
    if (series.histograms.empty()) continue;
    HOURCELL_RETURN_IF_ERROR(budget_->Take((steps - 1) * sizeof(HistogramPointer)));
    bytes_ += (steps - 1) * sizeof(HistogramPointer);
    series.histograms.assign(steps, HistogramPointer(series.histograms.front()));
  }
  return absl::OkStatus();
}

Vector HeldVector::Release() && {
  bytes_ = 0;
  return std::move(series_);
}

size_t BytesOfHistograms(std::span<const HistogramPointer> histograms) {
  size_t bytes = histograms.size() * sizeof(HistogramPointer);
  const NativeHistogram* last = nullptr;
  for (const HistogramPointer& histogram : histograms) {
    if (histogram != nullptr && histogram.get() != last) bytes += histogram->MemoryBytes();
    last = histogram.get();
  }
  return bytes;
}

bool HasValue(std::span<const double> column) {
  return std::ranges::any_of(column, [](double value) { return !IsNoValue(value); });
}

std::optional<size_t> MergeColumns(const SeriesColumn& from, SeriesColumn* to) {
  std::optional<size_t> collision;
  if (!from.histograms.empty()) to->histograms.resize(to->values.size());
  for (size_t i = 0; i < from.values.size(); ++i) {
    if (IsNoValue(from.values[i])) continue;
    if (IsNoValue(to->values[i])) {
      to->values[i] = from.values[i];
      if (IsHistogram(from.values[i])) to->histograms[i] = from.histograms[i];
    } else if (!collision.has_value()) {
      collision = i;
    }
  }
  return collision;
}

std::optional<size_t> MergeEqualLabels(HeldVector* vector) {
  Vector& series = vector->series();
  std::optional<size_t> collision;
  IndexByLabels first_by_labels;
  first_by_labels.reserve(series.size());
  bool is_merged = false;
  for (size_t i = 0; i < series.size(); ++i) {
    const auto [found, is_new] = first_by_labels.try_emplace(&series[i].labels, i);
    if (is_new) continue;
    const auto step = MergeColumns(series[i], &series[found->second]);
    if (step.has_value()) collision = std::min(*step, collision.value_or(*step));
    std::ranges::fill(series[i].values, kNoValue);
    is_merged = true;
  }
  if (is_merged) vector->RemoveEmpty();
  return collision;
}

absl::Status ResolveEqualLabels(HeldVector* vector, EqualLabels mode) {
  const size_t before = vector->series().size();
  const bool has_collision = MergeEqualLabels(vector).has_value();
  const bool is_merged = vector->series().size() < before;
  if (has_collision || (is_merged && mode == EqualLabels::kRefuse))
    return absl::InvalidArgumentError(std::string(kEqualLabelsText));
  return absl::OkStatus();
}

absl::Status DropMetricNames(HeldVector* vector, EqualLabels mode) {
  const bool may_collide = MetricNamesDiffer(vector->series());
  for (SeriesColumn& series : vector->series()) {
    if (HasMetricName(series)) series.labels.Remove(kMetricName);
  }
  return may_collide ? ResolveEqualLabels(vector, mode) : absl::OkStatus();
}

absl::StatusOr<HeldVector> ConstantScalar(Budget* budget, size_t steps, double value) {
  HeldVector scalar(budget, steps);
  HOURCELL_ASSIGN_OR_RETURN(const std::span<double> column, scalar.Add(Labels()));
  std::ranges::fill(column, value);
  return scalar;
}

}  // namespace hourcell::promql
