#include "server/rollups/rollup_rules.h"

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/rollups/rollup_test_rules.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::rollup_rules_test {
namespace {

using simdjson::dom::element;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int64_t kHourS = 1356998400;

// A point of cpu.
PointView Sent(std::span<const TagView> tags, int64_t time_s = kHourS) {
  return {.metric = "cpu",
          .tags = tags,
          .timestamp = {.ms = time_s * 1000, .is_ms = false},
          .value = Value::Integer(42)};
}

const std::vector<TagView> kHost = {{.key = "host", .value = "a"}};

std::string ErrorOf(const RollupRules& rules,
                    const RollupTarget& target,
                    const PointView& sent = Sent(kHost)) {
  const Parsed<LevelPoint> level = LevelPointOf(rules, target, sent);
  if (level.ok()) return "stored as " + level->metric;
  return std::string(PointErrorTelnetClass(level.error().kind)) + ": " + level.error().text;
}

// The cell that OpenTSDB writes, as the time of a point.
int64_t TimeOfCell(element want, const RollupTarget& target) {
  const std::string qualifier = BytesOf(want, "qualifier");
  const size_t size = qualifier.size();
  const int64_t slot = (static_cast<uint8_t>(qualifier[size - 2]) << 4) |
                       (static_cast<uint8_t>(qualifier[size - 1]) >> 4);
  return IntOf(want, "base") + slot * (target.interval.empty() ? 1 : 3600);
}

void RunWrite(const TestVector& vector) {
  const auto config = ParseRollupConfig(simdjson::to_string(vector.given["config"]));
  ASSERT_OK(config);
  const RollupRules rules{.config = *config};
  const element point = vector.given["point"];
  const auto text = [&](std::string_view key) {
    return Has(point, key) ? TextOf(point, key) : std::string();
  };
  const RollupTarget target{.interval = text("interval"),
                            .aggregator = text("aggregator"),
                            .group_by = text("groupByAggregator")};
  std::vector<TagView> tags;
  for (const auto tag : simdjson::dom::object(point["tags"]))
    tags.push_back({.key = tag.key, .value = std::string_view(tag.value)});
  PointView sent = Sent(tags, IntOf(point, "timestamp"));
  sent.timestamp.is_ms = IntOf(point, "timestamp") > int64_t{UINT32_MAX};

  const Parsed<LevelPoint> level = LevelPointOf(rules, target, sent);

  ASSERT_EQ(level.ok(), !vector.wants_error());
  if (!level.ok()) return;
  EXPECT_EQ(level->timestamp.ms / 1000, TimeOfCell(vector.expect, target));
  const bool is_grouped = TextOf(vector.expect, "table").find("agg") != std::string::npos;
  EXPECT_EQ(level->metric.find("agg/") != std::string::npos ||
                level->metric.find("-agg/") != std::string::npos,
            is_grouped);
  const element want = vector.expect["tags"];
  EXPECT_EQ(level->aggregate, Has(want, "_aggregate") ? TextOf(want, "_aggregate") : "");
}

TEST(RollupRulesTest, TheVectorsOfWritesHold) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("rest.json", "rollup-parse")) {
    if (TextOf(vector.given, "kind") != "write") continue;
    SCOPED_TRACE(simdjson::to_string(vector.given));
    RunWrite(vector);
    ++run;
  }
  EXPECT_EQ(run, 9);
}

TEST(RollupRulesTest, APointIsOneOfTheMetricOfItsLevel) {
  const RollupRules rules = MakeTestRules();
  const auto level_of = [&](const RollupTarget& target) {
    const Parsed<LevelPoint> level = LevelPointOf(rules, target, Sent(kHost, kHourS + 3599));
    return level.ok() ? *level : LevelPoint{.metric = level.error().text, .timestamp = {}};
  };
  const auto at = [](int64_t second) { return Timestamp{.ms = (kHourS + second) * 1000}; };

  EXPECT_EQ(level_of({.interval = "1h", .aggregator = "Sum"}),
            (LevelPoint{.metric = "_rollup/1h-sum/cpu", .timestamp = at(0)}));
  EXPECT_EQ(level_of({.interval = "10m", .aggregator = "count", .group_by = "max"}),
            (LevelPoint{
                .metric = "_rollup/10m-count-agg/cpu", .aggregate = "MAX", .timestamp = at(3000)}));
  EXPECT_EQ(level_of({.aggregator = "p99", .group_by = "p99"}),
            (LevelPoint{.metric = "_rollup/agg/cpu", .aggregate = "P99", .timestamp = at(3599)}))
      << "needs no id, and keeps its time";
}

TEST(RollupRulesTest, EachFaultIsNamed) {
  const RollupRules rules = MakeTestRules();
  const RollupTarget hourly{.interval = "1h", .aggregator = "sum"};
  PointView in_ms = Sent(kHost);
  in_ms.timestamp.is_ms = true;
  PointView of_level = Sent(kHost);
  of_level.metric = "_rollup/1h-sum/cpu";

  EXPECT_EQ(ErrorOf({}, hourly), "illegal argument: " + std::string(kRollupsAreOff));
  EXPECT_EQ(ErrorOf(rules, {.aggregator = "sum"}), "illegal argument: Missing interval");
  EXPECT_EQ(ErrorOf(rules, {.interval = "1h"}), "illegal argument: Missing aggregator");
  EXPECT_EQ(ErrorOf(rules, hourly, in_ms),
            "illegal argument: timestamp of a rollup: expected seconds, got milliseconds: "
            "1356998400000");
  EXPECT_THAT(ErrorOf(rules, {.interval = "1h", .aggregator = "p99"}),
              StartsWith("illegal argument: aggregator p99: expected one of aggregationIds"));
  EXPECT_EQ(ErrorOf(rules, {.group_by = "nosuch"}),
            "illegal argument: group-by aggregator: unknown: nosuch");
  EXPECT_THAT(ErrorOf(rules, {.interval = "5m", .aggregator = "sum"}),
              StartsWith("No such rollup: interval 5m: expected one of tsd.rollups.config"));
  EXPECT_THAT(ErrorOf(rules, {.interval = "1m", .aggregator = "sum"}),
              StartsWith("No such rollup: interval 1m: that of the points themselves"));
  EXPECT_THAT(ErrorOf(rules, hourly, of_level),
              HasSubstr("expected a metric of points, got one of a rollup"));
}

TEST(RollupRulesTest, TheTagOfGroupsIsThatOfTheCommand) {
  RollupRules rules = MakeTestRules();
  rules.aggregate_tagk = "by";
  const RollupTarget grouped{.interval = "1h", .aggregator = "sum", .group_by = "max"};
  const std::vector<TagView> same = {{.key = "by", .value = "Max"}};
  const std::vector<TagView> other = {{.key = "by", .value = "min"}};

  EXPECT_EQ(LevelPointOf(rules, grouped, Sent(same))->aggregate, "MAX");
  EXPECT_EQ(ErrorOf(rules, grouped, Sent(other)),
            "illegal argument: tag by=min: expected the group-by aggregator MAX");
  EXPECT_EQ(ErrorOf(rules, {.interval = "1h", .aggregator = "sum"}, Sent(same)),
            "illegal argument: tag by=Max: expected a group-by aggregator in the rollup");
}

TEST(RollupRulesTest, RollupsOfAllSeriesAreTaggedOnlyIfASettingSaysSo) {
  RollupRules rules = MakeTestRules();
  const RollupTarget hourly{.interval = "1h", .aggregator = "sum"};

  EXPECT_EQ(LevelPointOf(rules, hourly, Sent(kHost))->aggregate, "");

  rules.tag_raw = true;
  EXPECT_EQ(LevelPointOf(rules, hourly, Sent(kHost))->aggregate, "RAW");
}

TEST(RollupRulesTest, DerivedAggregatesAreBlocked) {
  RollupRules rules = MakeTestRules();
  const RollupTarget averages{.aggregator = "AVG", .group_by = "AVG"};

  EXPECT_THAT(ErrorOf(rules, averages), StartsWith("illegal argument: aggregator AVG: derived"));
  EXPECT_THAT(ErrorOf(rules, {.interval = "1h", .aggregator = "sum", .group_by = "dev"}),
              StartsWith("illegal argument: aggregator dev: derived"));

  rules.block_derived = false;
  EXPECT_EQ(ErrorOf(rules, averages), "stored as _rollup/agg/cpu");
}

TEST(RollupRulesTest, TheSettingsAreRead) {
  Config config;
  ASSERT_OK(RollupRulesOf(config));
  EXPECT_FALSE(RollupRulesOf(config)->config.has_value());
  EXPECT_TRUE(RollupRulesOf(config)->block_derived);

  ASSERT_OK(config.Set("tsd.rollups.enable", "true"));
  EXPECT_FALSE(RollupRulesOf(config).ok());

  ASSERT_OK(config.Set("tsd.rollups.config", kTestRollups));
  ASSERT_OK(config.Set("tsd.rollups.tag_raw", "true"));
  ASSERT_OK(config.Set("tsd.rollups.block_derived", "false"));
  ASSERT_OK(config.Set("tsd.rollups.agg_tag_key", "by"));
  ASSERT_OK(config.Set("tsd.rollups.raw_agg_tag_value", "none"));
  const auto rules = RollupRulesOf(config);
  ASSERT_OK(rules);
  EXPECT_NE(rules->config->Find("1h"), nullptr);
  EXPECT_TRUE(rules->tag_raw);
  EXPECT_FALSE(rules->block_derived);
  EXPECT_EQ(rules->aggregate_tagk, "by");
  EXPECT_EQ(rules->raw_aggregate, "none");
}

}  // namespace
}  // namespace hourcell::rollup_rules_test
