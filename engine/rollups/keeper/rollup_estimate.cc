#include "engine/rollups/keeper/rollup_estimate.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/cells/cell.h"
#include "codec/cells/packed_cell.h"
#include "codec/rollups/rollup_config.h"
#include "codec/value.h"
#include "engine/rollups/keeper/level_buckets.h"

namespace hourcell {
namespace {

constexpr int64_t kEstimatedDayS = 86'400;
constexpr int64_t kEstimatedHourS = 3600;
// Series of a metric whose points are read; the others are taken to be like them.
constexpr uint64_t kSampledSeries = 64;
// With fewer points, the hours of a day share a cell (Options::day_row_points).
constexpr size_t kPointsOfSharedCell = 250;

// The size of the cells of a day of a series.
class DayOfCells {
 public:
  explicit DayOfCells(int64_t day_s) : day_ms_(day_s * 1000) {}

  void Add(int64_t ms, Value value) {
    all_.push_back({.offset_ms = static_cast<uint32_t>(ms - day_ms_),
                    .is_ms = ms % 1000 != 0,
                    .flags = ValueFlags(value)},
                   value);
  }
  // Adds them to `*points` and `*bytes`.
  void Measure(uint64_t* points, uint64_t* bytes) const {
    if (all_.size() == 0) return;
    *points += all_.size();
    std::string cells;
    if (all_.size() < kPointsOfSharedCell) {
      AppendPage(all_, /*hours=*/24, &cells);
    } else {
      AppendHours(&cells);
    }
    *bytes += cells.size();
  }

 private:
  void AppendHours(std::string* cells) const {
    constexpr uint32_t kHourMs = kEstimatedHourS * 1000;
    CellColumns hour;
    for (size_t i = 0; i < all_.size(); ++i) {
      hour.offset_ms.push_back(all_.offset_ms[i] % kHourMs);
      hour.bits.push_back(all_.bits[i]);
      hour.flags.push_back(all_.flags[i]);
      const bool is_last = i + 1 == all_.size();
      if (!is_last && all_.offset_ms[i + 1] / kHourMs == all_.offset_ms[i] / kHourMs) continue;
      AppendPackedCell(hour, cells);
      hour.clear();
    }
  }

  const int64_t day_ms_;
  CellColumns all_;
};

// Measures the points of a metric and those of its levels.
class SampleReader : public QuerySink {
 public:
  SampleReader(const MetricRule& rule, int64_t day_s, std::vector<RollupEstimate>* estimates)
      : rule_(rule), day_s_(day_s), estimates_(*estimates) {}

  uint64_t series() const { return series_; }

  absl::Status OnSeries(const SeriesView& series) override {
    if (series.points.empty()) return absl::OkStatus();
    if (series_ == kSampledSeries) return absl::AbortedError("rollups: enough series");
    ++series_;
    DayOfCells of_points(day_s_);
    for (size_t i = 0; i < series.points.size(); ++i)
      of_points.Add(series.points.t[i], series.points.value(i));
    of_points.Measure(&estimates_[0].points, &estimates_[0].bytes);
    size_t at = 1;
    for (const RuleLevel& level : rule_.levels) {
      std::vector<DayOfCells> of_levels(level.aggregates.size(), DayOfCells(day_s_));
      VisitLevelBuckets(series.points,
                        {.level = &level, .begin_s = day_s_, .end_s = day_s_ + kEstimatedDayS},
                        [&](size_t aggregate, int64_t time_s, Value value) {
                          of_levels[aggregate].Add(time_s * 1000, value);
                        });
      for (const DayOfCells& one : of_levels) {
        HOURCELL_DCHECK(at < estimates_.size());
        one.Measure(&estimates_[at].points, &estimates_[at].bytes);
        ++at;
      }
    }
    return absl::OkStatus();
  }

 private:
  const MetricRule& rule_;
  const int64_t day_s_;
  std::vector<RollupEstimate>& estimates_;  // the points, and then each aggregate of each level
  uint64_t series_ = 0;
};

std::vector<RollupEstimate> EstimatesOf(const std::string& metric, const MetricRule& rule) {
  std::vector<RollupEstimate> estimates = {{.metric = metric, .ttl_s = rule.raw_ttl_s}};
  for (const RuleLevel& level : rule.levels) {
    for (const std::string& aggregate : level.aggregates) {
      estimates.push_back(
          {.metric = RollupMetric({.interval = level.interval, .aggregator = aggregate}, metric),
           .ttl_s = level.ttl_s});
    }
  }
  return estimates;
}

}  // namespace

absl::StatusOr<std::vector<RollupEstimate>> EstimateRollups(const RollupEstimateParts& parts,
                                                            const MetricRules& rules,
                                                            int64_t day_s,
                                                            QueryControl* control) {
  HOURCELL_DCHECK(day_s % kEstimatedDayS == 0);
  std::vector<std::pair<std::string, const MetricRule*>> metrics;
  const auto add = [&](const UidMapping& metric) {
    const MetricRule* const rule = rules.RuleOf(metric.name);
    if (rule != nullptr && !parts.virtual_metrics->Has(metric.uid)) {
      metrics.emplace_back(metric.name, rule);
    }
    return !control->is_cancelled();
  };
  HOURCELL_RETURN_IF_ERROR(parts.uids->VisitMappings(UidKind::kMetric, {}, add));
  std::vector<RollupEstimate> all;
  for (const auto& [metric, rule] : metrics) {
    QuerySpec spec{.start_ms = day_s * 1000,
                   .end_ms = (day_s + kEstimatedDayS) * 1000 - 1,
                   .queries = {},
                   .may_use_rollups = false,
                   .without_limits = true,
                   .annotations = false};
    SubQuery& query = spec.queries.emplace_back();
    query.aggregator = Aggregator::kNone;
    query.metric = metric;
    std::vector<RollupEstimate> estimates = EstimatesOf(metric, *rule);
    SampleReader reader(*rule, day_s, &estimates);
    control->TakePlans();
    const absl::Status ran = parts.executor->Run(spec, parts.open_hours, &reader, control);
    if (!ran.ok() && !absl::IsAborted(ran)) return ran;
    const std::vector<PlanReport> plans = control->TakePlans();
    if (reader.series() == 0) continue;
    const uint64_t series =
        plans.empty() || ran.ok() ? reader.series() : std::max(reader.series(), plans[0].series);
    for (RollupEstimate& one : estimates) {
      one.series = series;
      one.points = one.points * series / reader.series();
      one.bytes = one.bytes * series / reader.series();
    }
    std::ranges::move(estimates, std::back_inserter(all));
  }
  return all;
}

}  // namespace hourcell
