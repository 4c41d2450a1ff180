#include "server/config/ignored_settings.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::ignored_settings_test {
namespace {

TEST(IgnoredSettingsTest, KeysAreSortedAndEachIsThereOnce) {
  EXPECT_TRUE(std::ranges::is_sorted(IgnoredSettingKeys(), std::ranges::less_equal()));
  for (const std::string_view key : IgnoredSettingKeys())
    EXPECT_TRUE(IsIgnoredSetting(key)) << key;
}

TEST(IgnoredSettingsTest, AllOfHBaseIsIgnored) {
  EXPECT_TRUE(IsIgnoredSetting("tsd.storage.hbase.zk_quorum"));
  EXPECT_TRUE(IsIgnoredSetting("hbase.rpcs.batch.size"));
  EXPECT_FALSE(IsIgnoredSetting("hbase"));
  EXPECT_FALSE(IsIgnoredSetting("tsd.storage.hbase"));
}

TEST(IgnoredSettingsTest, NothingElseIs) {
  EXPECT_FALSE(IsIgnoredSetting(""));
  EXPECT_FALSE(IsIgnoredSetting("tsd.http.cachedir2"));
  EXPECT_FALSE(IsIgnoredSetting("tsd.http.cachedi"));
  EXPECT_FALSE(IsIgnoredSetting("tsd.mode"));
}

}  // namespace
}  // namespace hourcell::ignored_settings_test
