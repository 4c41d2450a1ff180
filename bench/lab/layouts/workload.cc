#include "bench/lab/layouts/workload.h"

#include <algorithm>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/random.h"
#include "codec/base/strings.h"
#include "codec/qualifier.h"
#include "codec/value.h"

namespace hourcell::layouts {
namespace {

constexpr uint32_t kBeginS = 1'704'067'200;  // 2024-01-01, a full hour
constexpr uint64_t kMetricsPerHost = 10;
constexpr uint64_t kFleetIntervalS = 10;
// UIDs of hosts ascend in order of creation; there are few data centres.
constexpr uint64_t kDataCentres = 4;
constexpr uint64_t kWideTagPairs = 8;
constexpr uint32_t kSparseIntervalS = 300;
constexpr uint32_t kSparseHours = 48;

// A small fleet has few hours, so that it still has several series.
uint32_t HoursOf(uint64_t points) {
  if (points < 20'000) return 2;
  return points < 500'000 ? 6 : 24;
}

std::string Uid3(uint64_t number) {
  std::string uid;
  AppendBigEndian(number, kMetricBytes, &uid);
  return uid;
}

uint64_t RowSeed(uint64_t seed, const RowRef& row) {
  return Random(seed ^ (uint64_t{row.series} << 32 | row.hour)).Next();
}

}  // namespace

std::string_view WorkloadName(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::kFleet:
      return "fleet";
    case WorkloadKind::kHotSeries:
      return "hot";
    case WorkloadKind::kSingleSeries:
      return "single";
    case WorkloadKind::kBackfill:
      return "backfill";
    case WorkloadKind::kWideTags:
      return "wide";
    case WorkloadKind::kSparse:
      return "sparse";
    case WorkloadKind::kGiven:
      return "given";
    case WorkloadKind::kGivenDay:
      break;
  }
  return "given-day";
}

absl::StatusOr<WorkloadKind> FindWorkload(std::string_view name) {
  std::string names;
  for (const WorkloadKind kind : kWorkloadKinds) {
    if (WorkloadName(kind) == name) return kind;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", WorkloadName(kind));
  }
  return absl::InvalidArgumentError(
      fmt::format("workload {}: expected one of {}", QuoteForMessage(name), names));
}

Workload::Workload(WorkloadKind kind, uint64_t points, uint64_t seed) : kind_(kind), seed_(seed) {
  HOURCELL_CHECK(points > 0);
  const uint64_t fleet_row = kHourS / kFleetIntervalS;
  hours_ = HoursOf(points);
  uint64_t count = std::max(kMetricsPerHost, points / (hours_ * fleet_row));
  if (kind == WorkloadKind::kSingleSeries) {
    count = 1;
    hours_ = static_cast<uint32_t>(std::max<uint64_t>(1, points / kHourS));
  }
  if (kind == WorkloadKind::kHotSeries) {
    // Of ten series nine have 60 points an hour, one 3,600.
    count = std::max(kMetricsPerHost, points / (hours_ * (9 * 60 + 3600)) * 10);
  }
  if (kind == WorkloadKind::kSparse) {
    hours_ = kSparseHours;
    count = std::max(kMetricsPerHost, points / (hours_ * (kHourS / kSparseIntervalS)));
  }
  MakeSeries(count);
  for (const Series& series : series_)
    points_ += hours_ * PointsInHour(series);
}

Workload::Workload(const GivenFleet& fleet, uint64_t points, uint64_t seed, WorkloadKind kind)
    : kind_(kind), seed_(seed), series_(fleet.series) {
  constexpr uint64_t kHoursMost = 24;
  const uint64_t hours_least = kind == WorkloadKind::kGivenDay ? kHoursMost : 2;
  HOURCELL_CHECK(points > 0 && !series_.empty());
  // In random order: a sample lists the series of a metric one after the other, and all writes of a
  // moment would go to one place.
  Random random(seed);
  for (size_t i = series_.size() - 1; i > 0; --i)
    std::swap(series_[i], series_[random.Below(i + 1)]);
  uint64_t an_hour = 0;
  size_t used = 0;
  while (used < series_.size() && an_hour * hours_least < points)
    an_hour += PointsInHour(series_[used++]);
  HOURCELL_CHECK(an_hour > 0);  // each series has a point in an hour
  series_.resize(used);
  hours_ = static_cast<uint32_t>(std::clamp(points / an_hour, hours_least, kHoursMost));
  points_ = hours_ * an_hour;
}

void Workload::MakeSeries(uint64_t count) {
  const uint64_t pairs = kind_ == WorkloadKind::kWideTags ? kWideTagPairs : 2;
  for (uint64_t i = 0; i < count; ++i) {
    // Host by host, the usual order of creation.
    const uint64_t host = i / kMetricsPerHost;
    Series series{.metric = Uid3(1 + i % kMetricsPerHost), .is_gauge = i % 2 == 1};
    for (uint64_t tag = 0; tag < pairs; ++tag) {
      const uint64_t value = tag == 0 ? 1 + host : 1'000'000 + tag * 100 + host % kDataCentres;
      series.tags += Uid3(1 + tag) + Uid3(value);
    }
    if (kind_ == WorkloadKind::kHotSeries) series.interval_s = i % 10 == 3 ? 1 : 60;
    if (kind_ == WorkloadKind::kSingleSeries) series.interval_s = 1;
    if (kind_ == WorkloadKind::kSparse) series.interval_s = kSparseIntervalS;
    series_.push_back(std::move(series));
  }
}

uint32_t Workload::begin_s() const {
  return kBeginS;
}

RowId Workload::IdOf(const RowRef& row) const {
  const Series& series = series_[row.series];
  return {.metric = series.metric, .base_time_s = kBeginS + row.hour * kHourS, .tags = series.tags};
}

CellColumns Workload::PointsOf(const RowRef& row, bool is_ms) const {
  const Series& series = series_[row.series];
  Random random(RowSeed(seed_, row));
  const auto phase_s = static_cast<uint32_t>(RowSeed(seed_, {row.series, 0}) % series.interval_s);
  CellColumns columns;
  int64_t walk = static_cast<int64_t>(random.Below(10'000));
  for (uint32_t offset_s = phase_s; offset_s < kHourS; offset_s += series.interval_s) {
    walk += static_cast<int64_t>(random.Below(21)) - (series.is_gauge ? 10 : 0);
    const Value value =
        series.is_gauge ? Value::Float(static_cast<double>(walk) / 100) : Value::Integer(walk);
    columns.push_back({.offset_ms = offset_s * 1000, .is_ms = is_ms, .flags = ValueFlags(value)},
                      value);
  }
  return columns;
}

size_t Workload::groups() const {
  return kind_ == WorkloadKind::kBackfill ? series_.size() * hours_ : hours_;
}

std::vector<RowRef> Workload::Group(size_t group) const {
  if (kind_ == WorkloadKind::kBackfill) {
    return {{.series = static_cast<uint32_t>(group / hours_),
             .hour = static_cast<uint32_t>(group % hours_)}};
  }
  std::vector<RowRef> rows;
  for (uint32_t i = 0; i < series_.size(); ++i)
    rows.push_back({.series = i, .hour = static_cast<uint32_t>(group)});
  return rows;
}

}  // namespace hourcell::layouts
