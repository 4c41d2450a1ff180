#include "server/inputs/statsd/statsd_settings.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::statsd_settings_test {
namespace {

TEST(StatsdSettingsTest, HasDefaults) {
  const auto settings = StatsdSettingsOf(Config());

  ASSERT_OK(settings);
  EXPECT_EQ(settings->prefix, "");
  EXPECT_EQ(settings->flush_s, 10);
  EXPECT_EQ(settings->series_max, 100'000U);
  ASSERT_EQ(settings->percentiles.size(), 3U);
  EXPECT_EQ(settings->percentiles[1].suffix, ".p90");
}

TEST(StatsdSettingsTest, TakesPercentilesAsTheyStand) {
  Config config;
  ASSERT_OK(config.Set("tsd.statsd.percentiles", "99.9 , 100"));
  const auto settings = StatsdSettingsOf(config);

  ASSERT_OK(settings);
  ASSERT_EQ(settings->percentiles.size(), 2U);
  EXPECT_EQ(settings->percentiles[0].percent, 99.9);
  EXPECT_EQ(settings->percentiles[0].suffix, ".p99.9");
  ASSERT_OK(config.Set("tsd.statsd.percentiles", ""));
  EXPECT_THAT(StatsdSettingsOf(config)->percentiles, testing::IsEmpty());
}

TEST(StatsdSettingsTest, RefusesOthers) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"tsd.statsd.prefix", "a b"},       {"tsd.statsd.percentiles", "0"},
      {"tsd.statsd.percentiles", "101"},  {"tsd.statsd.percentiles", "-5"},
      {"tsd.statsd.percentiles", "half"}, {"tsd.statsd.percentiles", "9e1"}};
  for (const auto& [key, value] : cases) {
    SCOPED_TRACE(key + " " + value);
    Config config;
    ASSERT_OK(config.Set(key, value));
    EXPECT_THAT(
        StatsdSettingsOf(config).status(),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 testing::AllOf(testing::HasSubstr(key), testing::HasSubstr(": expected "))));
  }
}

}  // namespace
}  // namespace hourcell::statsd_settings_test
