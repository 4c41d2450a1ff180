// Scale: maps values of an axis to pixels. The ends of a scale are ticks, unless the axis is exact.
// Immutable; thread-safe.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "server/plot/figure.h"
#include "server/plot/ticks.h"

namespace hourcell::plot {

// The pixels of an axis: `low` is its lower end, and may be the larger number.
struct PixelRange {
  double low = 0;
  double high = 0;
};

class Scale {
 public:
  // For `values` on `axis`, with about `ticks` ticks. `has_zero`: a linear axis shows zero, as bars
  // need.
  Scale(const Axis& axis, std::span<const double> values, bool has_zero, size_t ticks);

  void SetPixels(const PixelRange& pixels) { pixels_ = pixels; }

  // The pixel of `value`; values beyond the ends map to them. Empty if it cannot be drawn.
  std::optional<double> Map(double value) const;
  // The place of `value` between the ends, 0 to 1.
  std::optional<double> Share(double value) const;
  // The start of bars: zero, or the lower end.
  double Base() const;

  const std::vector<Tick>& ticks() const { return ticks_; }

 private:
  bool is_log_ = false;
  double low_ = 0;
  double high_ = 1;
  std::vector<Tick> ticks_;
  PixelRange pixels_;
};

}  // namespace hourcell::plot
