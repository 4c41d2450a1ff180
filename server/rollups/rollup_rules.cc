#include "server/rollups/rollup_rules.h"

#include <utility>

#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/query/aggregator.h"
#include "server/config/rollup_settings.h"

namespace hourcell {
namespace {

PointError RefusedRollup(std::string text) {
  return {.kind = PointErrorKind::kIllegalArgument, .text = std::move(text)};
}

PointError NoSuchRollup(std::string text) {
  return {.kind = PointErrorKind::kNoSuchRollup, .text = std::move(text)};
}

// Sums and counts give them for any longer interval; averages do not.
bool IsDerived(std::string_view aggregator) {
  const std::string lower = LowerCase(aggregator);
  return lower == "avg" || lower == "dev";
}

std::optional<PointError> FaultOfTarget(const RollupTarget& target) {
  if (target.interval.empty() && target.group_by.empty()) return RefusedRollup("Missing interval");
  if (target.aggregator.empty() && !target.interval.empty()) {
    return RefusedRollup("Missing aggregator");
  }
  return std::nullopt;
}

// The value of the tag `aggregate_tagk`.
Parsed<std::string> AggregateOf(const RollupRules& rules,
                                const RollupTarget& target,
                                const PointView& sent) {
  const std::string_view key = rules.aggregate_tagk;
  std::string aggregate = absl::AsciiStrToUpper(target.group_by);
  for (const TagView& tag : sent.tags) {
    if (tag.key != key) continue;
    if (aggregate.empty()) {
      return RefusedRollup(fmt::format("tag {}={}: expected a group-by aggregator in the rollup",
                                       key, TextForMessage(tag.value)));
    }
    if (LowerCase(tag.value) != LowerCase(target.group_by)) {
      return RefusedRollup(fmt::format("tag {}={}: expected the group-by aggregator {}", key,
                                       TextForMessage(tag.value), TextForMessage(aggregate)));
    }
  }
  if (aggregate.empty() && rules.tag_raw) return rules.raw_aggregate;
  return aggregate;
}

std::optional<PointError> FaultOfAggregators(const RollupRules& rules, const RollupTarget& target) {
  for (const std::string_view aggregator : {target.aggregator, target.group_by}) {
    if (rules.block_derived && IsDerived(aggregator)) {
      return RefusedRollup(fmt::format(
          "aggregator {}: derived from sum and count; set tsd.rollups.block_derived=false to "
          "store it",
          TextForMessage(aggregator)));
    }
  }
  if (!target.group_by.empty() && !ParseAggregator(LowerCase(target.group_by)).ok()) {
    return RefusedRollup(
        fmt::format("group-by aggregator: unknown: {}", TextForMessage(target.group_by)));
  }
  if (target.interval.empty() || rules.config->IdOf(target.aggregator).has_value()) {
    return std::nullopt;
  }
  return RefusedRollup(
      fmt::format("aggregator {}: expected one of aggregationIds in "
                  "tsd.rollups.config",
                  TextForMessage(target.aggregator)));
}

// The level of the target; null: not rolled up.
Parsed<const RollupInterval*> IntervalOf(const RollupRules& rules, const RollupTarget& target) {
  if (target.interval.empty()) return nullptr;
  const RollupInterval* const interval = rules.config->Find(target.interval);
  if (interval == nullptr) {
    return NoSuchRollup(fmt::format("interval {}: expected one of tsd.rollups.config",
                                    TextForMessage(target.interval)));
  }
  // Queries read the points themselves in place of this level.
  if (interval->is_default()) {
    return NoSuchRollup(
        fmt::format("interval {}: that of the points themselves; write them with put, or name only "
                    "a group-by aggregator",
                    interval->name()));
  }
  return interval;
}

}  // namespace

absl::StatusOr<RollupRules> RollupRulesOf(const Config& config) {
  RollupRules rules{.aggregate_tagk = config.text("tsd.rollups.agg_tag_key"),
                    .raw_aggregate = config.text("tsd.rollups.raw_agg_tag_value"),
                    .block_derived = config.boolean("tsd.rollups.block_derived"),
                    .tag_raw = config.boolean("tsd.rollups.tag_raw")};
  if (config.boolean("tsd.rollups.enable")) {
    HOURCELL_ASSIGN_OR_RETURN(rules.config, LoadRollupConfig(config.text("tsd.rollups.config")));
  }
  return rules;
}

Parsed<LevelPoint> LevelPointOf(const RollupRules& rules,
                                const RollupTarget& target,
                                const PointView& sent) {
  if (!rules.config.has_value()) return RefusedRollup(std::string(kRollupsAreOff));
  if (auto fault = FaultOfTarget(target)) return *std::move(fault);
  if (sent.timestamp.is_ms) {
    return RefusedRollup(fmt::format(
        "timestamp of a rollup: expected seconds, got milliseconds: {}", sent.timestamp.ms));
  }
  Parsed<std::string> aggregate = AggregateOf(rules, target, sent);
  if (!aggregate.ok()) return aggregate.error();
  if (auto fault = FaultOfAggregators(rules, target)) return *std::move(fault);
  const Parsed<const RollupInterval*> interval = IntervalOf(rules, target);
  if (!interval.ok()) return interval.error();
  if (sent.metric.starts_with(kRollupMetricPrefix)) {
    return RefusedRollup(fmt::format("metric {}: expected a metric of points, got one of a rollup",
                                     TextForMessage(sent.metric)));
  }
  Timestamp timestamp = sent.timestamp;
  if (*interval != nullptr) timestamp.ms = (*interval)->StartOf(timestamp.ms / 1000) * 1000;
  return LevelPoint{
      .metric = RollupMetric(target, sent.metric), .aggregate = *aggregate, .timestamp = timestamp};
}

}  // namespace hourcell
