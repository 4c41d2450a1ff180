#include "server/cli/serve/serve.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/config/config.h"
#include "server/config/setting.h"
#include "server/config/setting_table.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/support/temp_dir.h"

namespace hourcell::serve_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ServeTest, FlagsAreSettings) {
  EXPECT_THAT(
      SettingsOf({.port = "1",
                  .bind = "::1",
                  .max_connections = "2",
                  .backlog = "3",
                  .auto_metric = true,
                  .read_only = true}),
      ElementsAre("tsd.network.port=1", "tsd.network.bind=::1", "tsd.core.connections.limit=2",
                  "tsd.network.backlog=3", "tsd.core.auto_create_metrics=true", "tsd.mode=ro"));
  EXPECT_THAT(SettingsOf({}), ElementsAre());
}

TEST(ServeTest, BadSettingIsAUsageError) {
  TempDir dir;
  CapturedTerminal terminal;

  EXPECT_EQ(RunServe({.data = dir.file("s")}, {.port = "x"}, terminal.get()), kExitUsage);

  EXPECT_THAT(terminal.err(),
              HasSubstr("tsd.network.port: expected an integer from 0 to 65535, got \"x\""));
}

TEST(ServeTest, SettingsThatCannotBeServedMakeNoStore) {
  TempDir dir;
  for (const std::string& setting :
       {"tsd.auth.file=" + dir.file("none"), std::string("tsd.tls.required=true"),
        std::string("tsd.influx.separator=!")}) {
    CapturedTerminal terminal;
    EXPECT_EQ(
        RunServe({.data = dir.file("s"), .settings = {setting}}, {.port = "0"}, terminal.get()),
        kExitUsage)
        << setting;
    EXPECT_FALSE(std::filesystem::exists(dir.file("s"))) << setting;
  }
}

TEST(ServeTest, OtherLayoutThanTheStoresIsRefused) {
  TempDir dir;
  CapturedTerminal terminal;
  const StoreOptions salted{.data = dir.file("s"), .settings = {"tsd.storage.salt.width=1"}};
  ASSERT_TRUE(OpenStore(salted, StoreUse::kCreate).ok());

  EXPECT_EQ(RunServe({.data = dir.file("s")}, {.port = "0"}, terminal.get()), kExitFailure);

  EXPECT_THAT(terminal.err(), HasSubstr("tsd.storage.salt.width"));
}

TEST(ServeTest, HelpSaysWhatEachModeSurvivesAndListsEverySetting) {
  for (const std::string mode : {"never", "interval", "always"}) {
    EXPECT_THAT(DurabilityHelp(), HasSubstr("  " + mode + " "));
  }
  EXPECT_THAT(DurabilityHelp(), HasSubstr("a 2xx answer to a put acknowledges its points"));
  EXPECT_THAT(DurabilityHelp(), HasSubstr("send version and wait"));
  EXPECT_THAT(DurabilityHelp(), HasSubstr("503 and Retry-After"));
  for (const Setting& setting : SettingTable()) {
    EXPECT_THAT(SettingsHelp(), HasSubstr(std::string(setting.key) + "="));
  }
}

TEST(ServeTest, SettingsAreListedInsteadOfServing) {
  CapturedTerminal terminal;

  EXPECT_EQ(ServeMain({"--help-settings", "--port", "0"}, terminal.get()), kExitOk);

  EXPECT_EQ(terminal.out(), SettingsHelp());
}

}  // namespace
}  // namespace hourcell::serve_test
