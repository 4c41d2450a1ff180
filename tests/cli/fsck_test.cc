#include "server/cli/fsck.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/captured_terminal.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

using testing::HasSubstr;

class FsckCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto tsdb = OpenStore({.data = dir_.file("store")}, StoreUse::kCreate);
    ASSERT_OK(tsdb);
    OwnedPoint point("m", "host=a", 1356998400, 42);
    ASSERT_OK((*tsdb)->Put(point.view()));
    ASSERT_OK((*tsdb)->Close());
  }
  int Run(FsckCommandOptions options = {}) {
    if (options.store.data.empty()) options.store.data = dir_.file("store");
    return RunFsckCommand(options, terminal_.get());
  }
  // A name without its UID's.
  void Damage() {
    const auto tsdb = OpenStore({.data = dir_.file("store")}, StoreUse::kExisting);
    ASSERT_OK(tsdb);
    ASSERT_OK((*tsdb)->DeleteUid(UidKind::kMetric, "m"));
    ASSERT_OK((*tsdb)->Close());
  }

  TempDir dir_;
  CapturedTerminal terminal_;
};

TEST_F(FsckCommandTest, AGoodStoreIsExit0) {
  EXPECT_EQ(Run(), kExitOk) << terminal_.out() << terminal_.err();
  EXPECT_THAT(terminal_.out(), HasSubstr("checked 1 rows, 1 points, "));
  EXPECT_THAT(terminal_.out(), HasSubstr("no faults found\n"));
  EXPECT_EQ(Run({.json = true}), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("\"faults\":{},\"examples\":[]}\n"));
}

TEST_F(FsckCommandTest, FaultsAreExit1AndSayWhere) {
  Damage();
  EXPECT_EQ(Run(), kExitFailure);
  EXPECT_THAT(terminal_.out(), HasSubstr("name: row 00000150e22700000001000001 (metric 000001, "
                                         "2013-01-01 00:00:00): metrics UID 1: "));
  EXPECT_THAT(terminal_.out(), HasSubstr("\nname: 1 faults\n1 faults found\n"));
  EXPECT_EQ(Run({.json = true}), kExitFailure);
  EXPECT_THAT(terminal_.out(), HasSubstr("\"faults\":{\"name\":1},\"examples\":[{\"fault\":"));
}

TEST_F(FsckCommandTest, WhatCannotBeCheckedIsExit3) {
  EXPECT_EQ(Run({.store = {.data = dir_.file("none")}}), kExitNotChecked);
  EXPECT_THAT(terminal_.err(), HasSubstr("want a store"));
  EXPECT_EQ(Run({.store = {.settings = {"tsd.no.such=1"}}}), kExitUsage);
}

}  // namespace
}  // namespace hourcell
