#include "engine/write/group_commit.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <latch>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <rocksdb/env.h>

#include "codec/base/mutex.h"
#include "codec/base/random.h"
#include "engine/hours/journal_payload.h"
#include "engine/hours/open_hours.h"
#include "engine/journal/file_journal.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/fault_fs.h"
#include "tests/support/restless_env.h"
#include "tests/support/sanitizers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell::group_commit_test {
namespace {

using testing::HasSubstr;

constexpr int64_t kHour = 1356998400;

// A file system whose appends and syncs of journal files wait at a gate.
class GateFs : public rocksdb::FileSystemWrapper {
 public:
  GateFs() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "GateFs"; }

  void SetOpen(bool is_open) {
    MutexLock lock(&mutex_);
    is_open_ = is_open;
    changed_.NotifyAll();
  }

  void Pass() {
    MutexLock lock(&mutex_);
    while (!is_open_)
      changed_.Wait(&mutex_);
  }

  rocksdb::IOStatus NewWritableFile(const std::string& path,
                                    const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override {
    const rocksdb::IOStatus status = target()->NewWritableFile(path, options, result, debug);
    if (status.ok()) Guard(path, result);
    return status;
  }

  rocksdb::IOStatus ReopenWritableFile(const std::string& path,
                                       const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* result,
                                       rocksdb::IODebugContext* debug) override {
    const rocksdb::IOStatus status = target()->ReopenWritableFile(path, options, result, debug);
    if (status.ok()) Guard(path, result);
    return status;
  }

 private:
  class File : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    File(std::unique_ptr<rocksdb::FSWritableFile> target, GateFs* fs)
        : FSWritableFileOwnerWrapper(std::move(target)), fs_(fs) {}

    using FSWritableFileOwnerWrapper::Append;
    rocksdb::IOStatus Append(const rocksdb::Slice& data,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
      fs_->Pass();
      return target()->Append(data, options, debug);
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
      fs_->Pass();
      return target()->Sync(options, debug);
    }

   private:
    GateFs* const fs_;
  };

  void Guard(const std::string& path, std::unique_ptr<rocksdb::FSWritableFile>* file) {
    if (path.find("/journal/") == std::string::npos) return;
    *file = std::make_unique<File>(std::move(*file), this);
  }

  Mutex mutex_;
  CondVar changed_;
  bool is_open_ ABSL_GUARDED_BY(mutex_) = true;
};

class GroupCommitTest : public testing::Test {
 protected:
  GroupCommitTest() {
    options_.env = env_.get();
    options_.seal_in_background = false;
  }

  void Open() {
    tsdb_.reset();
    auto opened = Tsdb::Open(options_);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
  }

  CommitTicket Append(int64_t second, int64_t value, const AppendOptions& options = {}) {
    OwnedPoint point("m", "host=h", kHour + second, value);
    return tsdb_->points().Append(std::span<const PointView>(&point.view(), 1), nullptr, options);
  }

  static size_t CountPoints(Tsdb* tsdb) {
    const auto result =
        tsdb->queries().Query(MakeQuery(Aggregator::kNone, "m", {}, kHour, kHour + 3600));
    EXPECT_OK(result);
    size_t points = 0;
    if (!result.ok()) return points;
    for (const ResultSeries& series : result->series)
      points += series.points.size();
    return points;
  }

  static std::set<int64_t> Seconds(Tsdb* tsdb) {
    std::set<int64_t> seconds;
    const auto result =
        tsdb->queries().Query(MakeQuery(Aggregator::kNone, "m", {}, kHour, kHour + 3600));
    EXPECT_OK(result);
    if (!result.ok()) return seconds;
    for (const ResultSeries& series : result->series) {
      for (const ResultPoint& point : series.points)
        seconds.insert(point.ms / 1000 - kHour);
    }
    return seconds;
  }

  size_t CountAfterCrash() {
    Options copy = options_;
    copy.path = CopyStore(options_.path, copies_);
    copy.env = nullptr;
    const auto opened = Tsdb::Open(copy);
    EXPECT_OK(opened);
    return opened.ok() ? CountPoints(opened->get()) : 0;
  }

  TempDir directory_;
  TempDir copies_;
  std::shared_ptr<FaultFs> fs_ = std::make_shared<FaultFs>();
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(fs_);
  Options options_ = TinyOptions(directory_.path() + "/store");
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(GroupCommitTest, ATicketIsDoneOnceItsPointsSurviveACrash) {
  Open();
  const CommitTicket first = Append(0, 1);
  const CommitTicket second = Append(1, 2);
  EXPECT_OK(second.Wait());
  EXPECT_EQ(CountAfterCrash(), 2u);
  EXPECT_OK(first.Wait());
}

TEST_F(GroupCommitTest, AFailedWriteIsToldAndItsPointsAreTriedAgain) {
  Open();
  ASSERT_OK(Append(0, 1).Wait());
  fs_->FailOn({.operations = FaultFs::kAppend | FaultFs::kAllocate,
               .is_lasting = true,
               .with = FaultFs::Failure::kNoSpace});
  for (int i = 1; i < 4; ++i)
    EXPECT_THAT(Append(i, 1).Wait(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(CountPoints(tsdb_.get()), 4u) << "points are there, though not acknowledged";
  EXPECT_EQ(CountAfterCrash(), 1u);
  EXPECT_THAT(tsdb_->maintenance().Health().journal, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_FALSE(tsdb_->maintenance().Health().must_reopen);

  fs_->Heal();
  EXPECT_OK(Append(9, 1).Wait());
  EXPECT_OK(tsdb_->maintenance().Health().journal);
  EXPECT_EQ(CountAfterCrash(), 5u);
  Open();
  EXPECT_EQ(CountPoints(tsdb_.get()), 5u);
}

TEST_F(GroupCommitTest, AFailedFsyncEndsWriting) {
  options_.sync = Durability::kAlways;
  Open();
  ASSERT_OK(Append(0, 1).Wait());
  fs_->FailOn({.operations = FaultFs::kSync});
  EXPECT_FALSE(Append(1, 1).Wait().ok());
  EXPECT_THAT(Append(2, 1).Wait(), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(CountPoints(tsdb_.get()), 3u) << "reads go on";
  EXPECT_TRUE(tsdb_->maintenance().Health().must_reopen);
  EXPECT_THAT(tsdb_->maintenance().Health().journal,
              StatusIs(absl::StatusCode::kFailedPrecondition));
  Open();
  EXPECT_FALSE(tsdb_->maintenance().Health().must_reopen);
  EXPECT_OK(Append(3, 1).Wait());
}

TEST_F(GroupCommitTest, WritesAndSyncsAreInHistograms) {
  options_.sync = Durability::kAlways;
  Open();
  ASSERT_OK(Append(0, 1).Wait());
  ASSERT_OK(Append(1, 1).Wait());
  for (const HistogramSample& sample : tsdb_->stats().Histograms())
    EXPECT_EQ(std::accumulate(sample.buckets.begin(), sample.buckets.end(), 0u), 2u) << sample.name;
  EXPECT_EQ(tsdb_->stats().Histograms().size(), 2u);
}

TEST_F(GroupCommitTest, ASyncIsOnDiskInAnyMode) {
  options_.sync = Durability::kNever;
  Open();
  ASSERT_OK(Append(0, 1).Wait());
  ASSERT_OK(Append(1, 1, {.sync = true}).Wait());
  ASSERT_OK(Append(2, 1).Wait());
  fs_->FailOn({.is_lasting = true});
  tsdb_.reset();
  fs_->Heal();
  fs_->LoseUnsynced(/*seed=*/3);
  Open();
  EXPECT_GE(CountPoints(tsdb_.get()), 2u);
}

TEST_F(GroupCommitTest, AWaitThatIsLongEnoughIsLikeAnyOther) {
  Open();
  EXPECT_OK(Append(0, 1).WaitFor(600'000));
  EXPECT_EQ(CountAfterCrash(), 1u);
  EXPECT_OK(Append(1, 1, {.sync = true}).WaitFor(INT64_MAX));
  EXPECT_EQ(CountAfterCrash(), 2u);

  fs_->FailOn({.operations = FaultFs::kAppend | FaultFs::kAllocate,
               .is_lasting = true,
               .with = FaultFs::Failure::kNoSpace});
  EXPECT_THAT(Append(2, 1).WaitFor(600'000), StatusIs(absl::StatusCode::kUnavailable));
  fs_->Heal();
  EXPECT_OK(Append(3, 1).WaitFor(600'000));
  EXPECT_EQ(CountAfterCrash(), 4u);
}

TEST_F(GroupCommitTest, ABoundedSyncIsOnDiskInAnyMode) {
  options_.sync = Durability::kNever;
  Open();
  ASSERT_OK(Append(0, 1).Wait());
  ASSERT_OK(Append(1, 1, {.sync = true}).WaitFor(600'000));
  fs_->FailOn({.is_lasting = true});
  tsdb_.reset();
  fs_->Heal();
  fs_->LoseUnsynced(/*seed=*/3);
  Open();
  EXPECT_EQ(CountPoints(tsdb_.get()), 2u);
}

// A store whose journal may be held up.
class HeldCommitTest : public GroupCommitTest {
 protected:
  HeldCommitTest() {
    options_.env = gate_env_.get();
    options_.sync = Durability::kNever;
  }
  ~HeldCommitTest() override {
    gate_->SetOpen(true);
    tsdb_.reset();
  }

  std::shared_ptr<GateFs> gate_ = std::make_shared<GateFs>();
  std::unique_ptr<rocksdb::Env> gate_env_ = rocksdb::NewCompositeEnv(gate_);
};

TEST_F(HeldCommitTest, AWaitEndsThoughTheJournalIsHeldUp) {
  Open();
  ASSERT_OK(Append(0, 1).Wait());
  gate_->SetOpen(false);
  const CommitTicket written = Append(1, 1);
  const CommitTicket synced = Append(2, 1, {.sync = true});

  EXPECT_THAT(written.WaitFor(20), StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_THAT(synced.WaitFor(20), StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_THAT(synced.WaitFor(0), StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_THAT(synced.WaitFor(-1), StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_EQ(CountPoints(tsdb_.get()), 3u) << "points are there, though not acknowledged";

  gate_->SetOpen(true);
  EXPECT_OK(synced.WaitFor(600'000));
  EXPECT_OK(written.Wait());
  EXPECT_EQ(CountAfterCrash(), 3u);
}

// The ticket of a batch without placed points is done at once.
TEST_F(HeldCommitTest, ATicketIsDoneOnceAllThatItCoversSurvivesACrash) {
  Open();
  gate_->SetOpen(false);
  CommitTicket all = Append(0, 1);
  OwnedPoint refused("m", "", kHour + 1, 2);
  const CommitTicket last =
      tsdb_->points().Append(std::span<const PointView>(&refused.view(), 1), nullptr);
  EXPECT_OK(last.Wait()) << "it covers its own Append alone";

  all.Cover(last);
  EXPECT_THAT(all.WaitFor(20), StatusIs(absl::StatusCode::kDeadlineExceeded));
  gate_->SetOpen(true);
  EXPECT_OK(all.Wait());
  EXPECT_EQ(CountAfterCrash(), 1u);
}

TEST_F(HeldCommitTest, WaitsOfManyEndTogether) {
  constexpr int kThreads = 4;
  Open();
  gate_->SetOpen(false);
  std::latch held(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t, &held] {
      const CommitTicket ticket = Append(t, 1, {.sync = true});
      EXPECT_THAT(ticket.WaitFor(20), StatusIs(absl::StatusCode::kDeadlineExceeded));
      held.arrive_and_wait();
      gate_->SetOpen(true);
      EXPECT_OK(ticket.WaitFor(600'000));
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(CountAfterCrash(), size_t{kThreads});
}

TEST_F(HeldCommitTest, CloseWaitsForWhatWasLeftUnderWay) {
  Open();
  gate_->SetOpen(false);
  EXPECT_THAT(Append(0, 1, {.sync = true}).WaitFor(20),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
  std::thread opener([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    gate_->SetOpen(true);
  });
  EXPECT_OK(tsdb_->Close());
  opener.join();
  Open();
  EXPECT_EQ(CountPoints(tsdb_.get()), 1u);
}

// For series that the tables have: their puts do not read the tables.
TEST_F(GroupCommitTest, TheJournalIsSyncedThoughTheTablesCannotBe) {
  constexpr int kPoints = 50;
  const std::unique_ptr<rocksdb::Env> restless = NewRestlessEnv(fs_);
  options_.env = restless.get();
  options_.sync = Durability::kNever;
  Open();
  ASSERT_OK(Append(0, 1, {.sync = true}).Wait());
  fs_->FailOn({.is_lasting = true, .files = FaultFs::kSstFile | FaultFs::kWalFile});
  EXPECT_FALSE(tsdb_->maintenance().Flush().ok());
  for (int i = 1; i < kPoints; ++i)
    ASSERT_OK(Append(i, 1).Wait());
  EXPECT_FALSE(Append(kPoints, 1, {.sync = true}).Wait().ok()) << "the tables are not synced";
  fs_->FailOn({.is_lasting = true});
  tsdb_.reset();
  fs_->LoseUnsynced(/*seed=*/3);
  fs_->Heal();
  Open();
  EXPECT_GE(CountPoints(tsdb_.get()), size_t{kPoints});
  tsdb_.reset();
}

// The promise of `interval`: a power cut at any moment loses no point that was acknowledged longer
// ago than the interval. The clock of the test acts as the syncer of a store: a put with `sync`
// makes the same calls as the syncer does periodically.
TEST_F(GroupCommitTest, APowerCutLosesNothingOlderThanTheInterval) {
  // With ThreadSanitizer RocksDB rests for a second after each failure, see restless_env.h.
  constexpr uint64_t kSeeds = kIsThreadSanitized ? 2 : 12;
  constexpr int64_t kIntervalMs = 1000;
  const std::unique_ptr<rocksdb::Env> restless = NewRestlessEnv(fs_);
  options_.env = restless.get();
  for (uint64_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    tsdb_.reset();
    options_.path = directory_.file(fmt::format("store{}", seed));
    options_.sync = Durability::kInterval;
    options_.sync_interval_ms = 3'600'000;  // by hand
    Open();
    ASSERT_OK(Append(0, 0, {.sync = true}).Wait());
    std::vector<std::pair<int64_t, int64_t>> acknowledged;  // when, and the point's second
    int64_t now_ms = 0;
    int64_t next_sync_ms = kIntervalMs;
    const int64_t cut_ms = 500 + static_cast<int64_t>(random.Below(8000));
    bool tables_fail = false;
    for (int64_t second = 1; now_ms < cut_ms; ++second) {
      now_ms += static_cast<int64_t>(random.Below(200));
      if (random.Below(10) == 0) {
        tables_fail = !tables_fail;
        fs_->Heal();
        if (tables_fail) {
          fs_->FailOn({.is_lasting = true, .files = FaultFs::kSstFile | FaultFs::kWalFile});
          tsdb_->maintenance().Flush().IgnoreError();
        }
      }
      if (now_ms >= next_sync_ms) {
        Append(second++, 1, {.sync = true}).Wait().IgnoreError();
        next_sync_ms += kIntervalMs;
      }
      if (Append(second, 1).Wait().ok()) acknowledged.emplace_back(now_ms, second);
    }
    fs_->FailOn({.is_lasting = true});
    tsdb_.reset();
    fs_->LoseUnsynced(seed);
    fs_->Heal();
    Open();
    ASSERT_NE(tsdb_, nullptr);
    const std::set<int64_t> found = Seconds(tsdb_.get());
    for (const auto& [ms, second] : acknowledged) {
      // Of the last whole interval, as the syncer keeps it.
      if (ms >= next_sync_ms - kIntervalMs) break;
      EXPECT_TRUE(found.contains(second)) << second;
    }
  }
  tsdb_.reset();
}

// Sections that a leader has taken and not written are not done.
TEST_F(GroupCommitTest, CommitAllWaitsForALeaderOnItsWay) {
  TempDir directory;
  OpenHours hours(4);
  auto journal = FileJournal::Open({.directory = directory.file("journal"), .fs = fs_.get()});
  ASSERT_OK(journal);
  GroupCommit commit({.open_hours = &hours, .journal = journal->get()}, /*always_sync=*/false);
  PlacedPoint point{.series = 1, .time = {.ms = kHour * 1000}, .value = Value::Integer(1)};
  int64_t bytes = 0;
  const uint64_t block = hours.LaneOf(1).Append({&point, 1}, 0, &bytes);
  commit.AddPending(6);
  std::future<absl::Status> all;
  std::atomic<bool> is_first = true;
  fs_->SetHook([&](FaultFs::Operation operation, const std::string& path) {
    if (operation != FaultFs::kAppend || !path.ends_with(".log") || !is_first.exchange(false)) {
      return;
    }
    all = std::async(std::launch::async, [&] { return commit.CommitAll(/*sync=*/false); });
    // It would be done at once if it did not wait.
    all.wait_for(std::chrono::milliseconds(100));
  });
  fs_->FailOn({.operations = FaultFs::kAppend, .is_lasting = true});
  EXPECT_FALSE(commit.CommitThrough(block, /*sync=*/false).ok());
  EXPECT_FALSE(all.get().ok()) << "nothing is written";
  fs_->SetHook(nullptr);
  fs_->Heal();
  EXPECT_OK(commit.CommitAll(/*sync=*/false));
  EXPECT_GE((*journal)->next_sequence(), 2u);
}

// The waiting sections may be larger than a block can be.
TEST_F(GroupCommitTest, SectionsThatAreTooMuchForABlockBecomeSeveral) {
  constexpr SeriesNumber kSeries = 40;
  TempDir directory;
  OpenHours hours(8);
  auto journal = FileJournal::Open({.directory = directory.file("journal")});
  ASSERT_OK(journal);
  GroupCommit commit({.open_hours = &hours, .journal = journal->get(), .block_bytes_max = 120},
                     /*always_sync=*/true);
  const auto append = [&](SeriesNumber series, int64_t second) {
    PlacedPoint point{
        .series = series, .time = {.ms = (kHour + second) * 1000}, .value = Value::Integer(1)};
    int64_t bytes = 0;
    commit.AddPending(6);
    return hours.LaneOf(series).Append({&point, 1}, 0, &bytes);
  };
  uint64_t block = 0;
  for (SeriesNumber series = 1; series <= kSeries; ++series)
    block = append(series, 0);
  ASSERT_OK(commit.CommitThrough(block, /*sync=*/false));
  EXPECT_GT(commit.blocks_written(), 1u);
  EXPECT_EQ((*journal)->synced_sequence(), (*journal)->next_sequence());
  // Promised to be in a block whose number another one has by now.
  const uint64_t promised = append(1, 1);
  EXPECT_LT(promised, (*journal)->next_sequence());
  ASSERT_OK(commit.CommitThrough(promised, /*sync=*/false));
  EXPECT_EQ((*journal)->synced_sequence(), (*journal)->next_sequence());

  size_t points = 0;
  ASSERT_OK((*journal)->Replay(0, [&](uint64_t, std::string_view payload) {
    JournalPayloadReader reader(payload);
    while (reader.Next() == JournalPayloadReader::Event::kPoint)
      ++points;
    return absl::OkStatus();
  }));
  EXPECT_EQ(points, kSeries + 1);
}

TEST_F(GroupCommitTest, ManyAppendersShareBlocksAndLoseNothing) {
  constexpr int kThreads = 4;
  constexpr int kEach = 200;
  Open();
  ASSERT_OK(Append(3599, 1).Wait());
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < kEach; ++i)
        EXPECT_OK(Append(t * kEach + i, i).Wait());
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(CountAfterCrash(), 1u + kThreads * kEach);
}

}  // namespace
}  // namespace hourcell::group_commit_test
