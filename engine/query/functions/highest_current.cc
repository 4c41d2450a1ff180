#include "engine/query/functions/highest_current.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"

namespace hourcell {

HighestCurrent::HighestCurrent(size_t count, MemoryAccount* memory)
    : count_(count), memory_(memory) {
  HOURCELL_CHECK(count > 0);
}

bool HighestCurrent::IsBetter(const Kept& a, const Kept& b) {
  return a.value != b.value ? a.value > b.value : a.order < b.order;
}

absl::Status HighestCurrent::Add(size_t /*input*/, const SeriesView& series, QuerySink* /*out*/) {
  const SpanView& points = series.points;
  Kept added{.value = std::numeric_limits<double>::quiet_NaN(), .order = seen_++, .series = {}};
  if (!points.empty() && points.t.back() >= last_ms_) {
    if (points.t.back() > last_ms_) best_.clear();
    last_ms_ = points.t.back();
    added.value = points.ToDouble(points.size() - 1);
  }
  const bool is_current = !std::isnan(added.value);
  const bool is_full = best_.size() == count_;
  const bool is_best = is_current && (!is_full || IsBetter(added, best_.front()));
  const bool is_first = first_.size() < count_;
  if (!is_best && !is_first) return absl::OkStatus();
  if (is_best && is_full) {
    std::ranges::pop_heap(best_, &IsBetter);
    best_.pop_back();  // with its memory, before another is taken
  }
  HOURCELL_ASSIGN_OR_RETURN(added.series, KeptSeries::CopyOf(series, memory_));
  if (is_first) first_.push_back(added);
  if (is_best) {
    best_.push_back(std::move(added));
    std::ranges::push_heap(best_, &IsBetter);
  }
  return absl::OkStatus();
}

absl::Status HighestCurrent::Finish(QuerySink* out) {
  std::ranges::sort(best_, &IsBetter);
  const size_t with_value = best_.size();
  for (Kept& kept : first_) {
    if (best_.size() == count_) break;
    const auto current = best_.begin() + static_cast<ptrdiff_t>(with_value);
    const bool is_there = std::any_of(best_.begin(), current,
                                      [&kept](const Kept& one) { return one.order == kept.order; });
    if (!is_there) best_.push_back(std::move(kept));
  }
  first_.clear();
  for (Kept& kept : best_) {
    HOURCELL_RETURN_IF_ERROR(kept.series->GiveTo(out));
    kept.series.reset();
  }
  best_.clear();
  return absl::OkStatus();
}

}  // namespace hourcell
