// A store that drops series while it is in use is killed at every step: a series is there or gone,
// and the next start drops the rest.

#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "codec/base/clock.h"
#include "engine/fsck.h"
#include "engine/query.h"
#include "engine/tsdb.h"
#include "tests/engine/backup/backup_testing.h"
#include "tests/http/crash/kill_points.h"
#include "tests/support/temp_dir.h"

namespace hourcell::drop_crash_test {
namespace {

// Of 138 series the last eleven lack index rows yet; of the others the first ten have a point that
// has not expired.
class ExpiringStore {
 public:
  explicit ExpiringStore(const std::string& path) : options_(TinyOptions(path)) {
    options_.clock = &clock_;
    options_.seal_in_background = false;
    options_.ttl_s = 86400;
  }

  absl::Status Open() {
    absl::StatusOr<std::unique_ptr<Tsdb>> opened = Tsdb::Open(options_);
    if (opened.ok()) tsdb_ = *std::move(opened);
    return opened.status();
  }

  absl::Status Fill() {
    clock_.Set(kBackupHour * 1000);
    PutPoints(tsdb_.get(), 0, 10);
    PutManySeries(tsdb_.get());
    clock_.Set(kLaterS * 1000);
    absl::Status done;
    for (int i = 0; i < 10; ++i)
      done.Update(Put("m", fmt::format("host=h{}", i)));
    done.Update(tsdb_->maintenance().Flush());
    done.Update(tsdb_->maintenance().Compact());
    return done;
  }

  // The one that is put is dropped, and made anew.
  absl::Status DropAndPut() {
    absl::Status done = tsdb_->retention().DropExpired().status();
    done.Update(Put("many", "id=i70"));
    done.Update(tsdb_->maintenance().Flush());
    done.Update(tsdb_->retention().DropExpired().status());
    return done;
  }

  absl::Status Put(const std::string& metric, const std::string& tags) {
    return tsdb_->points().Put(OwnedPoint(metric, tags, kLaterS, 1).view());
  }

  absl::Status Close() { return tsdb_->Close(); }
  Tsdb* tsdb() { return tsdb_.get(); }
  const Options& options() const { return options_; }

 private:
  static constexpr int64_t kLaterS = kBackupHour + 30 * 86400;
  ManualClock clock_{kLaterS * 1000};
  Options options_;
  std::unique_ptr<Tsdb> tsdb_;
};

// The death test runs this program again, which finds the store by the environment.
class KilledRunningDropTest : public KillPointTest {
 protected:
  static constexpr const char* kStoreVariable = "HOURCELL_TEST_DROP_STORE";

  static void FillAndDrop(const std::string& path) {
    setenv("HOURCELL_KILL_AT", GetParam().c_str(), 1);
    ExpiringStore store(path);
    if (!store.Open().ok() || !store.Fill().ok()) std::exit(2);
    std::exit(store.DropAndPut().ok() ? 0 : 3);
  }
};

TEST_P(KilledRunningDropTest, ASeriesIsThereOrGone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  TempDir directory;
  if (std::getenv(kStoreVariable) == nullptr) {
    setenv(kStoreVariable, directory.file("store").c_str(), 1);
  }
  EXPECT_EXIT(FillAndDrop(std::getenv(kStoreVariable)), testing::KilledBySignal(SIGKILL), "");
  unsetenv(kStoreVariable);

  ExpiringStore store(directory.file("store"));
  const auto killed = RunFsck(store.options(), {});
  ASSERT_OK(killed);
  EXPECT_THAT(killed->counts, testing::IsEmpty());
  ASSERT_OK(store.Open());
  ASSERT_OK(store.DropAndPut());
  const auto dump = Dump(store.tsdb());
  EXPECT_THAT(dump, testing::HasSubstr("id=i70"));
  EXPECT_THAT(dump, testing::Not(testing::HasSubstr("id=i71")));
  ASSERT_OK(store.Close());
  const auto rest = RunFsck(store.options(), {});
  ASSERT_OK(rest);
  EXPECT_THAT(rest->counts, testing::IsEmpty());
  EXPECT_EQ(rest->series, 10u + 11u + 1u) << "with points; without index rows; put again";
}

// A delete empties series; it is killed as they leave their active sets, and as they are dropped.
class KilledEmptyingTest : public KillPointTest {
 protected:
  static constexpr const char* kStoreVariable = "HOURCELL_TEST_DELETE_STORE";

  static Options OptionsOf(const std::string& path) {
    static ManualClock clock(kBackupHour * 1000);
    Options options = TinyOptions(path);
    options.clock = &clock;
    options.seal_in_background = false;
    return options;
  }
  static absl::Status DeleteAndDrop(Tsdb* tsdb) {
    const auto deleted = tsdb->points().DeletePoints(
        MakeQuery(Aggregator::kSum, "many", {{"id", FilterType::kWildcard, "i7*", false}},
                  kBackupHour, kBackupHour + 3600));
    absl::Status done = deleted.status();
    done.Update(tsdb->retention().DropExpired().status());
    return done;
  }
  static void FillAndDelete(const std::string& path) {
    setenv("HOURCELL_KILL_AT", GetParam().c_str(), 1);
    auto opened = Tsdb::Open(OptionsOf(path));
    if (!opened.ok()) std::exit(2);
    PutManySeries(opened->get());
    if (!(*opened)->maintenance().Flush().ok()) std::exit(2);
    std::exit(DeleteAndDrop(opened->get()).ok() ? 0 : 3);
  }
};

TEST_P(KilledEmptyingTest, NoRowIsWithoutItsSetAndTheRestIsDropped) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  TempDir directory;
  if (std::getenv(kStoreVariable) == nullptr) {
    setenv(kStoreVariable, directory.file("store").c_str(), 1);
  }
  EXPECT_EXIT(FillAndDelete(std::getenv(kStoreVariable)), testing::KilledBySignal(SIGKILL), "");
  unsetenv(kStoreVariable);

  const Options options = OptionsOf(directory.file("store"));
  const auto killed = RunFsck(options, {});
  ASSERT_OK(killed);
  EXPECT_THAT(killed->counts, testing::IsEmpty());
  auto opened = Tsdb::Open(options);
  ASSERT_OK(opened);
  ASSERT_OK(DeleteAndDrop(opened->get()));
  // Killed when the rows were gone for good and the sets not written: no other delete finds rows of
  // these series, so that they stay in their sets until fsck drops them.
  const bool sets_stay =
      GetParam() == "checkpoint:flushed#2" || GetParam() == "active:before_removed";
  const uint64_t emptied = 11;  // i7, i70 to i79
  const auto found = (*opened)->queries().LookupSeries({.metric = "many"},
                                                       [](const FoundSeries&) { return true; });
  ASSERT_OK(found);
  EXPECT_EQ(*found, sets_stay ? 128u : 128u - emptied);
  ASSERT_OK((*opened)->Close());
  const auto rest = RunFsck(options, {.drop_empty_series = true});
  ASSERT_OK(rest);
  EXPECT_THAT(rest->counts, testing::IsEmpty());
  EXPECT_EQ(rest->dropped, sets_stay ? emptied : 0u);
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledEmptyingTest,
                         testing::Values("delete:rows_written",
                                         "checkpoint:flushed#2",
                                         "active:before_removed",
                                         "active:removed",
                                         "drop:announced",
                                         "series:dropped"),
                         KillPointName);

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledRunningDropTest,
                         testing::Values("drop:announced", "series:before_drop", "series:dropped"),
                         KillPointName);

}  // namespace
}  // namespace hourcell::drop_crash_test
