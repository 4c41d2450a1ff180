#include "server/cli/local_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::local_store_test {
namespace {

using testing::HasSubstr;

TEST(StoreTest, FlagsOverrideTheFileAndDataOverridesBoth) {
  TempDir dir;
  WriteFile(dir.file("conf"), "tsd.network.port = 1\ntsd.mode = ro\ntsd.storage.directory = a\n");

  const auto config = LoadConfig(
      {.data = "c",
       .config_file = dir.file("conf"),
       .settings = {"tsd.network.port=2", "tsd.network.port=3", "tsd.storage.directory=b"}});

  ASSERT_OK(config.status());
  EXPECT_EQ(config->integer("tsd.network.port"), 3);
  EXPECT_EQ(config->text("tsd.mode"), "ro");
  EXPECT_EQ(config->text("tsd.storage.directory"), "c");
}

TEST(StoreTest, SettingWithoutEqualsIsRefused) {
  EXPECT_THAT(LoadConfig({.settings = {"tsd.mode"}}).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expected key=value")));
}

TEST(StoreTest, IgnoredSettingsAreNamed) {
  CapturedTerminal terminal;
  const auto config = LoadConfig({.settings = {"tsd.core.enable_ui=true"}});
  ASSERT_OK(config.status());

  WarnOfIgnoredSettings(*config, "serve", terminal.get());

  EXPECT_EQ(terminal.err(), "hourcell serve: warning: tsd.core.enable_ui has no effect\n");
}

TEST(StoreTest, ToolsTakeTheLayoutTheStoreHas) {
  TempDir dir;
  const StoreOptions salted{.data = dir.file("store"), .settings = {"tsd.storage.salt.width=1"}};
  ASSERT_OK(OpenStore(salted, StoreUse::kCreate).status());

  const auto again = OpenStore({.data = dir.file("store")}, StoreUse::kExisting);

  ASSERT_OK(again.status());
  EXPECT_EQ((*again)->layout().salt_width, 1u);
}

TEST(StoreTest, MissingStoreIsNotMadeByAReader) {
  TempDir dir;

  const auto store = OpenStore({.data = dir.file("none")}, StoreUse::kExisting);

  EXPECT_THAT(store.status(), StatusIs(absl::StatusCode::kNotFound));
}

TEST(StoreTest, AStoreThatIsInUseCanBeAskedByItsServer) {
  TempDir dir;
  const StoreOptions options = {.data = dir.file("store")};
  const auto holder = OpenStore(options, StoreUse::kCreate);
  ASSERT_OK(holder);
  CapturedTerminal terminal;

  const auto refused = OpenStore(options, StoreUse::kExisting);

  EXPECT_TRUE(IsInUse(refused.status()));
  EXPECT_EQ(FailStore(terminal.get(), "scan", refused.status()), kExitFailure);
  EXPECT_THAT(terminal.err(), HasSubstr("the store is in use by pid "));
  EXPECT_THAT(terminal.err(), HasSubstr("; ask that server with --url, such as "));
  EXPECT_FALSE(IsInUse(absl::UnavailableError("full")));
}

TEST(LateStoreTest, IsMadeAtItsFirstUse) {
  TempDir dir;
  Config config;
  ASSERT_OK(config.Set("tsd.storage.directory", dir.file("store")));
  LateStore store(config);

  EXPECT_OK(store.OpenIfItExists());
  EXPECT_EQ(store.opened(), nullptr);
  EXPECT_OK(store.Close());
  EXPECT_FALSE(std::filesystem::exists(dir.file("store")));

  EXPECT_OK(store.Open());
  EXPECT_EQ(*store.Open(), store.opened());
  EXPECT_TRUE(HasStore(config));
  EXPECT_TRUE(IsInUse(LateStore(config).OpenIfItExists().status()));
  EXPECT_OK(store.Close());
}

TEST(StoreTest, SettingsThatAreWrongExitAsUsage) {
  CapturedTerminal terminal;

  EXPECT_EQ(FailStore(terminal.get(), "scan", absl::InvalidArgumentError("a")), kExitUsage);
  EXPECT_EQ(FailStore(terminal.get(), "scan", absl::UnavailableError("b")), kExitFailure);
}

}  // namespace
}  // namespace hourcell::local_store_test
