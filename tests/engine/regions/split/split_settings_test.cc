#include "engine/regions/split/split_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::split_settings_test {
namespace {

constexpr uint64_t kMiB = 1 << 20;

SplitSettings Read(const SettingMap& map) {
  SettingReader reader(map);
  SplitSettings settings;
  ReadSplitSettings(&reader, &settings);
  EXPECT_OK(reader.status());
  return settings;
}

TEST(SplitSettingsTest, PoliciesHaveShortNamesClassNamesAndFullOnes) {
  using enum SplitPolicyKind;
  const std::vector<std::pair<std::string, SplitPolicyKind>> classes = {
      {"DisabledRegionSplitPolicy", kDisabled},
      {"ConstantSizeRegionSplitPolicy", kConstantSize},
      {"IncreasingToUpperBoundRegionSplitPolicy", kIncreasingToUpperBound},
      {"SteppingSplitPolicy", kStepping},
      {"KeyPrefixRegionSplitPolicy", kKeyPrefix},
      {"DelimitedKeyPrefixRegionSplitPolicy", kDelimitedKeyPrefix},
      {"BusyRegionSplitPolicy", kBusy}};

  for (const auto& [name, kind] : classes) {
    const std::string full = "org.apache.hadoop.hbase.regionserver." + name;
    EXPECT_EQ(Read({{"hbase.regionserver.region.split.policy", full}}).policy, kind);
    EXPECT_EQ(Read({{"SPLIT_POLICY", name}}).policy, kind);
    EXPECT_EQ(Read({{"tsd.region.split.policy", std::string(SplitPolicyName(kind))}}).policy, kind);
  }
  EXPECT_EQ(Read({{"tsd.region.split.policy", "Load"}}).policy, kLoad);
}

TEST(SplitSettingsTest, AttributeOfTheTableStandsBeforeOursAndOursBeforeTheSites) {
  SettingMap map = {{"hbase.hregion.max.filesize", "1"}};
  EXPECT_EQ(Read(map).max_bytes, 1U);
  map["tsd.region.split.max_bytes"] = "2";
  EXPECT_EQ(Read(map).max_bytes, 2U);
  map["MAX_FILESIZE"] = "3";
  EXPECT_EQ(Read(map).max_bytes, 3U);
}

TEST(SplitSettingsTest, ReadsHBasesSizesAndLimits) {
  const SplitSettings settings = Read({{"hbase.hregion.max.filesize.jitter", "0.1"},
                                       {"hbase.increasing.policy.initial.size", "67108864"},
                                       {"hbase.hregion.memstore.flush.size", "5242880"},
                                       {"hbase.hregion.split.overallfiles", "false"},
                                       {"hbase.regionserver.regionSplitLimit", "77"},
                                       {"hbase.hstore.blockingStoreFiles", "9"},
                                       {"hbase.hregion.split.ignore.blocking.enabled", "true"},
                                       {"SPLIT_ENABLED", "false"}});

  EXPECT_EQ(settings.jitter, 0.1);
  EXPECT_EQ(settings.initial_bytes, 64 * kMiB);
  EXPECT_EQ(settings.flush_bytes, 5 * kMiB);
  EXPECT_EQ(settings.measure, SizeMeasure::kLargestStore);
  EXPECT_EQ(settings.region_limit, 77U);
  EXPECT_EQ(settings.blocking_files, 9U);
  EXPECT_TRUE(settings.split_before_rewrite);
  EXPECT_FALSE(settings.is_enabled);
}

TEST(SplitSettingsTest, ReadsPrefixAttributesOldAndNew) {
  EXPECT_EQ(Read({{"prefix_split_key_policy.prefix_length", "4"}}).policy_prefix_length, 4U);
  EXPECT_EQ(Read({{"prefix_split_key_policy.prefix_length", "4"},
                  {"KeyPrefixRegionSplitPolicy.prefix_length", "5"}})
                .policy_prefix_length,
            5U);
  EXPECT_EQ(Read({{"DelimitedKeyPrefixRegionSplitPolicy.delimiter", "_x"}}).policy_delimiter, "_x");
}

TEST(SplitSettingsTest, ReadsRestrictionsBusyLoadAndAppend) {
  const SplitSettings settings =
      Read({{"hbase.regionserver.region.split_restriction.type", "KeyPrefix"},
            {"hbase.regionserver.region.split_restriction.prefix_length", "3"},
            {"hbase.busy.policy.blockedRequests", "0.3"},
            {"hbase.busy.policy.minAge", "10"},
            {"hbase.busy.policy.aggWindow", "20"},
            {"tsd.region.split.load.requests_per_s_min", "100"},
            {"tsd.region.split.append.share_min", "0.75"}});

  EXPECT_EQ(settings.restriction,
            (SplitRestriction{.kind = RestrictionKind::kKeyPrefix, .prefix_length = 3}));
  EXPECT_EQ(settings.busy.blocked_share_min, 0.3);
  EXPECT_EQ(settings.busy.age_ms_min, 10U);
  EXPECT_EQ(settings.busy.window_ms, 20U);
  EXPECT_EQ(settings.load.requests_per_s_min, 100);
  EXPECT_EQ(settings.append.share_min, 0.75);
}

TEST(SplitSettingsTest, FirstThresholdIsTwiceTheFlushSizeButOnceInTheOldRule) {
  SplitSettings settings;
  EXPECT_EQ(InitialBytes(settings), 256 * kMiB);
  settings.exponent = 2;
  EXPECT_EQ(InitialBytes(settings), 128 * kMiB);
  settings.policy = SplitPolicyKind::kStepping;
  EXPECT_EQ(InitialBytes(settings), 256 * kMiB);
  settings.initial_bytes = 7;
  EXPECT_EQ(InitialBytes(settings), 7U);
}

TEST(SplitSettingsTest, RestrictionOfTheTableStandsBeforeThePolicys) {
  SplitSettings settings;
  settings.policy_prefix_length = 2;
  EXPECT_FALSE(RestrictionOf(settings).is_active());
  settings.policy = SplitPolicyKind::kKeyPrefix;
  EXPECT_EQ(RestrictionOf(settings).prefix_length, 2U);
  settings.restriction = {.kind = RestrictionKind::kDelimitedKeyPrefix, .delimiter = "_"};

  EXPECT_EQ(RestrictionOf(settings), settings.restriction);
}

TEST(SplitSettingsTest, HBaseHasItsOwnDefaults) {
  const SplitSettings settings = HBaseSplitSettings();

  EXPECT_EQ(settings.policy, SplitPolicyKind::kStepping);
  EXPECT_EQ(settings.max_bytes, 10'240 * kMiB);
  EXPECT_FALSE(settings.allow_nested_references);
}

}  // namespace
}  // namespace hourcell::split_settings_test
