#include "engine/regions/split/region_settings.h"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/source_dir.h"
#include "tests/support/status_matchers.h"

namespace hourcell::region_settings_test {
namespace {

using testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(RegionSettingsTest, NothingSetGivesTheDefaults) {
  const auto ours = ParseRegionSettings({});
  const auto hbase = ParseRegionSettings({}, HBaseRegionSettings());

  ASSERT_OK(ours);
  ASSERT_OK(hbase);
  EXPECT_EQ(ours->split.policy, SplitPolicyKind::kIncreasingToUpperBound);
  EXPECT_EQ(ours->split.max_bytes, uint64_t{4} << 30);
  EXPECT_EQ(hbase->split.policy, SplitPolicyKind::kStepping);
  EXPECT_FALSE(hbase->normalizer.is_enabled);
  EXPECT_EQ(hbase->normalizer.merge_bytes_min, uint64_t{1} << 20);
}

TEST(RegionSettingsTest, ReadsTheNormalizerOfASiteAndATable) {
  const auto settings =
      ParseRegionSettings({{"hbase.normalizer.period", "60000"},
                           {"hbase.normalizer.split.enabled", "false"},
                           {"hbase.normalizer.merge.min.region.count", "5"},
                           {"hbase.normalizer.min.region.count", "9"},
                           {"hbase.normalizer.merge.min_region_age.days", "1"},
                           {"hbase.normalizer.merge.min_region_size.mb", "2"},
                           {"hbase.normalizer.merge.merge_request_max_number_of_regions", "50"},
                           {"MERGE_ENABLED", "false"},
                           {"NORMALIZATION_ENABLED", "true"},
                           {"NORMALIZER_TARGET_REGION_COUNT", "12"},
                           {"NORMALIZER_TARGET_REGION_SIZE", "5200"}},
                          HBaseRegionSettings());

  ASSERT_OK(settings);
  const NormalizerSettings& normalizer = settings->normalizer;
  EXPECT_TRUE(normalizer.is_enabled);
  EXPECT_EQ(normalizer.period_ms, 60'000U);
  EXPECT_FALSE(normalizer.allow_splits);
  EXPECT_FALSE(normalizer.allow_merges);
  EXPECT_EQ(normalizer.merge_regions_min, 5U);
  EXPECT_EQ(normalizer.merge_age_ms_min, 86'400'000U);
  EXPECT_EQ(normalizer.merge_bytes_min, uint64_t{2} << 20);
  EXPECT_EQ(normalizer.merge_count_max, 50U);
  EXPECT_EQ(normalizer.target_regions, 12U);
  EXPECT_EQ(normalizer.target_bytes, uint64_t{5'200} << 20);
}

TEST(RegionSettingsTest, ErrorNamesKeyValueAndWhatIsWanted) {
  EXPECT_THAT(
      ParseRegionSettings({{"hbase.hregion.max.filesize", "10 * 1024 * 1024 * 1024"}}),
      StatusIs(kInvalid,
               testing::AllOf(HasSubstr("hbase.hregion.max.filesize: expected bytes from 1 "),
                              HasSubstr(", got \"10 * 1024 * 1024 * 1024\""))));
  EXPECT_THAT(ParseRegionSettings({{"SPLIT_POLICY", "Cubic"}}),
              StatusIs(kInvalid, testing::AllOf(HasSubstr("SPLIT_POLICY: expected one of Disabled"),
                                                HasSubstr(", got \"Cubic\""))));
  EXPECT_THAT(ParseRegionSettings({{"hbase.busy.policy.blockedRequests", "1"}}),
              StatusIs(kInvalid, HasSubstr("expected a number from 1e-05 to 0.99999")));
}

TEST(RegionSettingsTest, OtherSettingsOfASiteDoNotMatter) {
  EXPECT_OK(ParseRegionSettings({{"hbase.zookeeper.quorum", "a,b"}, {"tsd.region.x", "1"}}));
}

TEST(RegionSettingsTest, MisspeltNamesOfOursDo) {
  EXPECT_THAT(ParseRegionSettings({{"tsd.region.split.max_byte", "1"}}),
              StatusIs(kInvalid, HasSubstr("tsd.region.split.max_byte: no such setting")));
  EXPECT_THAT(ParseRegionSettings({{"tsd.region.normalizer.merge", "true"}}),
              StatusIs(kInvalid, HasSubstr("expected one of tsd.region.normalizer.enabled")));
}

TEST(RegionSettingsTest, TableForbidsMergesButDoesNotAllowWhatTheSiteForbids) {
  const auto allows = [](std::string site, std::string table) {
    return ParseRegionSettings({{"hbase.normalizer.merge.enabled", std::move(site)},
                                {"MERGE_ENABLED", std::move(table)}})
        ->normalizer.allow_merges;
  };

  EXPECT_TRUE(allows("true", "true"));
  EXPECT_FALSE(allows("true", "false"));
  EXPECT_FALSE(allows("false", "true"));
}

TEST(RegionSettingsTest, DocumentNamesEverySetting) {
  std::ostringstream page;
  page << std::ifstream(SourcePath("docs/regions.md")).rdbuf();
  const SettingMap none;
  SettingReader reader(none);
  RegionSettings settings;
  ReadSplitSettings(&reader, &settings.split);
  ReadNormalizerSettings(&reader, &settings.normalizer);

  ASSERT_GT(reader.asked().size(), 70U);
  for (const std::string& name : reader.asked()) {
    std::string_view in_page = name;
    for (const std::string_view prefix : {"tsd.region.split.", "tsd.region.normalizer."}) {
      if (name.starts_with(prefix)) in_page.remove_prefix(std::string_view("tsd.region.").size());
    }
    EXPECT_THAT(page.str(), HasSubstr("`" + std::string(in_page) + "`")) << name;
  }
}

TEST(RegionSettingsTest, PrefixPolicyWantsItsPrefix) {
  EXPECT_THAT(ParseRegionSettings({{"SPLIT_POLICY", "DelimitedKeyPrefix"}}),
              StatusIs(kInvalid,
                       "tsd.region.split.delimiter: expected a delimiter for policy "
                       "DelimitedKeyPrefix, got none"));
  EXPECT_THAT(ParseRegionSettings({{"tsd.region.split.restriction", "KeyPrefix"}}),
              StatusIs(kInvalid,
                       "tsd.region.split.restriction.prefix_length: expected a length from 1 for "
                       "restriction KeyPrefix, got none"));
  EXPECT_OK(ParseRegionSettings(
      {{"SPLIT_POLICY", "KeyPrefix"}, {"prefix_split_key_policy.prefix_length", "4"}}));
}

TEST(RegionSettingsTest, NamesAreThoseOfHBaseAndOurs) {
  EXPECT_TRUE(RegionSettingNames().contains("hbase.hregion.max.filesize"));
  EXPECT_TRUE(RegionSettingNames().contains("MAX_FILESIZE"));
  EXPECT_TRUE(RegionSettingNames().contains("tsd.region.normalizer.period_ms"));
  EXPECT_FALSE(RegionSettingNames().contains("hbase.zookeeper.quorum"));
}

}  // namespace
}  // namespace hourcell::region_settings_test
