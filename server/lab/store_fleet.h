// StoreFleet: the fleet of a store, as text for a simulation (bench/lab/simulate/input/fleet.h),
// and one of its series, for example keys. All metrics of a fleet have the same tags, so the fleet
// is an approximation:
//
//   metrics    the metrics with series
//   tags       the number of active series of a metric, the mean, as values of the two tags with
//              the most values in the metric with the most series
//   interval   the active series to the rate of the points written in the last ten minutes; 1m if
//              the store got no points
//   churn      the share of the values of the first tag that had points yesterday, but not the day
//              before; 0 if the store lacks points of one of these days
//
// Series are active if they had points yesterday or today; without such series all are.
// Thread-safe.

#pragma once

#include <cstdint>
#include <string>

#include <absl/status/statusor.h>

namespace hourcell {

class Tsdb;

// The limit on the series of the metric that are read.
inline constexpr uint64_t kFleetSampleMax = 100'000;

struct StoreFleet {
  std::string fleet = {};
  // The first series of the metric with the most series.
  std::string metric = {};
  std::string tsuid = {};
  size_t metric_bytes = 0;
};

// `now_ms`: Unix time. `deadline_ms`: of the request, by MonotonicClock; 0 = none. kNotFound: the
// store is without series. Other errors as Names::RankMetrics, Queries::LookupSeries and
// RegionAdmin::Loads.
absl::StatusOr<StoreFleet> FleetOfStore(Tsdb* tsdb, int64_t now_ms, int64_t deadline_ms);

}  // namespace hourcell
