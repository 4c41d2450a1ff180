#include "server/lab/store_fleet.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "engine/region_admin.h"
#include "engine/tsdb.h"
#include "server/lab/simulate_request.h"

// Why one metric is read for all: reading the tags of every series would take minutes in a store of
// 100 million series, and a fleet has one set of tags anyway.

namespace hourcell {
namespace {

constexpr int64_t kDayMs = 86'400'000;
constexpr uint64_t kRateMs = 600'000;
constexpr double kIntervalDefaultS = 60;
constexpr double kChurnMin = 0.001;

// Intervals that clients use, in seconds.
constexpr uint64_t kIntervalsS[] = {1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1'800, 3'600};

using ValuesByTag = std::map<std::string, std::set<std::string>>;

struct SeriesSample {
  uint64_t series = 0;
  ValuesByTag values = {};
  std::string first_tsuid = {};
};

absl::StatusOr<SeriesSample> SampleSeries(Tsdb* tsdb,
                                          const std::string& metric,
                                          std::optional<PointTimes> with_points,
                                          int64_t deadline_ms) {
  SeriesSample sample;
  LookupQuery query{.metric = metric,
                    .limit = kFleetSampleMax,
                    .deadline_ms = deadline_ms,
                    .with_points = with_points};
  HOURCELL_ASSIGN_OR_RETURN(sample.series,
                            tsdb->queries().LookupSeries(query, [&](const FoundSeries& found) {
                              if (sample.first_tsuid.empty()) sample.first_tsuid = found.tsuid;
                              for (const TagView& tag : found.tags)
                                sample.values[std::string(tag.key)].emplace(tag.value);
                              return true;
                            }));
  return sample;
}

// The tags with the most values, two at most.
std::vector<std::pair<std::string, uint64_t>> WidestTags(const ValuesByTag& values) {
  std::vector<std::pair<std::string, uint64_t>> tags;
  for (const auto& [name, of] : values)
    tags.emplace_back(name, of.size());
  std::ranges::stable_sort(tags, std::ranges::greater(),
                           [](const auto& tag) { return tag.second; });
  if (tags.size() > 2) tags.resize(2);
  return tags;
}

// Names of any form may have the separators of a fleet's text.
std::string FleetName(std::string_view name) {
  std::string plain(name);
  for (char& c : plain) {
    if (std::string_view(",:/=").find(c) != std::string_view::npos || c == ' ') c = '_';
  }
  return plain;
}

// `each`: series of a metric.
std::string TagsText(const std::vector<std::pair<std::string, uint64_t>>& tags, uint64_t each) {
  if (tags.empty()) return fmt::format("host:{}", each);
  const uint64_t first = std::min(tags[0].second, each);
  const uint64_t rest = (each + first / 2) / first;
  std::string text = fmt::format("{}:{}", FleetName(tags[0].first), first);
  if (tags.size() < 2 || rest < 2) return text;
  return text + fmt::format("/{}:{}", FleetName(tags[1].first), rest);
}

// Points written a second; 0 if none were, or the rate is not known.
absl::StatusOr<double> PointsPerS(Tsdb* tsdb, int64_t now_ms) {
  const uint64_t since_ms = static_cast<uint64_t>(now_ms) - kRateMs;
  HOURCELL_ASSIGN_OR_RETURN(
      const RegionLoadReport report,
      tsdb->maintenance().regions()->Loads("data", since_ms, ListDetail::kPlain));
  uint64_t points = 0;
  for (const RegionLoad& load : report.regions) {
    for (const RegionLoadStep& step : load.steps)
      points += step.points_written;
  }
  const double seconds = static_cast<double>(report.steps * report.step_ms) / 1'000;
  return seconds > 0 ? static_cast<double>(points) / seconds : 0;
}

// The nearest interval in use, by ratio.
uint64_t NearestIntervalS(double seconds) {
  const auto distance = [seconds](uint64_t one) {
    return std::abs(std::log(static_cast<double>(one) / seconds));
  };
  return *std::ranges::min_element(kIntervalsS, {}, distance);
}

// The share of the values of `tag` that are new on the day before `today_ms`.
absl::StatusOr<double> ChurnOf(Tsdb* tsdb,
                               const std::string& metric,
                               const std::string& tag,
                               int64_t today_ms,
                               int64_t deadline_ms) {
  const auto day = [&](int64_t start_ms) {
    return SampleSeries(tsdb, metric, PointTimes{start_ms, start_ms + kDayMs - 1}, deadline_ms);
  };
  HOURCELL_ASSIGN_OR_RETURN(SeriesSample before, day(today_ms - 2 * kDayMs));
  HOURCELL_ASSIGN_OR_RETURN(SeriesSample yesterday, day(today_ms - kDayMs));
  const std::set<std::string>& old = before.values[tag];
  const std::set<std::string>& now = yesterday.values[tag];
  if (old.empty() || now.empty()) return 0;
  const auto is_new = [&](const std::string& value) { return !old.contains(value); };
  return static_cast<double>(std::ranges::count_if(now, is_new)) / static_cast<double>(now.size());
}

}  // namespace

absl::StatusOr<StoreFleet> FleetOfStore(Tsdb* tsdb, int64_t now_ms, int64_t deadline_ms) {
  HOURCELL_ASSIGN_OR_RETURN(
      const MetricRanking ranking,
      tsdb->names().RankMetrics(
          {.order = MetricOrder::kSeries, .limit = 1, .deadline_ms = deadline_ms}));
  if (ranking.metrics.empty() || ranking.series == 0) {
    return absl::NotFoundError("store: it has no series; expected at least one");
  }
  const RankedMetric& largest = ranking.metrics[0];
  const int64_t today_ms = now_ms - now_ms % kDayMs;
  HOURCELL_ASSIGN_OR_RETURN(
      SeriesSample sample,
      SampleSeries(tsdb, largest.name, PointTimes{today_ms - kDayMs, now_ms}, deadline_ms));
  if (sample.series == 0) {
    HOURCELL_ASSIGN_OR_RETURN(sample, SampleSeries(tsdb, largest.name, {}, deadline_ms));
  }
  const double active =
      std::min(1.0, static_cast<double>(sample.series) /
                        static_cast<double>(std::max<uint64_t>(1, largest.series)));
  const double series = std::max(1.0, active * static_cast<double>(ranking.series));
  // The lab has a limit on series.
  const uint64_t metrics = std::clamp<uint64_t>(ranking.total, 1, kLabSeriesMax);
  const uint64_t each = std::clamp<uint64_t>(
      static_cast<uint64_t>(std::llround(series / static_cast<double>(metrics))), 1,
      kLabSeriesMax / metrics);
  HOURCELL_ASSIGN_OR_RETURN(const double rate, PointsPerS(tsdb, now_ms));
  const auto tags = WidestTags(sample.values);
  std::string text =
      fmt::format("metrics={},tags={},interval={}s,duration=1d", metrics, TagsText(tags, each),
                  NearestIntervalS(rate > 0 ? series / rate : kIntervalDefaultS));
  if (!tags.empty()) {
    HOURCELL_ASSIGN_OR_RETURN(const double churn,
                              ChurnOf(tsdb, largest.name, tags[0].first, today_ms, deadline_ms));
    if (churn >= kChurnMin) text += fmt::format(",churn={:.3f}", churn);
  }
  return StoreFleet{.fleet = std::move(text),
                    .metric = largest.name,
                    .tsuid = std::move(sample.first_tsuid),
                    .metric_bytes = largest.uid_bytes.size()};
}

}  // namespace hourcell
