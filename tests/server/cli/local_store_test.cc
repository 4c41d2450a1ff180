#include "server/cli/local_store.h"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/check.h"
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

// Root may write everything, so a test with root's rights gives them up.
class Nobody {
 public:
  Nobody() : was_root_(geteuid() == 0) { HOURCELL_CHECK(!was_root_ || seteuid(65534) == 0); }
  ~Nobody() { HOURCELL_CHECK(!was_root_ || seteuid(0) == 0); }
  Nobody(const Nobody&) = delete;
  Nobody& operator=(const Nobody&) = delete;

 private:
  const bool was_root_;
};

void SetPermissions(const std::string& directory, bool may_write) {
  namespace fs = std::filesystem;
  const fs::perms write = may_write ? fs::perms::owner_write : fs::perms::none;
  const fs::perms read = fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read;
  const fs::perms search = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  fs::permissions(directory, read | search | write);
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    fs::permissions(entry, entry.is_directory() ? read | search | write : read | write);
}

TEST(StoreTest, AToolThatReadsOpensADirectoryThatCannotBeWritten) {
  TempDir dir;
  const StoreOptions options = {.data = dir.file("store")};
  {
    const auto store = OpenStore(options, StoreUse::kCreate);
    ASSERT_OK(store);
    const TagView tag{"a", "b"};
    ASSERT_OK((*store)->points().Put({.metric = "m",
                                      .tags = {&tag, 1},
                                      .timestamp = {.ms = 1'356'998'400'000},
                                      .value = Value::Integer(1)}));
  }
  SetPermissions(dir.path(), /*may_write=*/false);
  uint64_t points = 0;
  absl::Status closed;
  absl::Status written;
  {
    const Nobody nobody;
    if (access(options.data.c_str(), R_OK) != 0 && errno == EACCES) {
      GTEST_SKIP() << "the directory of temporary files is not for all users";
    }
    const auto store = OpenStore(options, StoreUse::kRead);
    EXPECT_OK(store);
    if (store.ok()) {
      EXPECT_OK((*store)->queries().Scan({}, [&](const ScannedRow& row) {
        points += row.times.size();
        return true;
      }));
      closed = (*store)->Close();
    }
    written = OpenStore(options, StoreUse::kExisting).status();
  }
  SetPermissions(dir.path(), /*may_write=*/true);

  EXPECT_EQ(points, 1U);
  EXPECT_OK(closed);
  EXPECT_THAT(written, StatusIs(absl::StatusCode::kFailedPrecondition));
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
