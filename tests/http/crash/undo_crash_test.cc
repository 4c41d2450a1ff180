// A store whose deletes can be undone is killed at every step of a delete, of a write of rows with
// hidden points, of an undo and of a removal: no point is lost, and no deleted one is shown.

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include <gmock/gmock.h>

#include "codec/base/status_macros.h"
#include "engine/fsck.h"
#include "engine/tsdb.h"
#include "tests/http/crash/kill_points.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::undo_crash_test {
namespace {

constexpr int64_t kDay = 1'356'998'400;

QuerySpec FromTo(int64_t from_s, int64_t until_s) {
  return MakeQuery(Aggregator::kNone, "m", {}, kDay + from_s, kDay + until_s);
}

// Second after kDay -> value.
absl::StatusOr<std::map<int64_t, double>> StoredIn(Tsdb* tsdb) {
  HOURCELL_ASSIGN_OR_RETURN(const QueryResult result, tsdb->queries().Query(FromTo(0, 864'000)));
  std::map<int64_t, double> points;
  for (const ResultSeries& series : result.series) {
    for (const ResultPoint& point : series.points)
      points[point.ms / 1000 - kDay] = point.value.ToDouble();
  }
  return points;
}

class KilledUndoTest : public KillPointTest {
 protected:
  static constexpr const char* kStoreVariable = "HOURCELL_TEST_UNDO_STORE";

  static Options OptionsOf(const std::string& store) {
    Options options = TinyOptions(store);
    options.undo_s = 7 * 86'400;
    options.day_row_points = 20;
    options.seal_in_background = false;
    return options;
  }

  static void Require(bool is_ok, int code) {
    if (!is_ok) std::exit(code);
  }

  // Delete 1 hides the first ten points, and some come again; delete 2 hides the next ten. One of
  // the four points of delete 3 comes again before the others are removed.
  static void DeleteAndUndo(const std::string& store) {
    setenv("HOURCELL_KILL_AT", GetParam().c_str(), 1);
    auto tsdb = Tsdb::Open(OptionsOf(store));
    Require(tsdb.ok(), 2);
    const auto put = [&](int64_t second, int64_t value) {
      Require((*tsdb)->points().Put(OwnedPoint("m", "h=a", kDay + second, value).view()).ok(), 3);
    };
    for (int64_t i = 0; i < 30; ++i)
      put(i * 100, i);
    Require((*tsdb)->points().DeletePoints(FromTo(0, 999)).ok(), 4);
    put(100, -1);
    put(150, -2);
    Require((*tsdb)->maintenance().Flush().ok(), 5);
    Require((*tsdb)->points().DeletePoints(FromTo(1000, 1999)).ok(), 6);
    Require((*tsdb)->points().Undo(1).ok(), 7);
    Require((*tsdb)->points().Forget(2).ok(), 8);
    Require((*tsdb)->points().DeletePoints(FromTo(2000, 2399)).ok(), 9);
    put(2100, -3);
    Require((*tsdb)->maintenance().Flush().ok(), 10);
    Require((*tsdb)->points().Forget(3).ok(), 11);
    std::exit(0);
  }
};

TEST_P(KilledUndoTest, LosesNothingAndShowsNothingTwice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  TempDir directory;
  if (std::getenv(kStoreVariable) == nullptr) {
    setenv(kStoreVariable, directory.file("store").c_str(), 1);
  }
  EXPECT_EXIT(DeleteAndUndo(std::getenv(kStoreVariable)), testing::KilledBySignal(SIGKILL), "");
  unsetenv(kStoreVariable);

  auto tsdb = Tsdb::Open(OptionsOf(directory.file("store")));
  ASSERT_OK(tsdb);
  const auto points = StoredIn(tsdb->get());
  ASSERT_OK(points);
  const auto list = (*tsdb)->points().Deletions();
  ASSERT_OK(list);
  // A delete hides all of its points or none, and no list names one that is undone.
  const auto hides = [&](uint64_t id) {
    return std::ranges::any_of(*list, [id](const Deletion& one) { return one.id == id; });
  };
  EXPECT_EQ(points->contains(0), !hides(1));
  EXPECT_EQ(points->contains(900), !hides(1));
  if (hides(1) && hides(2)) {
    EXPECT_EQ(points->at(100), -1);
    EXPECT_EQ(points->at(150), -2);
  }
  if (hides(2)) {
    EXPECT_FALSE(points->contains(1000));
  }
  if (hides(3)) {
    EXPECT_FALSE(points->contains(2000));
  }
  for (int64_t second = 2400; second < 3000; second += 100)
    EXPECT_TRUE(points->contains(second)) << second;

  // The deletes that are left can be ended: undone, or removed.
  for (const Deletion& one : *list) {
    ASSERT_OK(one.can_be_undone ? (*tsdb)->points().Undo(one.id)
                                : (*tsdb)->points().Forget(one.id));
  }
  const auto after = StoredIn(tsdb->get());
  ASSERT_OK(after);
  EXPECT_TRUE(after->contains(0));
  EXPECT_TRUE(after->contains(900));
  ASSERT_OK((*tsdb)->Close());
  const auto report = RunFsck(OptionsOf(directory.file("store")), {});
  ASSERT_OK(report);
  EXPECT_EQ(report->faults(), 0u);
  EXPECT_EQ(report->points, after->size());
}

INSTANTIATE_TEST_SUITE_P(Steps,
                         KilledUndoTest,
                         testing::Values("change:checkpoint",
                                         "hide:before_records",
                                         "hide:records",
                                         "hide:records#2",
                                         "hidden:before_taken_out",
                                         "hidden:taken_out",
                                         "undo:before",
                                         "undo:begun",
                                         "undo:rows_restored",
                                         "undo:restored",
                                         "remove:begun",
                                         "remove:rows",
                                         "remove:removed",
                                         "remove:taken_out"),
                         KillPointName);

}  // namespace
}  // namespace hourcell::undo_crash_test
