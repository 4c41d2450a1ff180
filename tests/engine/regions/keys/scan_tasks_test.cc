#include "engine/regions/keys/scan_tasks.h"

#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/base/random.h"
#include "engine/regions/keys/distributor_spec.h"
#include "tests/support/status_matchers.h"

namespace hourcell::scan_tasks_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<RegionBytes> RegionsBetween(const std::vector<std::string>& split_keys,
                                        uint64_t bytes) {
  std::vector<RegionBytes> regions = {{.start = "", .end = "", .bytes = bytes}};
  for (const std::string& key : split_keys) {
    regions.back().end = key;
    regions.push_back({.start = key, .end = "", .bytes = bytes});
  }
  return regions;
}

std::vector<BucketInterval> IntervalsOf(std::string_view spec,
                                        std::string_view start,
                                        std::string_view stop) {
  return (*MakeKeyDistributor(spec, Layout()))->Intervals(start, stop)->intervals;
}

std::vector<std::string> TextOf(const std::vector<ScanTask>& tasks) {
  std::vector<std::string> texts;
  for (const ScanTask& task : tasks) {
    texts.push_back(std::to_string(task.bucket) + " in " + std::to_string(task.region) + " " +
                    ToHex(task.start) + "-" + ToHex(task.stop) + " " + std::to_string(task.bytes));
  }
  return texts;
}

TEST(ScanTasksTest, IntervalsAreCutWhereRegionsMeet) {
  const std::vector<std::string> split_keys = {"\x01", "\x01m"};

  const auto tasks =
      PlanScanTasks(IntervalsOf("simple-hash:3", "a", "z"), RegionsBetween(split_keys, 100), {});

  ASSERT_OK(tasks);
  EXPECT_THAT(TextOf(*tasks), ElementsAre("0 in 0 0061-007a 100", "1 in 1 0161-016d 100",
                                          "1 in 2 016d-017a 50", "2 in 2 0261-027a 50"));
}

TEST(ScanTasksTest, RefusesRegionsThatDoNotTile) {
  const auto intervals = IntervalsOf("none", "", "");
  const auto message = [&](std::vector<RegionBytes> regions) {
    return std::string(PlanScanTasks(intervals, regions, {}).status().message());
  };

  EXPECT_THAT(message({}), HasSubstr("got no region"));
  EXPECT_THAT(message({{"", "a"}, {"b", ""}}), HasSubstr("got region 1 as [\"b\""));
  EXPECT_THAT(message({{"", "b"}, {"a", ""}}),
              HasSubstr("expected regions without gap or overlap"));
  EXPECT_THAT(message({{"", "a"}}), HasSubstr("got region 0"));
  EXPECT_THAT(message({{"", ""}, {"", ""}}), HasSubstr("got region 0"));
  EXPECT_THAT(message({{"a", ""}}), HasSubstr("got region 0"));
  EXPECT_EQ(message({{"", "a"}, {"a", ""}}), "");
  EXPECT_THAT(PlanScanTasks(std::vector<BucketInterval>{{0, "b", "a"}}, RegionsBetween({}, 1), {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("expected an end above it, got the interval")));
}

TEST(ScanTasksTest, LargePiecesAreHalved) {
  // A table of 256 bytes a first byte.
  const auto first_byte = [](std::string_view key, uint64_t open) {
    return key.empty() ? open : static_cast<uint8_t>(key[0]);
  };
  const ScanTaskOptions options = {
      .task_bytes_max = 64 * 256,
      .estimate = [&](std::string_view start, std::string_view stop) -> uint64_t {
        return (first_byte(stop, 256) - first_byte(start, 0)) * 256;
      }};

  const auto tasks =
      PlanScanTasks(IntervalsOf("none", "", ""), RegionsBetween({}, 65'536), options);

  ASSERT_OK(tasks);
  EXPECT_GE(tasks->size(), 4u);
  uint64_t bytes = 0;
  for (const ScanTask& task : *tasks) {
    EXPECT_LE(task.bytes, 64u * 256);
    bytes += task.bytes;
  }
  EXPECT_EQ(bytes, 65'536u);
}

TEST(ScanTasksTest, HalvingEnds) {
  // One row has all the bytes: no halving helps.
  const ScanTaskOptions options = {
      .task_bytes_max = 10,
      .estimate = [](std::string_view start, std::string_view stop) -> uint64_t {
        return start <= "row" && (stop.empty() || stop > "row") ? 1'000'000 : 0;
      }};

  const auto tasks = PlanScanTasks(IntervalsOf("none", "", ""), RegionsBetween({}, 1), options);

  ASSERT_OK(tasks);
  EXPECT_THAT(*tasks, SizeIs(kHalvingsMax + 1));
}

// Random buckets, regions, ranges and halvings: each stored key of the range is in one task, and
// that task is in the region of the key.
TEST(ScanTasksTest, EveryKeyIsInOneTask) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const auto random_key = [&](size_t bytes_max) {
      std::string key;
      for (uint64_t i = random.Below(bytes_max + 1); i > 0; --i)
        key.push_back(static_cast<char>(random.Below(6)));
      return key;
    };
    const auto distributor =
        MakeKeyDistributor("xxh3:" + std::to_string(1 + random.Below(6)), Layout());
    const std::string start = random_key(2);
    const std::string stop = random_key(2);
    std::set<std::string> split_keys;
    for (uint64_t i = random.Below(8); i > 0; --i)
      split_keys.insert(random_key(3));
    split_keys.erase("");
    const std::vector<std::string> keys(split_keys.begin(), split_keys.end());
    const std::vector<RegionBytes> regions = RegionsBetween(keys, 1000);
    ScanTaskOptions options;
    if (random.Below(2) == 0) {
      options = {.task_bytes_max = 1, .estimate = [](auto, auto) -> uint64_t { return 2; }};
    }
    const auto tasks =
        PlanScanTasks((*distributor)->Intervals(start, stop)->intervals, regions, options);
    ASSERT_OK(tasks);

    for (int i = 0; i < 30; ++i) {
      const std::string key = random_key(4);
      std::string stored;
      ASSERT_OK((*distributor)->Encode(key, &stored));
      size_t holders = 0;
      for (const ScanTask& task : *tasks) {
        if (stored < task.start || (!task.stop.empty() && stored >= task.stop)) continue;
        ++holders;
        EXPECT_GE(stored, regions[task.region].start);
        EXPECT_TRUE(regions[task.region].end.empty() || stored < regions[task.region].end);
        EXPECT_EQ(task.bucket, *(*distributor)->BucketOf(key));
      }
      EXPECT_EQ(holders, key >= start && (stop.empty() || key < stop) ? 1u : 0u);
    }
  }
}

std::vector<ScanTask> TasksOf(const std::vector<uint64_t>& bytes) {
  std::vector<ScanTask> tasks(bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i)
    tasks[i].bytes = bytes[i];
  return tasks;
}

TEST(AssignWorkersTest, TheLargestGoesWhereLeastIs) {
  EXPECT_THAT(AssignWorkers(TasksOf({10, 70, 30, 50, 40}), 2),
              ElementsAre(ElementsAre(1u, 2u), ElementsAre(3u, 4u, 0u)));
  EXPECT_THAT(AssignWorkers(TasksOf({0, 0, 0, 0}), 2),
              ElementsAre(ElementsAre(0u, 2u), ElementsAre(1u, 3u)));
  EXPECT_THAT(AssignWorkers({}, 3), SizeIs(3));
}

// Never more than Graham's 4/3 of the larger of mean and largest task, plus the excess that this
// bound allows.
TEST(AssignWorkersTest, WorkersAreBalanced) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    std::vector<uint64_t> bytes(20 + random.Below(100));
    for (uint64_t& size : bytes)
      size = 1 + random.Below(1000);
    const size_t workers = 1 + random.Below(8);
    const auto work = AssignWorkers(TasksOf(bytes), workers);

    std::vector<size_t> seen;
    uint64_t most = 0;
    for (const std::vector<size_t>& worker : work) {
      uint64_t sum = 0;
      for (const size_t task : worker)
        sum += bytes[task];
      most = std::max(most, sum);
      seen.insert(seen.end(), worker.begin(), worker.end());
    }
    std::sort(seen.begin(), seen.end());
    std::vector<size_t> all(bytes.size());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(seen, all);
    const uint64_t total = std::accumulate(bytes.begin(), bytes.end(), uint64_t{0});
    // List scheduling: at most the mean and one task more.
    EXPECT_LE(most, total / workers + *std::max_element(bytes.begin(), bytes.end()));
  }
}

}  // namespace
}  // namespace hourcell::scan_tasks_test
