// HeldVector: a vector whose memory is counted, and the operations that keep its labels unique.
// Budget: the memory and the time that an evaluation may take.
//
// Errors: kResourceExhausted of the memory account; those of the caller's check. Thread-compatible.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/check.h"
#include "engine/query/memory_account.h"
#include "promql/columns.h"

namespace hourcell::promql {

inline constexpr std::string_view kEqualLabelsText =
    "vector cannot contain metrics with the same labelset";

class Budget final {
 public:
  // Both are borrowed, and may be null: no limit.
  Budget(MemoryHold* memory, absl::FunctionRef<absl::Status()>* check)
      : memory_(memory), check_(check) {}

  absl::Status Take(size_t bytes) {
    return memory_ == nullptr ? absl::OkStatus() : memory_->Take(bytes);
  }
  void GiveBack(size_t bytes) {
    if (memory_ != nullptr) memory_->GiveBack(bytes);
  }
  // Counts calculated values; calls the caller's check after every few thousand.
  absl::Status Work(size_t values);

 private:
  MemoryHold* const memory_;
  absl::FunctionRef<absl::Status()>* const check_;
  size_t values_since_check_ = 0;
};

// INVARIANT, between operations: no two series have the same labels, and each has a value at some
// step. A scalar is one series without labels and without gaps. Move-only; gives its memory back.
class HeldVector final {
 public:
  HeldVector(Budget* budget, size_t steps) : budget_(budget), steps_(steps) {}
  HeldVector(HeldVector&& other) noexcept { *this = std::move(other); }
  HeldVector& operator=(HeldVector&& other) noexcept;
  ~HeldVector() { budget_->GiveBack(bytes_); }

  // Adds a series without values; the span is its column, valid until the series is removed.
  absl::StatusOr<std::span<double>> Add(Labels labels);
  // Makes an element of the last series a histogram. REQUIRES: step < steps(); the steps ascend
  // from call to call.
  absl::Status SetHistogram(size_t step, HistogramPointer histogram);
  // Moves the series of another vector, and their memory, to the end of this one. REQUIRES: as many
  // steps.
  void Append(HeldVector other);
  void RemoveLast();
  // Removes series without a value.
  void RemoveEmpty();
  // Removes the elements that are histograms. True: there were some.
  bool RemoveHistograms();
  absl::Status SetLabels(size_t i, Labels labels);
  // Makes a vector of one step one of `steps` steps with equal values. REQUIRES: steps() == 1.
  absl::Status Repeat(size_t steps);

  Budget* budget() const { return budget_; }
  size_t steps() const { return steps_; }
  // Counts the memory of labels and columns as it was when they were added.
  Vector& series() { return series_; }
  const Vector& series() const { return series_; }
  // The column of a scalar. REQUIRES: one series.
  std::span<const double> scalar() const {
    HOURCELL_DCHECK(series_.size() == 1);
    return series_.front().values;
  }
  // The series; their memory stays taken.
  Vector Release() &&;

 private:
  size_t BytesOf(const SeriesColumn& series) const;
  void GiveBack(size_t bytes);

  Budget* budget_ = nullptr;
  size_t steps_ = 0;
  size_t bytes_ = 0;
  Vector series_;
};

bool HasValue(std::span<const double> column);

// The memory of the pointers and of their histograms. Neighbors are often the same histogram.
size_t BytesOfHistograms(std::span<const HistogramPointer> histograms);

// Moves the elements of `from` into the gaps of `to`. The first step at which both have one.
std::optional<size_t> MergeColumns(const SeriesColumn& from, SeriesColumn* to);

// Merges series of the same labels. Returns the first step at which two such series have values.
// After a collision, only the first of two values counts.
std::optional<size_t> MergeEqualLabels(HeldVector* vector);

// How an operation treats series that have equal labels after it.
enum class EqualLabels : uint8_t {
  kMerge,   // one series; an error if both have values at a step
  kRefuse,  // an error, as functions of range vectors and the unary minus have it
};
// kInvalidArgument: kEqualLabelsText.
absl::Status ResolveEqualLabels(HeldVector* vector, EqualLabels mode);
// Removes __name__ from the labels.
absl::Status DropMetricNames(HeldVector* vector, EqualLabels mode = EqualLabels::kMerge);

// A scalar with the same value at all steps.
absl::StatusOr<HeldVector> ConstantScalar(Budget* budget, size_t steps, double value);

}  // namespace hourcell::promql
