#include "server/inputs/input_settings.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::input_settings_test {
namespace {

TEST(InputSettingsTest, HasDefaults) {
  const auto settings = InputSettingsOf(Config());

  ASSERT_OK(settings);
  EXPECT_EQ(settings->default_tag, "\1host\1unknown");
  EXPECT_EQ(settings->default_tag_key, "host");
  EXPECT_EQ(settings->default_tag_value, "unknown");
  EXPECT_FALSE(settings->prometheus_utf8_names);
  EXPECT_EQ(settings->influx_separator, "_");
  EXPECT_EQ(settings->otlp_resource_attributes.front(), "service.name");
  EXPECT_EQ(settings->otlp_resource_attributes.size(), 7U);
}

TEST(InputSettingsTest, ExponentialHistogramsAreWholeUnlessBucketsAreSet) {
  EXPECT_TRUE(InputSettingsOf(Config())->has_whole_histograms);
  Config buckets;
  ASSERT_OK(buckets.Set("tsd.inputs.exponential_histograms", "buckets"));
  EXPECT_FALSE(InputSettingsOf(buckets)->has_whole_histograms);
  Config forwards;
  ASSERT_OK(forwards.Set("tsd.forward", "http://other:4242"));
  EXPECT_TRUE(InputSettingsOf(forwards)->has_whole_histograms);
}

TEST(InputSettingsTest, TakesLegalNames) {
  Config config;
  ASSERT_OK(config.Set("tsd.inputs.default_tag", "source=telegraf"));
  ASSERT_OK(config.Set("tsd.influx.separator", ""));

  ASSERT_OK(config.Set("tsd.otlp.resource_attributes", " a.b ,c"));

  ASSERT_OK(InputSettingsOf(config));
  EXPECT_EQ(InputSettingsOf(config)->otlp_resource_attributes,
            (std::vector<std::string>{"a.b", "c"}));
  ASSERT_OK(config.Set("tsd.core.tag.allow_specialchars", ":"));
  ASSERT_OK(config.Set("tsd.influx.separator", ":"));
  EXPECT_OK(InputSettingsOf(config));
}

TEST(InputSettingsTest, RefusesOthers) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"tsd.inputs.default_tag", ""},      {"tsd.inputs.default_tag", "host"},
      {"tsd.inputs.default_tag", "host="}, {"tsd.inputs.default_tag", "=x"},
      {"tsd.inputs.default_tag", "a b=c"}, {"tsd.inputs.default_tag", "a=b=c"},
      {"tsd.influx.separator", " "},       {"tsd.influx.separator", ":"}};
  for (const auto& [key, value] : cases) {
    SCOPED_TRACE(key + " " + value);
    Config config;
    ASSERT_OK(config.Set(key, value));
    EXPECT_THAT(
        InputSettingsOf(config).status(),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 testing::AllOf(testing::HasSubstr(key), testing::HasSubstr(": expected "))));
  }
}

}  // namespace
}  // namespace hourcell::input_settings_test
