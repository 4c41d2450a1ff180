#include "server/cli/setting_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::setting_flags_test {
namespace {

using testing::ElementsAre;

TEST(SettingFlagsTest, BothSpellingsBecomeSet) {
  EXPECT_THAT(RewriteSettingFlags({"--tsd.mode=ro", "--tsd.network.port", "4243", "--data", "d"}),
              ElementsAre("--set", "tsd.mode=ro", "--set", "tsd.network.port=4243", "--data", "d"));
}

TEST(SettingFlagsTest, NothingAfterADoubleDashIsTouched) {
  EXPECT_THAT(RewriteSettingFlags({"--", "--tsd.mode=ro"}), ElementsAre("--", "--tsd.mode=ro"));
}

TEST(SettingFlagsTest, FlagWithoutValueIsLeftToTheParser) {
  EXPECT_THAT(RewriteSettingFlags({"--tsd.mode"}), ElementsAre("--tsd.mode"));
}

}  // namespace
}  // namespace hourcell::setting_flags_test
