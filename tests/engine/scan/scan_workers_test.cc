#include "engine/scan/scan_workers.h"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/mutex.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::scan_workers_test {
namespace {

using testing::Each;
using testing::Not;
using testing::SizeIs;

constexpr TableId kTable = TableId::kUid;  // rows of any bytes
constexpr TableId kCut = TableId::kData;   // and regions

// Keys that are evenly apart as numbers, which is how they are halved.
std::string Key(int i) {
  return {'k', static_cast<char>(i >> 8), static_cast<char>(i & 0xff)};
}

class ScanWorkersTest : public testing::Test {
 protected:
  void Fill(TableId table, int rows, size_t value_bytes) {
    std::vector<Mutation> group;
    for (int i = 0; i < rows; ++i)
      group.push_back({table, Mutation::Kind::kSet, Key(i), std::string(value_bytes, 'v')});
    ASSERT_OK(store_.Apply(group, /*sync=*/false));
  }

  ScanWorkPlan Plan(TableId table,
                    std::vector<BucketInterval> intervals,
                    const ScanWorkOptions& options) {
    auto plan = PlanScanWork(intervals, table, options, &store_, store_.Snapshot().get());
    EXPECT_OK(plan.status());
    return *std::move(plan);
  }

  // How often the plan reads each row.
  std::map<std::string, int> Read(TableId table, const ScanWorkPlan& plan) {
    const std::unique_ptr<TableView> view = store_.Snapshot();
    std::map<std::string, int> times;
    Mutex mutex;
    ScanWorkers runner;
    EXPECT_OK(runner.Run(plan, [&](size_t /*worker*/, const ScanTask& task) {
      return view->Scan(table, {.begin = task.start, .end = task.stop},
                        [&](std::string_view key, std::string_view /*value*/) {
                          MutexLock lock(&mutex);
                          ++times[std::string(key)];
                          return true;
                        });
    }));
    return times;
  }

  MemTableStore store_;
};

TEST_F(ScanWorkersTest, EachRowIsInOneTask) {
  Fill(kTable, 1000, 1000);
  for (const size_t workers : {1u, 2u, 7u}) {
    const ScanWorkPlan plan = Plan(kTable, {BucketInterval{}}, {.workers = workers});
    EXPECT_THAT(plan.workers, SizeIs(workers));
    EXPECT_THAT(plan.workers, Each(Not(testing::IsEmpty())));
    const auto times = Read(kTable, plan);
    EXPECT_THAT(times, SizeIs(1000));
    EXPECT_THAT(times, Each(testing::Pair(testing::_, 1)));
  }
}

TEST_F(ScanWorkersTest, BytesAreSharedOutEvenly) {
  Fill(kTable, 2000, 1000);
  const ScanWorkPlan plan = Plan(kTable, {BucketInterval{}}, {.workers = 4});
  for (const std::vector<size_t>& worker : plan.workers) {
    uint64_t bytes = 0;
    for (const size_t task : worker)
      bytes += plan.tasks[task].bytes;
    EXPECT_NEAR(static_cast<double>(bytes), 2'000'000 / 4.0, 150'000);
  }
}

TEST_F(ScanWorkersTest, ATaskHasAtMostTheBytesThatAreSaid) {
  Fill(kTable, 2000, 1000);
  const ScanWorkPlan plan =
      Plan(kTable, {BucketInterval{}}, {.workers = 1, .task_bytes_max = 200'000});
  EXPECT_GE(plan.tasks.size(), 10u);
  for (const ScanTask& task : plan.tasks)
    EXPECT_LE(task.bytes, 200'000u);
}

TEST_F(ScanWorkersTest, TasksEndWhereRegionsDoAndCoverIntervalsWhole) {
  Fill(kCut, 0, 0);
  ASSERT_OK(store_.Split(kCut, {.keys = {"b", "d"}}));
  ASSERT_OK(store_.Apply(std::vector<Mutation>{{kCut, Mutation::Kind::kSet, "a1", "v"},
                                               {kCut, Mutation::Kind::kSet, "c1", "v"},
                                               {kCut, Mutation::Kind::kSet, "e1", "v"}},
                         /*sync=*/false));
  const ScanWorkPlan plan =
      Plan(kCut, {BucketInterval{0, "a", "c"}, BucketInterval{1, "c", ""}}, {.workers = 9});
  std::vector<std::string> texts;
  for (const ScanTask& task : plan.tasks)
    texts.push_back(
        fmt::format("{} [{},{}) in {}", task.bucket, task.start, task.stop, task.region));
  // Of the first interval only the first region has rows; of the second two.
  EXPECT_THAT(texts,
              testing::ElementsAre("0 [a,b) in 0", "0 [b,c) in 1", "1 [c,d) in 1", "1 [d,) in 2"));
  EXPECT_THAT(plan.workers, SizeIs(4));
}

TEST_F(ScanWorkersTest, OnlyRegionsWithTasksAreListed) {
  ASSERT_OK(store_.Split(kCut, {.keys = {"b", "d", "f"}}));
  ASSERT_OK(store_.Apply(std::vector<Mutation>{{kCut, Mutation::Kind::kSet, "c1", "v"}},
                         /*sync=*/false));

  // The one region has all rows of the interval, but not all of its keys.
  const ScanWorkPlan plan = Plan(kCut, {BucketInterval{0, "c", "e"}}, {.workers = 1});

  std::vector<std::string> texts;
  for (const ScannedRegion& region : plan.regions)
    texts.push_back(fmt::format("[{},{})", region.start, region.end));
  EXPECT_THAT(texts, testing::ElementsAre("[b,d)", "[d,f)"));
  ASSERT_THAT(plan.tasks, SizeIs(2));
  EXPECT_EQ(plan.tasks[0].region, 0u);
  EXPECT_EQ(plan.tasks[1].region, 1u);
  EXPECT_EQ(plan.tasks[1].start, "d");
}

TEST_F(ScanWorkersTest, AnIntervalWithoutRowsIsATask) {
  const ScanWorkPlan plan = Plan(kTable, {BucketInterval{3, "a", "b"}}, {.workers = 2});
  ASSERT_THAT(plan.tasks, SizeIs(1));
  EXPECT_EQ(plan.tasks[0].start, "a");
  EXPECT_EQ(plan.tasks[0].stop, "b");
  EXPECT_THAT(plan.workers, SizeIs(1));
}

TEST_F(ScanWorkersTest, TheFirstErrorEndsAllWorkers) {
  Fill(kTable, 2000, 1000);
  const ScanWorkPlan plan = Plan(kTable, {BucketInterval{}}, {.workers = 3});
  ScanWorkers runner;
  std::atomic<int> begun{0};
  const absl::Status run = runner.Run(plan, [&](size_t worker, const ScanTask&) -> absl::Status {
    ++begun;
    if (worker == 1) return absl::DataLossError("worker 1");
    while (!runner.ShouldStop())
      std::this_thread::yield();
    return absl::OkStatus();
  });
  EXPECT_THAT(run, StatusIs(absl::StatusCode::kDataLoss, "worker 1"));
  EXPECT_LE(begun, 3);
  // The next run is not affected.
  EXPECT_OK(runner.Run(plan, [](size_t, const ScanTask&) { return absl::OkStatus(); }));
}

TEST_F(ScanWorkersTest, ACancelledRunEnds) {
  Fill(kTable, 2000, 1000);
  const ScanWorkPlan plan = Plan(kTable, {BucketInterval{}}, {.workers = 2});
  ScanWorkers runner;
  std::atomic<int> begun{0};
  const absl::Status run = runner.Run(plan, [&](size_t, const ScanTask&) {
    ++begun;
    runner.Cancel();
    return absl::OkStatus();
  });
  EXPECT_THAT(run, StatusIs(absl::StatusCode::kCancelled));
  EXPECT_LE(begun, 2);
}

}  // namespace
}  // namespace hourcell::scan_workers_test
