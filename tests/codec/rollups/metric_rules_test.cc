#include "codec/rollups/metric_rules.h"

#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/vectors.h"

namespace hourcell {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kMinuteMs = 60'000;
constexpr int64_t kRuleHourMs = 3'600'000;
constexpr int64_t kDayMs = 86'400'000;
constexpr int64_t kNowMs = 1000 * kDayMs;

// As the vectors write a rule.
std::string TextOfRule(const MetricRule& rule) {
  std::string text = rule.pattern;
  for (const RuleTag& tag : rule.tags)
    text += fmt::format("{{{}={}}}", tag.tagk, fmt::join(tag.tagvs, "|"));
  text += fmt::format(" raw={}", rule.raw_ttl_s);
  for (const RuleLevel& level : rule.levels)
    text += fmt::format(" {}={}:{}:{}", level.interval, level.seconds,
                        fmt::join(level.aggregates, ","), level.ttl_s);
  return text;
}

TEST(MetricRulesTest, TheVectorsOfRulesHold) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("rollup_rules.json", "rules.parse")) {
    SCOPED_TRACE(simdjson::to_string(vector.given));
    const auto rules = MetricRules::Parse(TextOf(vector.given, "rules"));
    ++run;
    ASSERT_TRUE(rules.ok()) << rules.status();
    size_t at = 0;
    for (const simdjson::dom::element expected : simdjson::dom::array(vector.expect["rules"])) {
      ASSERT_LT(at, rules->rules().size());
      EXPECT_EQ(TextOfRule(rules->rules()[at++]), std::string_view(expected));
    }
    EXPECT_EQ(at, rules->rules().size());
  }
  EXPECT_EQ(run, 8);
}

TEST(MetricRulesTest, EachFaultIsNamed) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("rollup_rules.json", "rules.refuse")) {
    SCOPED_TRACE(simdjson::to_string(vector.given));
    const auto rules = MetricRules::Parse(TextOf(vector.given, "rules"));
    ++run;
    ASSERT_FALSE(rules.ok());
    EXPECT_EQ(std::string(rules.status().message()), TextOf(vector.expect, "error"));
  }
  EXPECT_EQ(run, 27);
}

TEST(MetricRulesTest, ThereIsALimitOfRulesAndLevels) {
  std::string rules = "a 1h";
  for (size_t i = 1; i < kMetricRulesMax; ++i)
    rules += "; a 1h";
  EXPECT_TRUE(MetricRules::Parse(rules).ok());
  EXPECT_THAT(std::string(MetricRules::Parse(rules + ";a 1h").status().message()),
              HasSubstr("at most 256 rules"));

  const auto levels = MetricRules::Parse("a 1s, 2s, 3s, 4s, 5s, 6s, 8s, 9s, 10s");
  EXPECT_THAT(std::string(levels.status().message()), HasSubstr("at most 8 levels, got 9"));
}

TEST(MetricRulesTest, TheVectorsOfPatternsHold) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("rollup_rules.json", "rules.match")) {
    SCOPED_TRACE(simdjson::to_string(vector.given));
    ++run;
    const bool expected = vector.expect["matches"].get_bool();
    EXPECT_EQ(MatchesPattern(TextOf(vector.given, "pattern"), TextOf(vector.given, "text")),
              expected);
  }
  EXPECT_EQ(run, 8);
}

TEST(MetricRulesTest, TheFirstRuleThatMatchesCounts) {
  const auto rules = MetricRules::Parse("sys.* 1h; sys.cpu 1m; app* 10m");
  ASSERT_TRUE(rules.ok());
  EXPECT_EQ(rules->RuleOf("sys.cpu"), &rules->rules()[0]);
  EXPECT_EQ(rules->RuleOf("app"), &rules->rules()[2]);
  EXPECT_EQ(rules->RuleOf("db"), nullptr);
}

TEST(MetricRulesTest, TheMetricOfALevelHasNoRule) {
  const auto rules = MetricRules::Parse("* 1h");
  ASSERT_TRUE(rules.ok());
  EXPECT_EQ(rules->RuleOf("_rollup/1h-sum/a"), nullptr);
}

TEST(MetricRulesTest, ALevelSaysWhatAFunctionNeeds) {
  const RuleLevel level{.interval = "1m", .seconds = 60, .aggregates = {"sum", "count", "max"}};
  EXPECT_THAT(level.StoredFor("avg"), testing::ElementsAre("sum", "count"));
  EXPECT_THAT(level.StoredFor("zimsum"), testing::ElementsAre("sum"));
  EXPECT_THAT(level.StoredFor("mimmax"), testing::ElementsAre("max"));
  EXPECT_THAT(level.StoredFor("count"), testing::ElementsAre("count"));
  EXPECT_THAT(level.StoredFor("min"), IsEmpty());
  EXPECT_THAT(level.StoredFor("dev"), IsEmpty());
  EXPECT_THAT(level.StoredFor("p99"), IsEmpty());
}

// The interval of the level; empty: the points.
std::string LevelOf(const std::string& rule,
                    int64_t downsample_ms,
                    int64_t days,
                    const std::string& function = "sum",
                    int64_t points_ttl_s = 0) {
  const auto rules = MetricRules::Parse(rule);
  EXPECT_TRUE(rules.ok()) << rules.status();
  const MetricRule& first = rules->rules()[0];
  const RuleLevel* const level =
      first.LevelFor(downsample_ms, function,
                     {.begin_ms = kNowMs - days * kDayMs,
                      .now_ms = kNowMs,
                      .points_ttl_s = points_ttl_s == 0 ? first.raw_ttl_s : points_ttl_s});
  return level == nullptr ? "" : level->interval;
}

TEST(MetricRulesTest, AQueryReadsTheLongestIntervalThatDividesItsOwn) {
  const std::string rule = "a raw for 30d, 1m (sum count) for 365d, 1h (sum)";
  EXPECT_EQ(LevelOf(rule, kMinuteMs, 1), "1m");
  EXPECT_EQ(LevelOf(rule, 90 * kMinuteMs, 1), "1m");
  EXPECT_EQ(LevelOf(rule, kRuleHourMs, 1), "1h");
  EXPECT_EQ(LevelOf(rule, kDayMs, 900), "1h");
  EXPECT_EQ(LevelOf(rule, kRuleHourMs, 1, "avg"), "1m");
  EXPECT_EQ(LevelOf(rule, kRuleHourMs, 1, "max"), "");
  EXPECT_EQ(LevelOf(rule, 30'000, 1), "");
  EXPECT_EQ(LevelOf(rule, 0, 1), "");
}

TEST(MetricRulesTest, AQueryReadsWhatIsKeptLongestIfNothingIsKeptLongEnough) {
  EXPECT_EQ(LevelOf("a raw for 30d, 1m for 90d", kMinuteMs, 900), "1m");
  EXPECT_EQ(LevelOf("a raw for 30d, 1m for 7d", kMinuteMs, 5), "1m");
  EXPECT_EQ(LevelOf("a raw for 30d, 1m for 7d", kMinuteMs, 10), "");
  EXPECT_EQ(LevelOf("a 1m for 7d", kMinuteMs, 10), "");
  EXPECT_EQ(LevelOf("a 1m for 7d", kMinuteMs, 10, "sum", /*points_ttl_s=*/86'400), "1m")
      << "by the TTL of the store";
  EXPECT_EQ(LevelOf("a raw for 2d, 1m for 90d, 1h for 90d", kRuleHourMs, 900), "1h");
}

TEST(MetricRulesTest, EachAggregateOfALevelHasAMetric) {
  const auto rules = MetricRules::Parse("* 1m (sum), 1h (min last)");
  ASSERT_TRUE(rules.ok());
  EXPECT_THAT(
      rules->rules()[0].LevelMetrics("a.b"),
      testing::ElementsAre("_rollup/1m-sum/a.b", "_rollup/1h-min/a.b", "_rollup/1h-last/a.b"));
}

TEST(MetricRulesTest, AFingerprintLeavesOutTheRetention) {
  const auto rules = MetricRules::Parse(
      "a raw for 30d, 1m for 1y, 1h; b* 1h, 1m; c 1m, 1h (sum); d{x=y|z} 1m, 1h");
  ASSERT_TRUE(rules.ok());
  EXPECT_EQ(rules->rules()[0].Fingerprint(), "1m(sum,count,min,max)1h(sum,count,min,max)");
  EXPECT_EQ(rules->rules()[1].Fingerprint(), rules->rules()[0].Fingerprint());
  EXPECT_NE(rules->rules()[2].Fingerprint(), rules->rules()[0].Fingerprint());
  EXPECT_EQ(rules->rules()[3].Fingerprint(), rules->rules()[0].Fingerprint() + "{x=y|z}");
  EXPECT_FALSE(MetricRule::HasTags(rules->rules()[0].Fingerprint()));
  EXPECT_TRUE(MetricRule::HasTags(rules->rules()[3].Fingerprint()));
}

TEST(MetricRulesTest, AFingerprintHasTheLevels) {
  const auto rules = MetricRules::Parse("a{x=y} 1m (sum count), 6h (last)");
  ASSERT_TRUE(rules.ok());
  const MetricRule& rule = rules->rules()[0];
  const auto read = MetricRule::OfFingerprint(rule.Fingerprint());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->levels, rule.levels);
  EXPECT_THAT(read->tags, IsEmpty());
  for (const std::string_view wrong : {"1m", "1m)sum(", "x(sum)", "1m(sum)1h"})
    EXPECT_FALSE(MetricRule::OfFingerprint(wrong).ok()) << wrong;
}

}  // namespace
}  // namespace hourcell
