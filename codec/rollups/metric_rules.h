// MetricRules: `tsd.rollups.rules`: which metrics the store rolls up, to which levels, and how long
// it keeps points and levels (docs/decisions/0039-rollups-by-rules.md).
//
//   rules    rule { ";" rule }
//   rule     pattern [ "{" tagk "=" tagv { "|" tagv } { "," tagk "=" ... } "}" ] part { "," part }
//   part     "raw" "for" duration
//            interval [ "(" aggregate { aggregate } ")" ] [ "for" duration ]
//
//   * raw for 30d, 1m for 1y, 1h
//   sys.cpu.*{dc=lga|sea} 1m (sum count) for 90d, 1h; app.* 10m
//
// A pattern is a metric, or has `*` for any characters; it is without blanks, `{` and `;`. Blanks
// separate words and do not count elsewhere. Without aggregates a level has the first of
// kRuleAggregates; without `for` it is kept without a limit. The first rule that matches a metric
// counts, alone.
//
// Immutable; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace hourcell {

inline constexpr size_t kMetricRulesMax = 256;
inline constexpr size_t kRuleLevelsMax = 8;

// The aggregates that levels may have, in the order of RuleLevel::aggregates.
inline constexpr std::string_view kRuleAggregates[] = {"sum", "count", "min",
                                                       "max", "first", "last"};
// A level without a list has the first ones, up to this number.
inline constexpr size_t kDefaultAggregates = 4;

struct RuleLevel {
  std::string interval = {};                 // as written, "1m": part of the metric's name
  int64_t seconds = 0;                       // divides an hour, or is hours that divide a day
  std::vector<std::string> aggregates = {};  // not empty, unique
  int64_t ttl_s = 0;                         // 0: without a limit

  // The stored aggregates from which a downsample function is computed: sum and count for avg,
  // itself for most others. Empty: the level lacks one, or the function needs the points.
  std::vector<std::string> StoredFor(std::string_view function) const;
  friend bool operator==(const RuleLevel&, const RuleLevel&) = default;
};

struct RuleTag {
  std::string tagk;
  std::vector<std::string> tagvs;  // any one
  friend bool operator==(const RuleTag&, const RuleTag&) = default;
};

struct MetricRule {
  std::string pattern = {};
  std::vector<RuleTag> tags = {};      // a series has all; empty: every series
  int64_t raw_ttl_s = 0;               // of the points; 0: as without the rule
  std::vector<RuleLevel> levels = {};  // the shortest interval first; may be empty

  // The longest interval of a level, in seconds; 0 without levels.
  int64_t LongestS() const { return levels.empty() ? 0 : levels.back().seconds; }

  // The metrics of all levels of a metric.
  std::vector<std::string> LevelMetrics(std::string_view metric) const;

  // All that decides on the points of the levels: intervals, aggregates and tags. Rules with equal
  // texts compute the same.
  std::string Fingerprint() const;
  // Whether the rule with a fingerprint has tags.
  static bool HasTags(std::string_view fingerprint);
  // The levels of the rule with a fingerprint, without TTLs; the rest of the result is empty.
  // kInvalidArgument: it is not a fingerprint.
  static absl::StatusOr<MetricRule> OfFingerprint(std::string_view fingerprint);

  // The level with which a query reads from `begin_ms` on; null: the points. It is the longest one
  // whose interval divides `downsample_ms` and that stores the function. If its points from
  // `begin_ms` on are not all kept, it is the level, or the points, with the longest TTL.
  struct KeptTimes {
    int64_t begin_ms = 0;
    int64_t now_ms = 0;
    int64_t points_ttl_s = 0;  // in force for the points, by the rule or without; 0: no limit
  };
  const RuleLevel* LevelFor(int64_t downsample_ms,
                            std::string_view function,
                            const KeptTimes& times) const;
  friend bool operator==(const MetricRule&, const MetricRule&) = default;
};

class MetricRules {
 public:
  // kInvalidArgument, with the number of the rule: a text that is not of the grammar; an interval
  // below a second, or that neither divides an hour nor is hours that divide a day; intervals or
  // aggregates that repeat; a level that is kept shorter than one of a shorter interval; points
  // that are kept for less than a day or two intervals, or by a rule with tags; more than
  // kMetricRulesMax rules or kRuleLevelsMax levels; a metric of a level (`_rollup/...`).
  static absl::StatusOr<MetricRules> Parse(std::string_view text);

  std::span<const MetricRule> rules() const { return rules_; }

  // The rule of a metric; null: none. Null also for the metric of a level.
  const MetricRule* RuleOf(std::string_view metric) const;

 private:
  MetricRules() = default;

  std::vector<MetricRule> rules_;
};

// True if `pattern`, in which `*` is any bytes, matches all of `text`.
bool MatchesPattern(std::string_view pattern, std::string_view text);

}  // namespace hourcell
