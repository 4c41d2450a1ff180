#include "promql/evaluation/ranking.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "promql/evaluation/series_groups.h"
#include "promql/values/number_text.h"

namespace hourcell::promql {
namespace {

// Keeps the added elements of highest rank, in a binary heap with the lowest one at the top.
// Prometheus uses the same heap, so the same ones of equal elements stay.
class Ranking final {
 public:
  explicit Ranking(RankOrder order) : order_(order) {}

  void Reset(size_t capacity) {
    capacity_ = capacity;
    heap_.clear();
  }
  void Add(const StepElement& element) {
    if (heap_.size() < capacity_) {
      heap_.push_back(element);
      Raise(heap_.size() - 1);
    } else if (IsBelow(heap_.front().value, element.value)) {
      heap_.front() = element;
      Lower();
    }
  }
  std::vector<StepElement>& elements() { return heap_; }

 private:
  // A number replaces a NaN, and nothing replaces an element of equal rank.
  bool IsBelow(double a, double b) const {
    if (std::isnan(a)) return !std::isnan(b);
    return order_ == RankOrder::kDescending ? a < b : a > b;
  }
  // In the heap, a NaN is below another NaN, too.
  bool IsBelowInHeap(size_t a, size_t b) const {
    return std::isnan(heap_[a].value) || IsBelow(heap_[a].value, heap_[b].value);
  }
  void Raise(size_t i) {
    while (i > 0) {
      const size_t parent = (i - 1) / 2;
      if (!IsBelowInHeap(i, parent)) break;
      std::swap(heap_[i], heap_[parent]);
      i = parent;
    }
  }
  void Lower() {
    for (size_t i = 0;;) {
      size_t child = 2 * i + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && IsBelowInHeap(child + 1, child)) ++child;
      if (!IsBelowInHeap(child, i)) break;
      std::swap(heap_[i], heap_[child]);
      i = child;
    }
  }

  const RankOrder order_;
  size_t capacity_ = 0;
  std::vector<StepElement> heap_;
};

// Equal values keep their order, and NaNs are reversed, as by Prometheus' sort of short vectors.
void SortElements(RankOrder order, std::vector<StepElement>* elements) {
  const auto nans = std::ranges::stable_partition(
      *elements, [](const StepElement& element) { return !std::isnan(element.value); });
  std::reverse(nans.begin(), nans.end());
  std::stable_sort(elements->begin(), nans.begin(),
                   [&](const StepElement& a, const StepElement& b) {
                     return order == RankOrder::kAscending ? a.value < b.value : a.value > b.value;
                   });
}

// The count of a step: 0 for a number below 1.
absl::StatusOr<size_t> CountOf(double count) {
  // The greatest double below 2^63.
  constexpr double kMax = 9223372036854774784.0;
  if (!(count <= kMax && count >= -0x1p63)) {
    return absl::InvalidArgumentError("Scalar value " + LiteralText(count) + " overflows int64");
  }
  return count < 1 ? 0 : static_cast<size_t>(count);
}

absl::StatusOr<std::vector<size_t>> CountsOf(std::span<const double> counts) {
  std::vector<size_t> whole;
  whole.reserve(counts.size());
  for (const double count : counts) {
    HOURCELL_ASSIGN_OR_RETURN(const size_t one, CountOf(count));
    whole.push_back(one);
  }
  return whole;
}

void Reorder(std::span<const StepElement> order, HeldVector* vector) {
  Vector ordered;
  ordered.reserve(order.size());
  for (const StepElement& element : order)
    ordered.push_back(std::move(vector->series()[element.series]));
  vector->series() = std::move(ordered);
}

}  // namespace

void SortByValue(RankOrder order, HeldVector* vector) {
  if (vector->steps() != 1) return;
  std::vector<StepElement> elements;
  for (size_t i = 0; i < vector->series().size(); ++i)
    elements.push_back({.value = vector->series()[i].values.front(), .series = i});
  SortElements(order, &elements);
  Reorder(elements, vector);
}

absl::Status KeepRanked(RankOrder order,
                        std::span<const double> counts,
                        const GroupingRule& grouping,
                        HeldVector* vector) {
  HOURCELL_DCHECK(counts.size() == vector->steps());
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<size_t> whole_counts, CountsOf(counts));
  Ranking ranking(order);
  std::vector<StepElement> kept;  // of all groups, if there is one step
  for (const std::vector<size_t>& group : MembersOf(*vector, grouping)) {
    const auto visit = [&](size_t step, std::span<const StepElement> elements) {
      ranking.Reset(whole_counts[step]);
      for (const StepElement& element : elements) {
        vector->series()[element.series].values[step] = kNoValue;
        if (whole_counts[step] > 0) ranking.Add(element);
      }
      for (const StepElement& element : ranking.elements())
        vector->series()[element.series].values[step] = element.value;
      if (vector->steps() > 1) return;
      SortElements(order, &ranking.elements());
      std::ranges::copy(ranking.elements(), std::back_inserter(kept));
    };
    HOURCELL_RETURN_IF_ERROR(VisitSteps(*vector, group, visit));
  }
  if (vector->steps() == 1) {
    Reorder(kept, vector);
  } else {
    vector->RemoveEmpty();
  }
  return absl::OkStatus();
}

}  // namespace hourcell::promql
