// Long holds of the journal or memory: a backup that is slow to copy, a query that is slow to read.
// Puts continue, or are refused with an error, and no refusal is permanent. A journal that cannot
// be deleted does not cause one flush after another.

#include <atomic>
#include <cstdint>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "engine/backup_admin.h"
#include "engine/query.h"
#include "engine/region_admin.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::held_journal_test {
namespace {

using testing::HasSubstr;

constexpr int64_t kHour = 1356998400;
constexpr int kSeries = 200;
constexpr int kTicks = 20;

// A backup whose copying stops at its first file, of the journal, until Release.
class StoppedBackup {
 public:
  StoppedBackup(Tsdb* tsdb, const std::string& directory)
      : thread_([this, tsdb, directory] {
          made_ = tsdb->maintenance()
                      .backups()
                      ->Make(directory,
                             [this](uint64_t, uint64_t) {
                               if (!std::exchange(has_begun_, true)) {
                                 begun_.release();
                                 may_go_on_.acquire();
                               }
                               return true;
                             })
                      .status();
        }) {
    begun_.acquire();
  }
  ~StoppedBackup() {
    if (thread_.joinable()) (void)Release();
  }

  absl::Status Release() {
    may_go_on_.release();
    thread_.join();
    return made_;
  }

 private:
  std::binary_semaphore begun_{0};
  std::binary_semaphore may_go_on_{0};
  bool has_begun_ = false;
  absl::Status made_;
  std::thread thread_;
};

// A query that stops before its first series until Release.
class StoppedQuery : public QuerySink {
 public:
  explicit StoppedQuery(Tsdb* tsdb)
      : thread_([this, tsdb] {
          QueryControl control;
          ran_ = tsdb->queries().Query(MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour + 86'400),
                                       this, &control);
        }) {
    begun_.acquire();
  }
  ~StoppedQuery() override {
    if (thread_.joinable()) (void)Release();
  }

  absl::Status Release() {
    may_go_on_.release();
    thread_.join();
    return ran_;
  }

 private:
  absl::Status OnBegin(std::span<const Annotation> /*global*/) override {
    begun_.release();
    may_go_on_.acquire();
    return absl::OkStatus();
  }
  absl::Status OnSeries(const SeriesView& /*series*/) override { return absl::OkStatus(); }

  std::binary_semaphore begun_{0};
  std::binary_semaphore may_go_on_{0};
  absl::Status ran_;
  std::thread thread_;
};

class HeldJournalTest : public testing::Test {
 protected:
  HeldJournalTest() {
    options_.clock = &clock_;
    options_.seal_in_background = false;
    options_.journal_bytes = 2 << 20;
    options_.journal_segment_bytes = 64 << 10;
    options_.open_hours_bytes = 4 << 20;
  }

  // One batch, of a point a series, that waits for no room. True: it was taken.
  bool PutBatch() {
    const int64_t second = kHour + batches_++;
    std::vector<std::string> tags;
    for (int i = 0; i < kSeries; ++i)
      tags.push_back(fmt::format("host=h{:03}", i));
    std::vector<LinePoint> points;
    for (const std::string& tag : tags) {
      points.push_back({.metric = "m",
                        .tags = tag,
                        .timestamp = {.ms = second * 1000},
                        .value = Value::Float(static_cast<double>(second) * 0.37)});
    }
    std::vector<RefusedPoint> refused;
    const absl::Status done = tsdb_->points().Append(points, &refused, {.wait_ms = 0}).Wait();
    EXPECT_TRUE(refused.empty());
    if (done.ok()) {
      taken_ += points.size();
      return true;
    }
    EXPECT_TRUE(absl::IsUnavailable(done) || absl::IsResourceExhausted(done)) << done;
    EXPECT_THAT(std::string(done.message()), testing::Not(testing::IsEmpty()));
    refusal_ = std::string(done.message());
    return false;
  }

  // Runs the background work several times; the clock advances by the time it waits for.
  void Tick() {
    for (int i = 0; i < kTicks; ++i) {
      EXPECT_OK(tsdb_->maintenance().SealDue());
      clock_.Advance(200);
    }
  }

  int64_t Stat(std::string_view name) {
    for (const StatSample& sample : tsdb_->stats().Snapshot())
      if (sample.name == name) return sample.value;
    ADD_FAILURE() << "no stat " << name;
    return -1;
  }

  uint64_t Count() {
    const auto result =
        tsdb_->queries().Query(MakeQuery(Aggregator::kNone, "m", {}, kHour, kHour + batches_ + 1));
    EXPECT_OK(result);
    uint64_t points = 0;
    if (!result.ok()) return 0;
    for (const ResultSeries& series : result->series)
      points += series.points.size();
    return points;
  }

  // Puts until some are refused, or `batches` batches.
  void PutUntilRefused(int batches) {
    for (int i = 0; i < batches; ++i) {
      if (!PutBatch()) return;
      if (i % 8 == 0) {
        EXPECT_OK(tsdb_->maintenance().SealDue());
      }
    }
  }

  TempDir dir_;
  ManualClock clock_{(kHour + 1800) * 1000};
  Options options_ = TinyOptions(dir_.file("store"));
  std::unique_ptr<Tsdb> tsdb_;
  int64_t batches_ = 0;
  uint64_t taken_ = 0;
  std::string refusal_;
};

TEST_F(HeldJournalTest, ABackupThatHoldsItMakesPutsBeRefusedInWordsAndNotForEver) {
  tsdb_ = *Tsdb::Open(options_);
  PutUntilRefused(100);
  EXPECT_EQ(refusal_, "") << "nothing holds it yet";
  {
    StoppedBackup backup(tsdb_.get(), dir_.file("backups"));
    PutUntilRefused(5000);
    EXPECT_THAT(refusal_, HasSubstr("journal"));
    const int64_t checkpoints = Stat("journal.checkpoints");
    Tick();
    EXPECT_FALSE(PutBatch()) << "it is still held";
    EXPECT_LE(Stat("journal.checkpoints"), checkpoints + 1 + kTicks * 200 / 1000)
        << "each of which flushes, and frees nothing";
    EXPECT_EQ(Count(), taken_) << "queries go on";
    EXPECT_OK(backup.Release());
  }
  Tick();
  refusal_.clear();
  PutUntilRefused(500);
  EXPECT_EQ(refusal_, "");
  EXPECT_EQ(Count(), taken_);
}

TEST_F(HeldJournalTest, AQueryThatHoldsHoursMakesPutsBeRefusedInWordsAndNotForEver) {
  tsdb_ = *Tsdb::Open(options_);
  PutUntilRefused(20);
  {
    StoppedQuery query(tsdb_.get());
    PutUntilRefused(5000);
    EXPECT_THAT(refusal_, HasSubstr("open hours"));
    Tick();
    EXPECT_OK(query.Release());
  }
  Tick();
  refusal_.clear();
  PutUntilRefused(500);
  EXPECT_EQ(refusal_, "");
  EXPECT_EQ(Count(), taken_);
}

// Flushes of 16 regions for the same journal are as many as regions for each checkpoint, and
// checkpoints are as many as there are segments to let go.
TEST_F(HeldJournalTest, ManyRegionsAreNotFlushedMoreOftenThanTheJournalFills) {
  options_.presplit = "salt";
  options_.layout.salt_width = 1;
  options_.layout.salt_buckets = 16;
  tsdb_ = *Tsdb::Open(options_);
  const int64_t regions = static_cast<int64_t>(
      tsdb_->maintenance().regions()->List("data", ListDetail::kPlain)->size());
  fmt::print("{} regions\n", regions);
  PutUntilRefused(4000);
  EXPECT_EQ(refusal_, "");
  const int64_t checkpoints = Stat("journal.checkpoints");
  const auto written = taken_ * 10;  // bytes of a point in the journal, at least
  fmt::print("{} checkpoints of {} points, {} bytes\n", checkpoints, taken_, written);
  EXPECT_GT(checkpoints, 0);
  // Half of the journal goes with each.
  EXPECT_LE(checkpoints, 2 + static_cast<int64_t>(4 * written / options_.journal_bytes));
  const int64_t quiet = Stat("journal.checkpoints");
  Tick();
  EXPECT_LE(Stat("journal.checkpoints"), quiet + 1) << "nothing is put meanwhile";
  EXPECT_EQ(Count(), taken_);
}

}  // namespace
}  // namespace hourcell::held_journal_test
