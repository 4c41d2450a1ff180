// The bytes of whole stores at rest, index included, by the interval of their points. Sizes are
// counts, so a test holds them: store_sizes.golden has a row for each store.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/sanitizers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/values/size_table.h"
#include "tests/support/values/value_kinds.h"

namespace hourcell::store_sizes_test {
namespace {

constexpr int64_t kFirstS = 1356998400;
constexpr size_t kSeries = 100;

// Series with a point each `interval_s` for some hours.
struct Plan {
  int64_t interval_s;
  int64_t hours;
  size_t points() const { return static_cast<size_t>(hours * 3600 / interval_s); }
};
constexpr Plan kPlans[] = {{10, 12}, {60, 48}, {300, 240}, {3600, 2000}};

using MakeValues = std::vector<Value> (*)(size_t count, Random* random);

struct Series {
  std::string metric;
  std::string tags;
  std::vector<Value> values;
};

// Ten metrics of ten hosts, with six tags.
std::vector<Series> MakeSeries(const Plan& plan, MakeValues make) {
  std::vector<Series> series;
  for (size_t i = 0; i < kSeries; ++i) {
    const size_t host = i / 10;
    Random random(i + 1);
    series.push_back(
        {.metric = fmt::format("cpu.usage_{}", i % 10),
         .tags = fmt::format("host=host_{} region=eu-west-{} rack={} os=linux arch=x64 team=t{}",
                             host, host % 3, host % 7, host % 4),
         .values = make(plan.points(), &random)});
  }
  return series;
}

// Appends all points, as they come: instant by instant.
void AppendAll(const Plan& plan, const std::vector<Series>& series, Tsdb* tsdb) {
  CommitTicket all;
  for (size_t i = 0; i < plan.points(); ++i) {
    const int64_t second = kFirstS + static_cast<int64_t>(i) * plan.interval_s;
    std::vector<LinePoint> points;
    for (const Series& one : series) {
      points.push_back({.metric = one.metric,
                        .tags = one.tags,
                        .timestamp = {.ms = second * 1000},
                        .value = one.values[i]});
    }
    std::vector<RefusedPoint> refused;
    all.Cover(tsdb->points().Append(points, &refused));
    ASSERT_TRUE(refused.empty());
  }
  ASSERT_OK(all.Wait());
}

// The bytes of all files but RocksDB's log, whose length depends on the clock.
size_t BytesOf(const std::string& path) {
  size_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    const bool is_log = entry.path().filename().string().starts_with("rocksdb.log");
    if (entry.is_regular_file() && !is_log) bytes += entry.file_size();
  }
  return bytes;
}

SizeRow SizeOf(std::string name, const Plan& plan, MakeValues make) {
  const TempDir directory;
  Options options = TinyOptions(directory.file("store"));
  options.write_buffer_bytes = 8 << 20;
  options.seal_in_background = false;
  auto tsdb = Tsdb::Open(options);
  EXPECT_OK(tsdb);
  if (!tsdb.ok()) return {};
  AppendAll(plan, MakeSeries(plan, make), tsdb->get());
  EXPECT_OK((*tsdb)->maintenance().Compact());
  EXPECT_OK((*tsdb)->Close());
  return {
      .name = std::move(name), .points = kSeries * plan.points(), .bytes = BytesOf(options.path)};
}

TEST(StoreSizesTest, StoresTakeTheBytesOfTheGoldenFile) {
  // A million points take a minute with AddressSanitizer, and the same code runs in other tests.
  if (kIsSanitized) GTEST_SKIP() << "the preset of every day measures the sizes";
  std::vector<SizeRow> rows;
  for (const Plan& plan : kPlans) {
    rows.push_back(SizeOf(fmt::format("integers, every {} s", plan.interval_s), plan, IntegerWalk));
    rows.push_back(
        SizeOf(fmt::format("2 decimals, every {} s", plan.interval_s), plan, TwoDecimalWalk));
  }
  ExpectSizes("tests/engine/store_sizes.golden", rows, /*tolerance=*/0.02);
}

}  // namespace
}  // namespace hourcell::store_sizes_test
