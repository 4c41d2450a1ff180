#include "engine/query/functions/ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"

// Why a heap of N and not all series: a query for the top 10 of 100,000 hosts would hold the points
// of all hosts. A series that is not among the best so far is never copied.

namespace hourcell {

double RankedValue(const SpanView& points, FunctionSpec::By by) {
  using By = FunctionSpec::By;
  size_t count = 0;
  double result = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const double number = points.ToDouble(i);
    if (std::isnan(number)) continue;
    ++count;
    if (count == 1 || by == By::kLast) {
      result = number;
    } else if (by == By::kMax) {
      result = std::max(result, number);
    } else if (by == By::kMin) {
      result = std::min(result, number);
    } else {
      result += number;
    }
  }
  if (count == 0) return std::numeric_limits<double>::quiet_NaN();
  return by == By::kAvg ? result / static_cast<double>(count) : result;
}

Ranking::Ranking(const FunctionSpec& spec, MemoryAccount* memory) : spec_(spec), memory_(memory) {
  HOURCELL_CHECK(spec.count > 0);
  HOURCELL_CHECK(spec.kind != FunctionSpec::Kind::kHighestMax || spec.by == FunctionSpec::By::kMax);
}

bool Ranking::IsBetter(const Place& a, const Place& b) const {
  if (std::isnan(a.value) != std::isnan(b.value)) return std::isnan(b.value);
  if (!std::isnan(a.value) && a.value != b.value) {
    return spec_.kind == FunctionSpec::Kind::kBottom ? a.value < b.value : a.value > b.value;
  }
  return a.order < b.order;
}

absl::Status Ranking::Add(size_t /*input*/, const SeriesView& series, QuerySink* /*out*/) {
  const Place place{.value = RankedValue(series.points, spec_.by), .order = seen_++};
  const auto is_better = [this](const Kept& a, const Kept& b) {
    return IsBetter(a.place, b.place);
  };
  if (best_.size() == spec_.count) {
    if (!IsBetter(place, best_.front().place)) return absl::OkStatus();
    std::ranges::pop_heap(best_, is_better);
    best_.pop_back();  // with its memory, before another is taken
  }
  HOURCELL_ASSIGN_OR_RETURN(std::unique_ptr<KeptSeries> kept, KeptSeries::CopyOf(series, memory_));
  best_.push_back({.place = place, .series = std::move(kept)});
  std::ranges::push_heap(best_, is_better);
  return absl::OkStatus();
}

absl::Status Ranking::Finish(QuerySink* out) {
  std::ranges::sort(best_, [this](const Kept& a, const Kept& b) {
    return spec_.kind == FunctionSpec::Kind::kHighestMax ? IsBetter(a.place, b.place)
                                                         : a.place.order < b.place.order;
  });
  for (Kept& kept : best_) {
    HOURCELL_RETURN_IF_ERROR(kept.series->GiveTo(out));
    kept.series.reset();
  }
  best_.clear();
  return absl::OkStatus();
}

}  // namespace hourcell
