// A store whose changes can be undone is killed at every step of a rename and of its undo: the UID
// has one name or the other, and a record of the rename if it has the new one.

#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>

#include <gmock/gmock.h>

#include "engine/fsck.h"
#include "engine/tsdb.h"
#include "tests/http/crash/kill_points.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rename_crash_test {
namespace {

constexpr int64_t kDay = 1'356'998'400;

class KilledRenameUndoTest : public KillPointTest {
 protected:
  static constexpr const char* kStoreVariable = "HOURCELL_TEST_RENAME_STORE";

  static Options OptionsOf(const std::string& store) {
    Options options = TinyOptions(store);
    options.undo_s = 7 * 86'400;
    options.seal_in_background = false;
    return options;
  }

  static void Require(bool is_ok, int code) {
    if (!is_ok) std::exit(code);
  }

  static void RenameAndUndo(const std::string& store) {
    setenv("HOURCELL_KILL_AT", GetParam().c_str(), 1);
    auto tsdb = Tsdb::Open(OptionsOf(store));
    Require(tsdb.ok(), 2);
    Require((*tsdb)->points().Put(OwnedPoint("m", "h=a", kDay, 1).view()).ok(), 3);
    Require((*tsdb)->names().RenameUid(UidKind::kMetric, "m", "n").ok(), 4);
    Require((*tsdb)->names().UndoRename(1).ok(), 5);
    std::exit(0);
  }
};

TEST_P(KilledRenameUndoTest, LeavesOneNameAndItsUndo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  TempDir directory;
  if (std::getenv(kStoreVariable) == nullptr) {
    setenv(kStoreVariable, directory.file("store").c_str(), 1);
  }
  EXPECT_EXIT(RenameAndUndo(std::getenv(kStoreVariable)), testing::KilledBySignal(SIGKILL), "");
  unsetenv(kStoreVariable);

  auto tsdb = Tsdb::Open(OptionsOf(directory.file("store")));
  ASSERT_OK(tsdb);
  const bool is_renamed = (*tsdb)->names().FindUid(UidKind::kMetric, "n").ok();
  EXPECT_NE((*tsdb)->names().FindUid(UidKind::kMetric, "m").ok(), is_renamed);
  EXPECT_EQ((*tsdb)->names().UndoRename(1).ok(), is_renamed);
  EXPECT_OK((*tsdb)->names().FindUid(UidKind::kMetric, "m"));
  ASSERT_OK((*tsdb)->Close());
  const auto report = RunFsck(OptionsOf(directory.file("store")), {});
  ASSERT_OK(report);
  EXPECT_EQ(report->faults(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Steps,
                         KilledRenameUndoTest,
                         testing::Values("rename:recorded", "rename:renamed", "rename:undone"),
                         KillPointName);

}  // namespace
}  // namespace hourcell::rename_crash_test
