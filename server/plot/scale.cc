#include "server/plot/scale.h"

#include <algorithm>
#include <cmath>

namespace hourcell::plot {
namespace {

struct Range {
  double low = 0;
  double high = 0;
  bool is_empty = true;

  void Add(double value) {
    low = is_empty ? value : std::min(low, value);
    high = is_empty ? value : std::max(high, value);
    is_empty = false;
  }
};

Range RangeOf(const Axis& axis, std::span<const double> values, bool has_zero) {
  Range range;
  for (const double value : values) {
    if (std::isfinite(value) && (!axis.is_log || value > 0)) range.Add(value);
  }
  if (has_zero && !axis.is_log) range.Add(0);
  if (range.is_empty) range.Add(1);
  if (axis.min.has_value()) range.low = *axis.min;
  if (axis.max.has_value()) range.high = *axis.max;
  // The length of an axis and its logarithm must be finite.
  const double least = axis.is_log ? 1 / kAxisMax : -kAxisMax;
  range.low = std::clamp(range.low, least, kAxisMax);
  range.high = std::clamp(range.high, least, kAxisMax);
  if (range.low > range.high) std::swap(range.low, range.high);
  return range;
}

}  // namespace

Scale::Scale(const Axis& axis, std::span<const double> values, bool has_zero, size_t ticks)
    : is_log_(axis.is_log) {
  const Range range = RangeOf(axis, values, has_zero);
  ticks_ =
      is_log_ ? LogTicks(range.low, range.high, ticks) : LinearTicks(range.low, range.high, ticks);
  low_ = axis.is_exact && axis.min.has_value() ? *axis.min : ticks_.front().value;
  high_ = axis.is_exact && axis.max.has_value() ? *axis.max : ticks_.back().value;
  if (low_ >= high_) high_ = is_log_ ? low_ * 10 : low_ + std::max(1.0, std::fabs(low_));
  if (!axis.ticks.empty()) {
    ticks_ = axis.ticks;
  } else if (axis.label) {
    for (Tick& tick : ticks_)
      tick.label = axis.label(tick.value);
  }
  std::erase_if(ticks_,
                [this](const Tick& tick) { return tick.value < low_ || tick.value > high_; });
}

std::optional<double> Scale::Share(double value) const {
  if (!std::isfinite(value) || (is_log_ && value <= 0)) return std::nullopt;
  const double clamped = std::clamp(value, low_, high_);
  return is_log_ ? std::log(clamped / low_) / std::log(high_ / low_)
                 : (clamped - low_) / (high_ - low_);
}

std::optional<double> Scale::Map(double value) const {
  const std::optional<double> share = Share(value);
  if (!share.has_value()) return std::nullopt;
  return pixels_.low + *share * (pixels_.high - pixels_.low);
}

double Scale::Base() const {
  return is_log_ ? pixels_.low : *Map(0);
}

}  // namespace hourcell::plot
