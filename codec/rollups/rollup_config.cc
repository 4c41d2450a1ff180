#include "codec/rollups/rollup_config.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr std::pair<RollupUsage, std::string_view> kUsages[] = {
    {RollupUsage::kNoFallback, "ROLLUP_NOFALLBACK"},
    {RollupUsage::kFallback, "ROLLUP_FALLBACK"},
    {RollupUsage::kFallbackRaw, "ROLLUP_FALLBACK_RAW"},
    {RollupUsage::kRaw, "ROLLUP_RAW"},
};

// Functions that are computed from another aggregate of that name.
constexpr std::pair<std::string_view, std::string_view> kStoredAs[] = {
    {"zimsum", "sum"}, {"mimmax", "max"}, {"mimmin", "min"}};

// Aggregates that can be computed from parts: the sum of sums is the sum.
constexpr std::string_view kComposable[] = {"sum", "count", "max", "min", "first", "last"};

absl::Status CheckAggregates(const std::vector<RollupAggregate>& aggregates) {
  if (aggregates.empty()) {
    return absl::InvalidArgumentError("aggregationIds: missing; expected such as {\"sum\": 0}");
  }
  for (size_t i = 0; i < aggregates.size(); ++i) {
    const RollupAggregate& one = aggregates[i];
    if (one.id < 0 || one.id > kRollupIdMax) {
      return absl::InvalidArgumentError(fmt::format("aggregationIds {}: expected 0 to {}, got {}",
                                                    QuoteForMessage(one.name), kRollupIdMax,
                                                    one.id));
    }
    for (size_t k = 0; k < i; ++k) {
      if (aggregates[k].id != one.id && aggregates[k].name != one.name) continue;
      return absl::InvalidArgumentError(
          fmt::format("aggregationIds: expected unique names and ids, got {} and {} with {}",
                      QuoteForMessage(aggregates[k].name), QuoteForMessage(one.name), one.id));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckInterval(const RollupIntervalFields& fields, const RollupInterval& interval) {
  if (fields.table.empty() || fields.pre_aggregation_table.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("interval {}: table or preAggregationTable missing; expected names",
                    QuoteForMessage(fields.interval)));
  }
  if (interval.slots() <= kRollupSlotsMax) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("interval {} in a row of {}: expected at most {} intervals a row, got {}",
                  fields.interval, fields.row_span, kRollupSlotsMax, interval.slots()));
}

}  // namespace

std::string_view RollupUsageName(RollupUsage usage) {
  return std::ranges::find(kUsages, usage, &std::pair<RollupUsage, std::string_view>::first)
      ->second;
}

RollupUsage ParseRollupUsage(std::string_view text) {
  const std::string lower = LowerCase(text);
  for (const auto& [usage, name] : kUsages)
    if (LowerCase(name) == lower) return usage;
  return RollupUsage::kNoFallback;
}

absl::StatusOr<RollupTarget> ParseRollupTarget(std::string_view text) {
  if (text.empty()) return absl::InvalidArgumentError("empty rollup specification");
  RollupTarget target;
  const size_t colon = text.find(':');
  const std::string_view first = text.substr(0, colon);
  if (colon != std::string_view::npos) {
    const std::string_view rest = text.substr(colon + 1);
    target.group_by = rest.substr(0, rest.find(':'));
  }
  if (const size_t dash = first.find('-'); dash != std::string_view::npos) {
    target.interval = first.substr(0, dash);
    target.aggregator = first.substr(dash + 1);
  } else if (colon == std::string_view::npos) {
    target.group_by = first;
  }
  if (target.interval.empty() && target.aggregator.empty()) target.aggregator = target.group_by;
  return target;
}

absl::StatusOr<RollupConfig> RollupConfig::Make(
    std::vector<RollupAggregate> aggregates, const std::vector<RollupIntervalFields>& intervals) {
  RollupConfig config;
  config.aggregates_ = std::move(aggregates);
  for (RollupAggregate& one : config.aggregates_)
    one.name = LowerCase(one.name);
  HOURCELL_RETURN_IF_ERROR(CheckAggregates(config.aggregates_));
  if (intervals.empty()) return absl::InvalidArgumentError("intervals: missing; expected some");
  size_t defaults = 0;
  for (const RollupIntervalFields& fields : intervals) {
    HOURCELL_ASSIGN_OR_RETURN(RollupInterval interval, RollupInterval::Parse(fields));
    HOURCELL_RETURN_IF_ERROR(CheckInterval(fields, interval));
    if (config.Find(fields.interval) != nullptr) {
      return absl::InvalidArgumentError(fmt::format("intervals: expected each once, got {} twice",
                                                    QuoteForMessage(fields.interval)));
    }
    if (interval.is_default()) ++defaults;
    config.intervals_.push_back(std::move(interval));
  }
  if (defaults != 1) {
    return absl::InvalidArgumentError(
        fmt::format("intervals: expected one with defaultInterval, got {}", defaults));
  }
  std::ranges::stable_sort(config.intervals_, std::ranges::greater{}, &RollupInterval::seconds);
  return config;
}

const RollupInterval* RollupConfig::Find(std::string_view interval) const {
  const auto found = std::ranges::find(intervals_, interval, &RollupInterval::name);
  return found == intervals_.end() ? nullptr : &*found;
}

std::optional<uint8_t> RollupConfig::IdOf(std::string_view aggregate) const {
  const auto found = std::ranges::find(aggregates_, LowerCase(aggregate), &RollupAggregate::name);
  if (found == aggregates_.end()) return std::nullopt;
  return static_cast<uint8_t>(found->id);
}

std::vector<std::string> RollupConfig::StoredFor(std::string_view function) const {
  std::vector<std::string> wanted;
  if (function == "avg") {
    wanted = {"sum", "count"};
  } else {
    const auto stored = std::ranges::find(kStoredAs, function,
                                          &std::pair<std::string_view, std::string_view>::first);
    const std::string_view name = stored == std::end(kStoredAs) ? function : stored->second;
    if (std::ranges::find(kComposable, name) == std::end(kComposable)) return {};
    wanted.emplace_back(name);
  }
  for (const std::string& name : wanted)
    if (!IdOf(name).has_value()) return {};
  return wanted;
}

std::vector<const RollupInterval*> RollupConfig::Reads(int64_t downsample_ms,
                                                       std::string_view function,
                                                       RollupUsage usage) const {
  const int64_t seconds = downsample_ms / 1000;
  std::vector<const RollupInterval*> reads;
  bool ends_raw = false;  // the default interval is among those that fit
  for (const RollupInterval& interval : intervals_) {
    if (seconds == 0 || downsample_ms % 1000 != 0 || seconds % interval.seconds() != 0) continue;
    ends_raw = interval.is_default();
    if (ends_raw) break;
    reads.push_back(&interval);
  }
  if (reads.empty() || usage == RollupUsage::kRaw || StoredFor(function).empty()) return {nullptr};
  switch (usage) {
    case RollupUsage::kFallback:
      break;
    case RollupUsage::kFallbackRaw:
      reads.resize(1);
      ends_raw = true;
      break;
    default:
      reads.resize(1);
      ends_raw = false;
  }
  if (ends_raw) reads.push_back(nullptr);
  return reads;
}

std::vector<std::string> RollupConfig::MetricsOf(std::string_view metric) const {
  std::vector<std::string> metrics = {RollupMetric({.group_by = "agg"}, metric)};
  for (const RollupInterval& interval : intervals_) {
    if (interval.is_default()) continue;
    for (const RollupAggregate& one : aggregates_) {
      for (const char* const group_by : {"", "agg"}) {
        metrics.push_back(RollupMetric(
            {.interval = interval.name(), .aggregator = one.name, .group_by = group_by}, metric));
      }
    }
  }
  return metrics;
}

std::optional<int64_t> RollupCutMs(int64_t now_ms,
                                   int64_t end_ms,
                                   int64_t delay_s,
                                   int64_t downsample_ms) {
  if (delay_s == 0 || downsample_ms <= 0) return std::nullopt;
  const int64_t last_ms = (now_ms / 1000 - delay_s) * 1000;
  const int64_t cut_ms = last_ms < 0 ? 0 : last_ms - last_ms % downsample_ms;
  if (end_ms <= cut_ms) return std::nullopt;
  return cut_ms;
}

std::string RollupMetric(const RollupTarget& target, std::string_view metric) {
  if (target.interval.empty()) return fmt::format("{}agg/{}", kRollupMetricPrefix, metric);
  return fmt::format("{}{}-{}{}/{}", kRollupMetricPrefix, target.interval,
                     LowerCase(target.aggregator), target.group_by.empty() ? "" : "-agg", metric);
}

std::string_view SummarizedMetric(std::string_view metric) {
  if (!metric.starts_with(kRollupMetricPrefix)) return {};
  metric.remove_prefix(kRollupMetricPrefix.size());
  const size_t slash = metric.find('/');
  return slash == std::string_view::npos ? std::string_view() : metric.substr(slash + 1);
}

}  // namespace hourcell
