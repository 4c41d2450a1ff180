// A store whose changes can be undone is killed at every step of a shortened TTL and of its undo:
// one TTL is in force or the other, and no point is lost.

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

namespace hourcell::ttl_crash_test {
namespace {

constexpr int64_t kDay = 1'356'998'400;
constexpr int kPoints = 30;

class KilledTtlUndoTest : public KillPointTest {
 protected:
  static constexpr const char* kStoreVariable = "HOURCELL_TEST_TTL_STORE";

  static Options OptionsOf(const std::string& store) {
    Options options = TinyOptions(store);
    options.undo_s = 7 * 86'400;
    options.seal_in_background = false;
    return options;
  }

  static void Require(bool is_ok, int code) {
    if (!is_ok) std::exit(code);
  }

  // Points of 2013, which a TTL of a day hides.
  static void ShortenAndUndo(const std::string& store) {
    setenv("HOURCELL_KILL_AT", GetParam().c_str(), 1);
    auto tsdb = Tsdb::Open(OptionsOf(store));
    Require(tsdb.ok(), 2);
    for (int i = 0; i < kPoints; ++i)
      Require((*tsdb)->points().Put(OwnedPoint("m", "h=a", kDay + i * 100, i).view()).ok(), 3);
    Require((*tsdb)->maintenance().Flush().ok(), 4);
    Require((*tsdb)->retention().SetMetricTtl("m", 86'400).ok(), 5);
    Require((*tsdb)->retention().UndoTtl(1).ok(), 6);
    std::exit(0);
  }
};

TEST_P(KilledTtlUndoTest, LosesNoPoint) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  TempDir directory;
  if (std::getenv(kStoreVariable) == nullptr) {
    setenv(kStoreVariable, directory.file("store").c_str(), 1);
  }
  EXPECT_EXIT(ShortenAndUndo(std::getenv(kStoreVariable)), testing::KilledBySignal(SIGKILL), "");
  unsetenv(kStoreVariable);

  auto tsdb = Tsdb::Open(OptionsOf(directory.file("store")));
  ASSERT_OK(tsdb);
  const auto visible = [&] {
    const auto result =
        (*tsdb)->queries().Query(MakeQuery(Aggregator::kNone, "m", {}, kDay, kDay + 864'000));
    return result.ok() && !result->series.empty() ? result->series[0].points.size() : 0;
  };
  ASSERT_OK((*tsdb)->retention().DropExpired());
  ASSERT_OK((*tsdb)->maintenance().Compact());
  const auto list = (*tsdb)->retention().ShortenedTtls();
  const auto ttls = (*tsdb)->retention().MetricTtls();
  ASSERT_OK(list);
  ASSERT_OK(ttls);
  EXPECT_EQ(list->size(), ttls->size()) << "the TTL without its record, or the record without it";
  EXPECT_EQ(visible(), list->empty() ? kPoints : 0u);
  if (!list->empty()) {
    ASSERT_OK((*tsdb)->retention().UndoTtl(list->front().id));
    EXPECT_EQ(visible(), kPoints);
  }
  ASSERT_OK((*tsdb)->Close());
  const auto report = RunFsck(OptionsOf(directory.file("store")), {});
  ASSERT_OK(report);
  EXPECT_EQ(report->faults(), 0u);
  EXPECT_EQ(report->points, kPoints);
}

INSTANTIATE_TEST_SUITE_P(
    Steps,
    KilledTtlUndoTest,
    testing::Values("ttl:before", "ttl:written", "ttl:before#2", "ttl:written#2"),
    KillPointName);

}  // namespace
}  // namespace hourcell::ttl_crash_test
