// A region that lags does not hold up the journal: its open hours are written to the journal's
// end once more, and a process that is killed meanwhile loses nothing.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "codec/base/clock.h"
#include "engine/rocks/regions/region_backlog.h"
#include "engine/tsdb.h"
#include "tests/http/crash/kill_points.h"
#include "tests/support/builders.h"
#include "tests/support/paused_lsm_compactions.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell::seal_crash_test {
namespace {

constexpr int64_t kHour = 1356998400;
constexpr uint64_t kJournalBytes = 128 << 10;

// A store with two regions; the first one refuses rows.
class StalledStore {
 public:
  explicit StalledStore(const std::string& path) {
    options_ = TinyOptions(path);
    options_.clock = &clock_;
    options_.seal_in_background = false;
    options_.presplit = R"(keys:\x00\x00\x02)";
    options_.journal_segment_bytes = 16 << 10;
    options_.journal_bytes = kJournalBytes;
  }

  absl::Status Open() {
    absl::StatusOr<std::unique_ptr<Tsdb>> opened = Tsdb::Open(options_);
    if (!opened.ok()) return opened.status();
    tsdb_ = *std::move(opened);
    return absl::OkStatus();
  }

  absl::Status Put(const std::string& metric, int64_t second, int64_t value) {
    return tsdb_->points().Put(OwnedPoint(metric, "host=h", kHour + second, value).view());
  }

  // Gives the first region more files than it may have.
  absl::Status Stall() {
    absl::Status done = Put("lagging", 0, 0);
    done.Update(Put("other", 0, 0));
    paused_.emplace();
    for (uint64_t i = 0; i <= RegionBacklog::kYoungFilesMax; ++i) {
      done.Update(Put("lagging", 1, static_cast<int64_t>(i)));
      for (const int64_t later_s : {3600, 301}) {
        clock_.Advance(later_s * 1000);
        done.Update(tsdb_->maintenance().SealDue());
      }
    }
    // A region looks at its files every few milliseconds.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return done;
  }

  // Puts points of the region that lags, and then enough of the other one that the journal turns
  // over twice; in the middle one of the first is put again.
  absl::Status TurnTheJournalOver() {
    absl::Status done = Put("lagging", 7200, 6);
    done.Update(Put("lagging", 7201, 7));
    done.Update(Put("lagging", 7200, 8));
    for (int64_t i = 0; i < kPoints && done.ok(); ++i) {
      done.Update(Put("other", 7200 + i, i));
      if (i == kPoints / 2) done.Update(Put("lagging", 7201, 9));
      if (i % 10 == 0) done.Update(tsdb_->maintenance().SealDue());
      bytes_max_ = std::max(bytes_max_, Stat("journal.bytes"));
    }
    return done;
  }

  int64_t Stat(std::string_view name) const {
    for (const StatSample& sample : tsdb_->stats().Snapshot())
      if (sample.name == name) return sample.value;
    return -1;
  }

  std::map<int64_t, double> Points(const std::string& metric) const {
    std::map<int64_t, double> points;
    const auto result = tsdb_->queries().Query(
        MakeQuery(Aggregator::kSum, metric, {}, kHour + 7200, kHour + 86400));
    EXPECT_OK(result);
    if (!result.ok()) return points;
    for (const ResultSeries& series : result->series) {
      for (const ResultPoint& point : series.points)
        points[point.ms / 1000 - kHour - 7200] = point.value.ToDouble();
    }
    return points;
  }

  int64_t bytes_max() const { return bytes_max_; }

  static constexpr int64_t kPoints = 6000;

 private:
  ManualClock clock_{kHour * 1000};
  Options options_;
  std::unique_ptr<Tsdb> tsdb_;
  std::optional<PausedLsmCompactions> paused_;
  int64_t bytes_max_ = 0;
};

TEST(StalledRegionTest, DoesNotHoldUpTheJournal) {
  if (!PausedLsmCompactions::kWorks) GTEST_SKIP() << "not under ThreadSanitizer";
  TempDir directory;
  StalledStore store(directory.file("store"));
  ASSERT_OK(store.Open());
  ASSERT_OK(store.Stall());
  const int64_t checkpoints = store.Stat("journal.checkpoints");
  ASSERT_OK(store.TurnTheJournalOver()) << "no put is refused for the other region";
  EXPECT_LE(store.bytes_max(), static_cast<int64_t>(kJournalBytes));
  EXPECT_GT(store.Stat("journal.copied_hours"), 0);
  EXPECT_LT(store.Stat("journal.copied_hours"), 20) << "once in each turn of the journal";
  // Of 600 looks, most under pressure: each checkpoint lets a segment of 16 KiB go.
  EXPECT_LE(store.Stat("journal.checkpoints") - checkpoints, 20);
  EXPECT_GT(store.Stat("hours.open"), 0) << "those of the region that lags";

  TempDir killed;
  StalledStore copy(CopyStore(directory.file("store"), killed));
  ASSERT_OK(copy.Open());
  EXPECT_EQ(copy.Points("lagging"), (std::map<int64_t, double>{{0, 8}, {1, 9}}));
  EXPECT_EQ(copy.Points("other").size(), static_cast<size_t>(StalledStore::kPoints));
}

// The death test runs this program again, which finds the store by the environment.
class KilledCopyTest : public testing::TestWithParam<std::string> {
 protected:
  static constexpr const char* kStoreVariable = "HOURCELL_TEST_COPY_STORE";

  static void StallAndTurnOver(const std::string& path) {
    setenv("HOURCELL_KILL_AT", GetParam().c_str(), 1);
    StalledStore store(path);
    if (!store.Open().ok() || !store.Stall().ok()) std::exit(2);
    std::exit(store.TurnTheJournalOver().ok() ? 0 : 3);
  }
};

TEST_P(KilledCopyTest, LosesNothing) {
#ifndef HOURCELL_KILL_POINTS
  GTEST_SKIP() << "built without HOURCELL_KILL_POINTS";
#endif
  if (!PausedLsmCompactions::kWorks) GTEST_SKIP() << "not under ThreadSanitizer";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  TempDir directory;
  if (std::getenv(kStoreVariable) == nullptr) {
    setenv(kStoreVariable, directory.file("store").c_str(), 1);
  }
  EXPECT_EXIT(StallAndTurnOver(std::getenv(kStoreVariable)), testing::KilledBySignal(SIGKILL), "");
  unsetenv(kStoreVariable);

  StalledStore store(directory.file("store"));
  ASSERT_OK(store.Open());
  const std::map<int64_t, double> lagging = store.Points("lagging");
  ASSERT_EQ(lagging.size(), 2u);
  EXPECT_EQ(lagging.at(0), 8);
  EXPECT_THAT(lagging.at(1), testing::AnyOf(7, 9));
  // All that were put until then, and no gap.
  const std::map<int64_t, double> other = store.Points("other");
  ASSERT_FALSE(other.empty());
  EXPECT_EQ(other.rbegin()->first, static_cast<int64_t>(other.size()) - 1);
}

INSTANTIATE_TEST_SUITE_P(
    Points,
    KilledCopyTest,
    testing::Values("copy:in_memory", "copy:in_memory#2", "copy:synced", "copy:synced#2"),
    KillPointName);

}  // namespace
}  // namespace hourcell::seal_crash_test
