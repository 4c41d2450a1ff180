#include "engine/read/read_cost.h"

#include <algorithm>

#include "codec/base/check.h"

// Why a formula chooses the method: each of the three can be the best. Reading by key costs by
// requested row, a scan by existing row, and a leaping scan by gap (docs/decisions/0010).

namespace hourcell {
namespace {

// Microseconds, measured with everything in the block cache (bench/query_bench).
constexpr double kPointReadUs = 2.0;
constexpr double kSeekUs = 3.0;
constexpr double kStepUs = 0.2;
constexpr double kScanUs = 10.0;        // to begin one
constexpr double kLeapAfterSteps = 12;  // as RowReader

// Between two wanted rows with `others` rows in between, by a skip scan.
double GapUs(double others) {
  return others <= kLeapAfterSteps ? others * kStepUs : kLeapAfterSteps * kStepUs + kSeekUs;
}

}  // namespace

ReadCost EstimateRead(const ReadRequest& request) {
  HOURCELL_DCHECK(request.series.empty() || request.series.front() <= request.series.back());
  const auto wanted = static_cast<double>(request.series.size());
  const auto hours = static_cast<double>(request.hours);
  const auto all = std::max(static_cast<double>(request.metric_series), wanted);
  const double hour_us = request.buckets * kSeekUs + wanted * kStepUs;

  double others = 0;  // rows between the first wanted one and the last
  double gaps_us = 0;
  if (request.knows_all && !request.series.empty()) {
    others = request.series.back() - request.series.front() + 1 - wanted;
    for (size_t i = 1; i < request.series.size(); ++i)
      gaps_us += GapUs(request.series[i] - request.series[i - 1] - 1);
  } else {
    others = all - wanted;
    gaps_us = wanted * GapUs(wanted == 0 ? 0 : others / wanted);
  }
  const double scan_us = request.buckets * kScanUs;
  const double point_us = hours * wanted * kPointReadUs;
  const double linear_us = scan_us + hours * (hour_us + others * kStepUs);
  const double skip_us = scan_us + hours * (hour_us + gaps_us);

  ReadCost cost{.method = ReadMethod::kPointReads,
                .us = point_us,
                .rows = request.hours * request.series.size()};
  // A skip scan without worthwhile leaps costs as much as a linear scan.
  if (skip_us < cost.us) cost = {.method = ReadMethod::kSkipScan, .us = skip_us, .rows = cost.rows};
  if (linear_us <= cost.us) {
    cost = {.method = ReadMethod::kLinearScan, .us = linear_us, .rows = cost.rows};
  }
  return cost;
}

}  // namespace hourcell
