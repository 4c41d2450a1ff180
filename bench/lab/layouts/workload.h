// Workload: a set of series, their points, and the order of arrival.
//
//   fleet      hosts with ten metrics each, 2 tags, a point every 10 s; hour after hour
//   hot        nine series in ten have a point a minute, one in ten every second
//   single     one series, a point every second
//   backfill   the fleet's points, all hours of one series after the other
//   wide       as fleet, with 8 tags
//   sparse     the fleet with a point every 5 minutes, two days
//   given      the series of a GivenFleet in random order, hour after hour: as many hours, up to
//              24, as the points fill; a part of the series if all would fill less than two
//   given-day  the same series for 24 hours, so that the row of a day has all its hours; a smaller
//              part of the series if all would have more points
//
// All others but `single` last 6 hours; with fewer than 20,000 points 2, from half a million on 24.
//
// Kind, size and seed determine everything. PointsOf makes a row's points on each call, so a
// workload does not store points. Values: counters, and gauges of two decimals in turn. Immutable;
// thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "bench/lab/layouts/row_keys.h"
#include "codec/cells/cell.h"

namespace hourcell::layouts {

enum class WorkloadKind : uint8_t {
  kFleet,
  kHotSeries,
  kSingleSeries,
  kBackfill,
  kWideTags,
  kSparse,
  kGiven,
  kGivenDay,
};

// Those with a name on the command line: all but kGiven and kGivenDay.
inline constexpr WorkloadKind kWorkloadKinds[] = {
    WorkloadKind::kFleet,    WorkloadKind::kHotSeries, WorkloadKind::kSingleSeries,
    WorkloadKind::kBackfill, WorkloadKind::kWideTags,  WorkloadKind::kSparse};

std::string_view WorkloadName(WorkloadKind kind);
// kInvalidArgument: unknown name; lists the known ones.
absl::StatusOr<WorkloadKind> FindWorkload(std::string_view name);

// A row: the number of its series and of its hour, both from 0.
struct RowRef {
  uint32_t series = 0;
  uint32_t hour = 0;
};

struct WorkloadSeries {
  std::string metric = {};  // UID bytes
  std::string tags = {};
  uint32_t interval_s = 10;  // 1 to 3,600
  bool is_gauge = false;
};

// Series that a user described, or that a sample of points has.
struct GivenFleet {
  std::string text = {};  // "1200 series of 10 metrics in points.gz"
  std::vector<WorkloadSeries> series = {};
};

class Workload {
 public:
  using Series = WorkloadSeries;

  // Makes about `points` points. REQUIRES: points > 0, and a kind of kWorkloadKinds.
  Workload(WorkloadKind kind, uint64_t points, uint64_t seed);
  // The same of given series. REQUIRES: points > 0, at least one series, and one of the other
  // kinds.
  Workload(const GivenFleet& fleet,
           uint64_t points,
           uint64_t seed,
           WorkloadKind kind = WorkloadKind::kGiven);

  WorkloadKind kind() const { return kind_; }
  std::span<const Series> series() const { return series_; }
  uint32_t hours() const { return hours_; }
  uint32_t begin_s() const;
  uint32_t end_s() const { return begin_s() + hours_ * kHourS; }
  // The exact number of points.
  uint64_t points() const { return points_; }

  // The number of rows that fill at the same time.
  uint64_t rows_at_once() const { return kind_ == WorkloadKind::kBackfill ? 1 : series_.size(); }

  RowId IdOf(const RowRef& row) const;
  // The points of a row, in order. With `is_ms` the same points have 4-byte qualifiers.
  CellColumns PointsOf(const RowRef& row, bool is_ms) const;

  // The rows in the order in which they end, in groups that fill at the same time: an hour of all
  // series, or of a backfill a single row.
  size_t groups() const;
  std::vector<RowRef> Group(size_t group) const;

 private:
  static constexpr uint32_t kHourS = 3600;

  void MakeSeries(uint64_t count);
  uint64_t PointsInHour(const Series& series) const { return kHourS / series.interval_s; }

  WorkloadKind kind_;
  uint64_t seed_;
  uint32_t hours_ = 1;
  uint64_t points_ = 0;
  std::vector<Series> series_;
};

}  // namespace hourcell::layouts
