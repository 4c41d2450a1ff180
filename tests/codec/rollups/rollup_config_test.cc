#include "codec/rollups/rollup_config.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/vectors.h"

namespace hourcell {
namespace {

using simdjson::dom::element;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<RollupAggregate> kAggregates = {
    {.name = "sum", .id = 0}, {.name = "count", .id = 1}, {.name = "MAX", .id = 2}};

RollupIntervalFields Fields(const std::string& interval,
                            const std::string& row_span,
                            bool is_default = false) {
  return {.interval = interval,
          .row_span = row_span,
          .table = "t",
          .pre_aggregation_table = "p",
          .is_default = is_default};
}

std::string FaultOf(const std::vector<RollupAggregate>& aggregates,
                    const std::vector<RollupIntervalFields>& intervals) {
  const auto config = RollupConfig::Make(aggregates, intervals);
  return config.ok() ? std::string() : std::string(config.status().message());
}

TEST(RollupConfigTest, EachFaultIsNamed) {
  const RollupIntervalFields raw = Fields("1m", "1h", true);
  RollupIntervalFields no_table = Fields("1h", "1d");
  no_table.table.clear();

  EXPECT_EQ(FaultOf(kAggregates, {raw, Fields("1h", "1d")}), "");
  EXPECT_THAT(FaultOf({}, {raw}), HasSubstr("aggregationIds: missing"));
  EXPECT_THAT(FaultOf({{.name = "sum", .id = 128}}, {raw}), HasSubstr("expected 0 to 127"));
  EXPECT_THAT(FaultOf({{.name = "sum", .id = 1}, {.name = "Sum", .id = 2}}, {raw}),
              HasSubstr("expected unique names and ids"));
  EXPECT_THAT(FaultOf({{.name = "sum", .id = 1}, {.name = "max", .id = 1}}, {raw}),
              HasSubstr("expected unique names and ids"));
  EXPECT_THAT(FaultOf(kAggregates, {}), HasSubstr("intervals: missing"));
  EXPECT_THAT(FaultOf(kAggregates, {Fields("1h", "1d")}), HasSubstr("defaultInterval, got 0"));
  EXPECT_THAT(FaultOf(kAggregates, {raw, Fields("1h", "1d"), Fields("1h", "1n")}),
              HasSubstr("got \"1h\" twice"));
  EXPECT_THAT(FaultOf(kAggregates, {raw, no_table}), HasSubstr("preAggregationTable missing"));
  EXPECT_THAT(FaultOf(kAggregates, {raw, Fields("15s", "1d")}), HasSubstr("at most 3840"));
}

TEST(RollupConfigTest, AnAggregateIsFoundInAnyCase) {
  const auto config = RollupConfig::Make(kAggregates, {Fields("1m", "1h", true)});
  ASSERT_TRUE(config.ok());

  EXPECT_EQ(config->IdOf("Max"), 2);
  EXPECT_EQ(config->IdOf("min"), std::nullopt);
  EXPECT_THAT(config->StoredFor("avg"), ElementsAre("sum", "count"));
  EXPECT_THAT(config->StoredFor("mimmax"), ElementsAre("max"));
  EXPECT_THAT(config->StoredFor("min"), IsEmpty());
}

RollupConfig ConfigOf(element given) {
  std::vector<RollupAggregate> aggregates;
  if (Has(given, "aggregationIds")) {
    for (const element name : simdjson::dom::array(given["aggregationIds"])) {
      aggregates.push_back({.name = std::string(std::string_view(name)),
                            .id = static_cast<int64_t>(aggregates.size())});
    }
  } else {
    aggregates = kAggregates;
  }
  std::vector<RollupIntervalFields> intervals;
  for (const element one : simdjson::dom::array(given["intervals"])) {
    intervals.push_back(
        Fields(TextOf(one, "interval"), TextOf(one, "rowSpan"), Has(one, "defaultInterval")));
  }
  const auto config = RollupConfig::Make(aggregates, intervals);
  EXPECT_TRUE(config.ok()) << config.status().ToString();
  return *config;
}

std::vector<std::string> NamesOf(const std::vector<const RollupInterval*>& reads) {
  std::vector<std::string> names;
  for (const RollupInterval* level : reads)
    names.push_back(level == nullptr ? "raw" : level->name());
  return names;
}

void RunSelect(const TestVector& vector) {
  const RollupConfig config = ConfigOf(vector.given);
  const std::string function =
      Has(vector.given, "function") ? TextOf(vector.given, "function") : "sum";
  const auto reads =
      config.Reads(IntOf(vector.given, "downsample_ms"), function, RollupUsage::kNoFallback);
  EXPECT_THAT(NamesOf(reads), ElementsAre(TextOf(vector.expect, "table")));
}

void RunFallback(const TestVector& vector) {
  const RollupConfig config = ConfigOf(vector.given);
  const auto reads = config.Reads(IntOf(vector.given, "downsample_ms"), "sum",
                                  ParseRollupUsage(TextOf(vector.given, "usage")));
  std::vector<std::string> has_data;
  for (const element name : simdjson::dom::array(vector.given["has_data"]))
    has_data.emplace_back(std::string_view(name));
  std::vector<std::string> read;
  std::string answer;
  for (const std::string& level : NamesOf(reads)) {
    read.push_back(level);
    if (std::ranges::find(has_data, level) == has_data.end()) continue;
    answer = level;
    break;
  }
  std::vector<std::string> want;
  for (const element name : simdjson::dom::array(vector.expect["read"]))
    want.emplace_back(std::string_view(name));
  EXPECT_EQ(read, want);
  const bool wants_answer = !vector.expect["answer"].is_null();
  EXPECT_EQ(answer, wants_answer ? TextOf(vector.expect, "answer") : "");
}

void RunSplit(const TestVector& vector) {
  const int64_t start_ms = IntOf(vector.given, "start_ms");
  const int64_t end_ms = IntOf(vector.given, "end_ms");
  const bool is_enabled = bool(vector.given["enabled"]);
  const std::optional<int64_t> cut_ms =
      RollupCutMs(IntOf(vector.given, "now_ms"), end_ms,
                  is_enabled ? IntOf(vector.given, "lag_s") : 0, /*downsample_ms=*/3'600'000);
  const bool reads_level = !cut_ms.has_value() || *cut_ms > start_ms;
  EXPECT_EQ(reads_level, !vector.expect["rollup"].is_null());
  EXPECT_EQ(cut_ms.has_value(), !vector.expect["raw"].is_null());
}

TEST(RollupConfigTest, TheVectorsOfChoicesHold) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("rest.json", "rollup-query")) {
    SCOPED_TRACE(simdjson::to_string(vector.given));
    const std::string kind = TextOf(vector.given, "kind");
    if (kind == "downsample") continue;  // tests/engine/query/stages/rollup_buckets_test.cc
    if (kind == "select") RunSelect(vector);
    if (kind == "fallback") RunFallback(vector);
    if (kind == "split") RunSplit(vector);
    ++run;
  }
  EXPECT_EQ(run, 17);
}

TEST(RollupConfigTest, AUsageIsReadInAnyCase) {
  const auto config =
      RollupConfig::Make(kAggregates, {Fields("1m", "1h", true), Fields("1h", "1d")});
  ASSERT_TRUE(config.ok());
  const auto reads = [&](std::string_view usage) {
    return NamesOf(config->Reads(3'600'000, "sum", ParseRollupUsage(usage)));
  };

  EXPECT_THAT(reads("rollup_raw"), ElementsAre("raw"));
  EXPECT_THAT(reads("Rollup_Fallback_Raw"), ElementsAre("1h", "raw"));
  EXPECT_THAT(reads("of another kind"), ElementsAre("1h"));
  EXPECT_EQ(RollupUsageName(RollupUsage::kFallback), "ROLLUP_FALLBACK");
}

TEST(RollupConfigTest, ASplitIsAtACompleteInterval) {
  constexpr int64_t kHourMs = 3'600'000;
  const int64_t now_ms = 1000 * kHourMs + 1234;

  EXPECT_EQ(RollupCutMs(now_ms, now_ms, /*delay_s=*/600, kHourMs), 999 * kHourMs);
  EXPECT_EQ(RollupCutMs(now_ms, 999 * kHourMs, /*delay_s=*/600, kHourMs), std::nullopt);
  EXPECT_EQ(RollupCutMs(now_ms, now_ms, /*delay_s=*/0, kHourMs), std::nullopt);
  EXPECT_EQ(RollupCutMs(now_ms, now_ms, /*delay_s=*/600, /*downsample_ms=*/0), std::nullopt);
}

TEST(RollupConfigTest, AMetricHasALevelForEachIntervalAndAggregate) {
  const auto config = RollupConfig::Make({{.name = "sum", .id = 0}, {.name = "max", .id = 1}},
                                         {Fields("1m", "1h", true), Fields("1h", "1d")});
  ASSERT_TRUE(config.ok());

  EXPECT_THAT(config->MetricsOf("cpu"),
              ElementsAre("_rollup/agg/cpu", "_rollup/1h-sum/cpu", "_rollup/1h-sum-agg/cpu",
                          "_rollup/1h-max/cpu", "_rollup/1h-max-agg/cpu"));
}

TEST(RollupConfigTest, ATargetIsReadFromItsText) {
  EXPECT_EQ(*ParseRollupTarget("1h-SUM"), (RollupTarget{.interval = "1h", .aggregator = "SUM"}));
  EXPECT_EQ(*ParseRollupTarget("1h-sum:max"),
            (RollupTarget{.interval = "1h", .aggregator = "sum", .group_by = "max"}));
  EXPECT_EQ(*ParseRollupTarget("max"), (RollupTarget{.aggregator = "max", .group_by = "max"}));
  EXPECT_EQ(*ParseRollupTarget(":max"), (RollupTarget{.aggregator = "max", .group_by = "max"}));
  EXPECT_EQ(*ParseRollupTarget("1h-"), (RollupTarget{.interval = "1h"}));
  EXPECT_FALSE(ParseRollupTarget("").ok());
}

TEST(RollupConfigTest, ATargetNamesItsMetric) {
  EXPECT_EQ(RollupMetric({.interval = "1h", .aggregator = "SUM"}, "cpu"), "_rollup/1h-sum/cpu");
  EXPECT_EQ(RollupMetric({.interval = "1h", .aggregator = "sum", .group_by = "max"}, "cpu"),
            "_rollup/1h-sum-agg/cpu");
  EXPECT_EQ(RollupMetric({.aggregator = "max", .group_by = "max"}, "cpu"), "_rollup/agg/cpu");

  EXPECT_EQ(SummarizedMetric("_rollup/1h-sum/cpu/user"), "cpu/user");
  EXPECT_EQ(SummarizedMetric("_rollup/agg/cpu"), "cpu");
  EXPECT_EQ(SummarizedMetric("_rollup/cpu"), "");
  EXPECT_EQ(SummarizedMetric("cpu"), "");
}

}  // namespace
}  // namespace hourcell
