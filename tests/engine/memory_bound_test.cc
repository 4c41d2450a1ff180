// Checks the sum of docs/overload.md: a store takes at most the memory of its settings, and a
// little for each thread and table.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "engine/tsdb.h"
#include "tests/engine/live_bytes.h"
#include "tests/support/builders.h"
#include "tests/support/sanitizers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::memory_bound_test {
namespace {

constexpr int64_t kFirstS = 1356998400;
constexpr int64_t kHourS = 3600;
constexpr int64_t kHours = 40;
constexpr int64_t kPointsAnHour = 5;
constexpr size_t kSeries = 5'000;
// The part of the 50 MiB that is not in settings; the program and its libraries are there before
// the store is.
constexpr uint64_t kBesidesBytes = 16 << 20;

uint64_t ResidentBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::strtoull(line.c_str() + 6, nullptr, 10) << 10;
  }
  return 0;
}

Options SmallBudgets(const std::string& path) {
  Options options = TinyOptions(path);
  options.open_hours_bytes = 4 << 20;
  options.series_cache_bytes = 4 << 20;
  options.block_cache_bytes = 4 << 20;
  options.write_buffer_bytes = 1 << 20;
  options.query_memory_bytes = 16 << 20;
  options.journal_bytes = 32 << 20;
  options.journal_segment_bytes = 4 << 20;
  return options;
}

uint64_t SumOf(const Options& options) {
  return options.open_hours_bytes + options.series_cache_bytes + options.block_cache_bytes +
         4 * options.write_buffer_bytes + options.query_memory_bytes;
}

// A million points that do not compress, in 200,000 rows. With the default budgets, which hold all
// points, it takes 69 MiB.
TEST(MemoryBoundTest, AStoreTakesNoMoreThanTheSumOfItsBudgets) {
  if (kIsSanitized) GTEST_SKIP() << "tells of the program's memory, not of a sanitizer's";
  const TempDir directory;
  const Options options = SmallBudgets(directory.file("store"));
  const uint64_t before = ResidentBytes();
  ASSERT_GT(before, 0u);
  auto opened = Tsdb::Open(options);
  ASSERT_OK(opened);
  const std::unique_ptr<Tsdb> tsdb = *std::move(opened);
  std::vector<std::string> tags;
  for (size_t i = 0; i < kSeries; ++i)
    tags.push_back(fmt::format("host=h{}", i));

  uint64_t most = 0;
  Random random(1);
  for (int64_t step = 0; step < kHours * kPointsAnHour; ++step) {
    const int64_t second = kFirstS + step * kHourS / kPointsAnHour;
    std::vector<LinePoint> points;
    for (const std::string& tag : tags) {
      points.push_back({.metric = "m",
                        .tags = tag,
                        .timestamp = {.ms = second * 1000},
                        .value = Value::Float(random.Fraction())});
    }
    std::vector<RefusedPoint> refused;
    ASSERT_OK(tsdb->points().Append(points, &refused).Wait());
    ASSERT_TRUE(refused.empty());
    most = std::max(most, ResidentBytes());
  }
  ASSERT_OK(tsdb->maintenance().Flush());
  for (int64_t hour = 0; hour < kHours; hour += 4) {
    const int64_t begin_s = kFirstS + hour * kHourS;
    ASSERT_OK(tsdb->queries().Query(
        MakeQuery(Aggregator::kSum, "m", {}, begin_s, begin_s + 4 * kHourS - 1)));
    most = std::max(most, ResidentBytes());
  }

  EXPECT_LE(most - std::min(most, before), SumOf(options) + kBesidesBytes);
  fmt::print("{} KiB more than before; {} KiB are budgets, {} KiB besides\n",
             (most - std::min(most, before)) >> 10, SumOf(options) >> 10, kBesidesBytes >> 10);
}

// Memory that grows with the series and not with their points: 200,000 series with a name and a
// point each, and budgets that a tenth of the series fill. By allocated bytes, not by resident
// ones: with other tests in a process the allocator's share is another each time.
TEST(MemoryBoundTest, NamesAreWhatSeriesAddToTheSum) {
  if (!kCountsLiveBytes) GTEST_SKIP() << "the sanitizers bring their own operator new";
  constexpr size_t kManySeries = 200'000;
  // docs/overload.md: a name, and a series that got points.
  constexpr size_t kBytesOfName = 48;
  constexpr size_t kBytesOfSeries = 70;
  // Of the new series that wait for their index rows, at most 131,072.
  constexpr size_t kNewSeriesBytes = 20 << 20;
  const TempDir directory;
  const Options options = SmallBudgets(directory.file("store"));
  const size_t before = LiveBytes();
  ResetLiveBytesPeak();
  auto opened = Tsdb::Open(options);
  ASSERT_OK(opened);
  const std::unique_ptr<Tsdb> tsdb = *std::move(opened);
  for (size_t i = 0; i < kManySeries;) {
    std::vector<std::string> tags;
    std::vector<LinePoint> points;
    for (; tags.size() < 1000; ++i)
      tags.push_back(fmt::format("host=web{:08}", i));
    for (const std::string& tag : tags) {
      points.push_back({.metric = "m",
                        .tags = tag,
                        .timestamp = {.ms = kFirstS * 1000},
                        .value = Value::Integer(static_cast<int64_t>(i))});
    }
    std::vector<RefusedPoint> refused;
    ASSERT_OK(tsdb->points().Append(points, &refused).Wait());
    ASSERT_TRUE(refused.empty());
  }
  ASSERT_OK(tsdb->maintenance().Flush());
  const size_t most = LiveBytesPeak() - before;
  const size_t idle = LiveBytes() - before;
  tsdb->maintenance().DropCaches();
  const size_t of_caches = idle - (LiveBytes() - before);

  // No query runs.
  const size_t sum =
      SumOf(options) - options.query_memory_bytes + kManySeries * (kBytesOfName + kBytesOfSeries);
  EXPECT_LE(most, sum + kNewSeriesBytes);
  EXPECT_LE(idle, sum);
  EXPECT_LE(of_caches, kManySeries * kBytesOfName + options.series_cache_bytes);
  EXPECT_GT(of_caches, kManySeries * 20) << "names are cached";
  fmt::print(
      "{} KiB at most, {} KiB idle, {} KiB of them names and known series; the sum says {}\n",
      most >> 10, idle >> 10, of_caches >> 10, sum >> 10);
}

// A simulated week in which each hour replaces a tenth of the series. The caches have limits, and
// all but that of blocks are dropped before each measurement. All else that a store holds for a
// series ends with its open hours. Left are the filters and indexes of files, some 4 bytes a row,
// and each series has ten rows: 43 bytes. One slot in the map of open hours would double that.
TEST(MemoryBoundTest, AWeekOfChurnAddsOnlyTheIndexesOfFiles) {
  if (!kCountsLiveBytes) GTEST_SKIP() << "the sanitizers bring their own operator new";
  constexpr int64_t kActive = 1000;
  constexpr int64_t kNewAnHour = kActive / 10;
  constexpr int64_t kDays = 7;
  constexpr size_t kBytesOfNewSeries = 64;
  const TempDir directory;
  Options options = SmallBudgets(directory.file("store"));
  options.block_cache_bytes = 256 << 10;  // full after the first day
  auto opened = Tsdb::Open(options);
  ASSERT_OK(opened);
  const std::unique_ptr<Tsdb> tsdb = *std::move(opened);
  const size_t before = LiveBytes();
  std::vector<size_t> of_days;
  for (int64_t hour = 0; hour < kDays * 24; ++hour) {
    std::vector<std::string> tags;
    for (int64_t i = hour * kNewAnHour; i < hour * kNewAnHour + kActive; ++i)
      tags.push_back(fmt::format("host=web{:08}", i));
    std::vector<LinePoint> points;
    const int64_t second = kFirstS + hour * kHourS;
    for (const std::string& tag : tags) {
      points.push_back({.metric = "m",
                        .tags = tag,
                        .timestamp = {.ms = second * 1000},
                        .value = Value::Integer(hour)});
    }
    std::vector<RefusedPoint> refused;
    ASSERT_OK(tsdb->points().Append(points, &refused).Wait());
    ASSERT_TRUE(refused.empty());
    ASSERT_OK(
        tsdb->queries().Query(MakeQuery(Aggregator::kSum, "m", {}, second, second + kHourS - 1)));
    ASSERT_OK(tsdb->maintenance().Flush());
    if (hour % 24 != 23) continue;
    tsdb->maintenance().DropCaches();
    of_days.push_back(LiveBytes() - std::min(before, LiveBytes()));
  }

  for (const size_t of_day : of_days)
    fmt::print("{} ", of_day >> 10);
  fmt::print("KiB more than before, without caches, after each day\n");
  constexpr size_t kNewSeries = (kDays - 1) * 24 * kNewAnHour;
  EXPECT_LE(of_days.back(), of_days.front() + kNewSeries * kBytesOfNewSeries);
}

}  // namespace
}  // namespace hourcell::memory_bound_test
