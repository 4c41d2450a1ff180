#include "promql/evaluation/held_vector.h"

#include <algorithm>
#include <iterator>
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
  return sizeof(SeriesColumn) + series.labels.MemoryBytes() + steps_ * sizeof(double);
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

void HeldVector::Append(HeldVector other) {
  HOURCELL_DCHECK(other.steps_ == steps_);
  bytes_ += std::exchange(other.bytes_, 0);
  std::ranges::move(other.series_, std::back_inserter(series_));
}

void HeldVector::RemoveLast() {
  const size_t bytes = std::min(bytes_, BytesOf(series_.back()));
  series_.pop_back();
  bytes_ -= bytes;
  budget_->GiveBack(bytes);
}

void HeldVector::RemoveEmpty() {
  size_t bytes = 0;
  std::erase_if(series_, [&](const SeriesColumn& series) {
    if (HasValue(series.values)) return false;
    bytes += BytesOf(series);
    return true;
  });
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
  }
  return absl::OkStatus();
}

Vector HeldVector::Release() && {
  bytes_ = 0;
  return std::move(series_);
}

bool HasValue(std::span<const double> column) {
  return std::ranges::any_of(column, [](double value) { return !IsNoValue(value); });
}

std::optional<size_t> MergeColumns(std::span<const double> from, std::span<double> to) {
  std::optional<size_t> collision;
  for (size_t i = 0; i < from.size(); ++i) {
    if (IsNoValue(from[i])) continue;
    if (IsNoValue(to[i])) {
      to[i] = from[i];
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
    const auto step = MergeColumns(series[i].values, series[found->second].values);
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
