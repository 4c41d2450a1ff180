// A store that computes rollups by rules is killed at every step: from the next open on, each query
// gets from the levels what the points give.

#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "codec/base/clock.h"
#include "engine/query.h"
#include "engine/tsdb.h"
#include "tests/http/crash/kill_points.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rollup_crash_test {
namespace {

constexpr int64_t kStart = 1356998400;
constexpr int64_t kHour = 3600;

// A store, and a clock that starts with it.
class RuledStore {
 public:
  explicit RuledStore(const std::string& path) : options_(TinyOptions(path)) {
    options_.clock = &clock_;
    options_.seal_in_background = false;
    options_.rollup_rules = *MetricRules::Parse("m{host=a|b} 10m, 6h (sum count)");
  }

  absl::Status Open() {
    absl::StatusOr<std::unique_ptr<Tsdb>> opened = Tsdb::Open(options_);
    if (opened.ok()) tsdb_ = *std::move(opened);
    return opened.status();
  }
  absl::Status Close() { return tsdb_->Close(); }

  absl::Status Put(const std::string& host, int64_t second, int64_t value) {
    OwnedPoint point("m", "host=" + host, kStart + second, value);
    return tsdb_->points().Put(point.view());
  }
  absl::Status PutHours(const std::string& host, int64_t first, int64_t hours) {
    absl::Status done;
    for (int64_t second = first * kHour; second < (first + hours) * kHour; second += 900)
      done.Update(Put(host, second, second % 1000));
    return done;
  }
  absl::Status PassUntil(int64_t second) {
    clock_.Set((kStart + second) * 1000);
    absl::Status done = tsdb_->maintenance().SealDue();
    done.Update(tsdb_->maintenance().ComputeRollups());
    return done;
  }
  absl::Status Delete(const std::string& host, int64_t from, int64_t until) {
    QuerySpec spec =
        MakeQuery(Aggregator::kNone, "m", {{"host", FilterType::kLiteralOr, host, false}},
                  kStart + from, kStart + until);
    return tsdb_->points().DeletePoints(spec).status();
  }

  // All that a keeper does.
  absl::Status Work() {
    absl::Status done = PutHours("a", 0, 10);
    done.Update(PutHours("b", 2, 8));
    done.Update(PutHours("c", 0, 10));
    done.Update(PassUntil(9 * kHour));
    done.Update(Put("a", 3 * kHour + 1, 500));
    done.Update(Put("b", 4 * kHour, -7));
    done.Update(PassUntil(14 * kHour));
    done.Update(Delete("a", kHour + 100, 5 * kHour + 100));
    done.Update(PassUntil(15 * kHour));
    done.Update(tsdb_->names().RenameUid(UidKind::kTagv, "c", "d"));
    done.Update(PassUntil(16 * kHour));
    return done;
  }

  void ExpectExact(std::string_view when) {
    for (const std::string_view downsample : {"10m-count", "1h-avg", "6h-sum", "1d-max"}) {
      QuerySpec spec = MakeQuery(Aggregator::kNone, "m", {}, kStart, kStart + 30 * kHour);
      spec.queries[0].downsample = *ParseDownsampleSpec(downsample);
      const absl::StatusOr<QueryResult> by_levels = tsdb_->queries().Query(spec);
      spec.may_use_rollups = false;
      const absl::StatusOr<QueryResult> by_points = tsdb_->queries().Query(spec);
      if (absl::IsNotFound(by_points.status())) continue;  // killed before a name was created
      ASSERT_OK(by_levels);
      ASSERT_OK(by_points);
      ASSERT_EQ(by_levels->series.size(), by_points->series.size()) << when << downsample;
      for (size_t i = 0; i < by_points->series.size(); ++i)
        EXPECT_EQ(by_levels->series[i].points, by_points->series[i].points) << when << downsample;
    }
  }

 private:
  ManualClock clock_{kStart * 1000};
  Options options_;
  std::unique_ptr<Tsdb> tsdb_;
};

class KilledRollupTest : public KillPointTest {
 protected:
  static constexpr const char* kStoreVariable = "HOURCELL_TEST_ROLLUP_STORE";

  static void OpenAndWork(const std::string& path) {
    setenv("HOURCELL_KILL_AT", GetParam().c_str(), 1);
    RuledStore store(path);
    if (!store.Open().ok()) std::exit(2);
    std::exit(store.Work().ok() ? 0 : 3);
  }
};

TEST_P(KilledRollupTest, LevelsAreExactFromTheNextOpenOn) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  TempDir directory;
  if (std::getenv(kStoreVariable) == nullptr) {
    setenv(kStoreVariable, directory.file("store").c_str(), 1);
  }
  EXPECT_EXIT(OpenAndWork(std::getenv(kStoreVariable)), testing::KilledBySignal(SIGKILL), "");
  unsetenv(kStoreVariable);

  RuledStore store(directory.file("store"));
  ASSERT_OK(store.Open());
  store.ExpectExact("after the kill: ");
  ASSERT_OK(store.PassUntil(17 * kHour));
  store.ExpectExact("computed: ");
  ASSERT_OK(store.Put("a", 2 * kHour, 9));
  store.ExpectExact("with a late point: ");
  ASSERT_OK(store.PassUntil(20 * kHour));
  store.ExpectExact("at last: ");
  ASSERT_OK(store.Close());
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledRollupTest,
                         testing::Values("rollups:before_sync",
                                         "rollups:before_levels",
                                         "rollups:before_levels#2",
                                         "rollups:levels",
                                         "rollups:levels#2",
                                         "rollups:before_until",
                                         "rollups:until",
                                         "rollups:until#3",
                                         "rollups:before_marks",
                                         "rollups:marks",
                                         "rollups:marks#2",
                                         "rollups:before_unmark",
                                         "rollups:levels_deleted",
                                         "rollups:points_deleted",
                                         "rollups:forgotten",
                                         "seal:cells_written#2",
                                         "change:done"),
                         KillPointName);

}  // namespace
}  // namespace hourcell::rollup_crash_test
