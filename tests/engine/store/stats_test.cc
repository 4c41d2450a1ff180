#include "engine/stats.h"

#include "tests/support/status_matchers.h"

namespace hourcell::stats_test {
namespace {

TEST(StatsTest, OneCounterForAName) {
  Stats stats;

  stats.counter("a", {{"k", "1"}})->Add(2);
  stats.counter("a", {{"k", "1"}})->Add(3);
  stats.counter("a", {{"k", "2"}})->Add(7);

  EXPECT_EQ(stats.counter("a", {{"k", "1"}})->value(), 5u);
  EXPECT_EQ(stats.counter("a", {{"k", "2"}})->value(), 7u);
}

TEST(StatsTest, SnapshotIsSortedAndReadsGauges) {
  Stats stats;
  int64_t level = 1;
  stats.counter("z")->Add(9);
  stats.AddGauge("a", {}, [&] { return level; });
  level = 42;

  const std::vector<StatSample> samples = stats.Snapshot();

  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].name, "a");
  EXPECT_EQ(samples[0].value, 42);
  EXPECT_EQ(samples[1].name, "z");
  EXPECT_EQ(samples[1].value, 9);
}

}  // namespace
}  // namespace hourcell::stats_test
