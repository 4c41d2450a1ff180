#include "server/config/rollup_settings.h"

#include <fstream>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/vectors.h"

namespace hourcell {
namespace {

using testing::HasSubstr;

void ExpectConfig(const RollupConfig& config, simdjson::dom::element want) {
  std::set<std::string> names;
  for (const RollupInterval& interval : config.intervals())
    names.insert(interval.name());
  std::set<std::string> wanted;
  for (const simdjson::dom::element name : simdjson::dom::array(want["intervals"]))
    wanted.emplace(std::string_view(name));
  EXPECT_EQ(names, wanted);
  for (const auto id : simdjson::dom::object(want["aggregationIds"]))
    EXPECT_EQ(config.IdOf(id.key), static_cast<uint8_t>(int64_t(id.value)));
}

// Those of single intervals: tests/codec/rollups/rollup_interval_test.cc.
TEST(RollupSettingsTest, TheVectorsOfConfigurationsHold) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("rest.json", "rollup-parse")) {
    if (TextOf(vector.given, "kind") != "config") continue;
    SCOPED_TRACE(simdjson::to_string(vector.given));
    const auto config = ParseRollupConfig(simdjson::to_string(vector.given["config"]));
    ++run;
    ASSERT_EQ(config.ok(), !vector.wants_error()) << config.status().ToString();
    if (config.ok()) ExpectConfig(*config, vector.expect);
  }
  EXPECT_EQ(run, 10);
}

TEST(RollupSettingsTest, TooManySlotsAreRefused) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("rest.json", "rollup-parse")) {
    if (!Has(vector.given, "cap")) continue;
    const auto config = ParseRollupConfig(
        R"({"aggregationIds":{"sum":0},"intervals":[{"table":"t","preAggregationTable":"p",)"
        R"("defaultInterval":true,"interval":")" +
        TextOf(vector.given["interval"], "interval") + R"(","rowSpan":")" +
        TextOf(vector.given["interval"], "rowSpan") + R"("}]})");
    ++run;
    EXPECT_THAT(std::string(config.status().message()), HasSubstr("at most 3840"));
  }
  EXPECT_EQ(run, 1);
}

TEST(RollupSettingsTest, AFileIsReadByItsName) {
  TempDir dir;
  const std::string path = dir.file("rollups.json");
  std::ofstream(path) << "[]";

  EXPECT_THAT(std::string(LoadRollupConfig(path).status().message()),
              HasSubstr("tsd.rollups.config: expected a JSON object"));
  EXPECT_TRUE(absl::IsNotFound(LoadRollupConfig("/nonexistent/rollups.json").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(LoadRollupConfig("{").status()));
}

TEST(RollupSettingsTest, RulesAreReadFromTheirText) {
  const auto none = ReadMetricRules("");
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->has_value());

  const auto rules = ReadMetricRules("* raw for 30d, 1m for 1y, 1h");
  ASSERT_TRUE(rules.ok() && rules->has_value());
  EXPECT_EQ((*rules)->rules()[0].levels.size(), 2U);

  EXPECT_EQ(std::string(ReadMetricRules("* 7m").status().message()),
            "tsd.rollups.rules: rule 1: interval: expected one that divides an hour, or hours that "
            "divide a day, got 7m");
}

}  // namespace
}  // namespace hourcell
