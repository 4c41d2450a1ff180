#include "server/graph/graph_points.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "codec/base/check.h"

namespace hourcell {
namespace {

constexpr size_t kPointsOfPixel = 4;

struct GraphPoint {
  double t = 0;
  double v = 0;
};

double ValueAt(const SpanView& points, size_t i) {
  const double value = points.value(i).ToDouble();
  return std::isfinite(value) ? value : std::nan("");
}

// The visible points of one pixel of the width.
class PixelPoints {
 public:
  void Add(const GraphPoint& point) {
    if (std::isnan(point.v)) {
      gap_ = point.t;
      return;
    }
    if (count_ == 0) first_ = low_ = high_ = point;
    if (point.v < low_.v) low_ = point;
    if (point.v > high_.v) high_ = point;
    last_ = point;
    ++count_;
  }

  void MoveTo(GraphPoints* out) {
    if (count_ > 0) {
      std::array<GraphPoint, kPointsOfPixel> kept = {first_, low_, high_, last_};
      std::ranges::sort(kept, {}, &GraphPoint::t);
      for (size_t i = 0; i < kept.size(); ++i) {
        if (i == 0 || kept[i].t != kept[i - 1].t) out->Add(kept[i].t, kept[i].v);
      }
    }
    // A gap between them is narrower than a pixel; a gap without points is visible.
    if (count_ == 0 && !std::isnan(gap_)) out->Add(gap_, std::nan(""));
    *this = PixelPoints();
  }

 private:
  size_t count_ = 0;
  double gap_ = std::nan("");
  GraphPoint first_;
  GraphPoint low_;
  GraphPoint high_;
  GraphPoint last_;
};

}  // namespace

GraphPoints PointsToDraw(const SpanView& points, int64_t start_ms, int64_t end_ms, size_t pixels) {
  HOURCELL_DCHECK(pixels > 0 && start_ms < end_ms);
  const auto begin = std::ranges::lower_bound(points.t, start_ms) - points.t.begin();
  const auto end = std::ranges::upper_bound(points.t, end_ms) - points.t.begin();
  GraphPoints out;
  const auto first = static_cast<size_t>(begin);
  const auto last = static_cast<size_t>(end);
  if (last - first <= kPointsOfPixel * pixels) {
    for (size_t i = first; i < last; ++i)
      out.Add(static_cast<double>(points.t[i]), ValueAt(points, i));
    return out;
  }
  const double width = static_cast<double>(end_ms - start_ms) / static_cast<double>(pixels);
  PixelPoints shown;
  size_t at = 0;
  for (size_t i = first; i < last; ++i) {
    const auto next = static_cast<size_t>(static_cast<double>(points.t[i] - start_ms) / width);
    if (next != at) shown.MoveTo(&out);
    at = next;
    shown.Add({static_cast<double>(points.t[i]), ValueAt(points, i)});
  }
  shown.MoveTo(&out);
  return out;
}

}  // namespace hourcell
