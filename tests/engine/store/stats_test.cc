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

TEST(StatsTest, ACountIsACounterThatIsKeptElsewhere) {
  Stats stats;
  stats.counter("a")->Add(1);
  stats.AddCount("b", {}, [] { return 2; });
  stats.AddGauge("c", {}, [] { return 3; });

  const std::vector<StatSample> samples = stats.Snapshot();

  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[0].kind, StatKind::kCounter);
  EXPECT_EQ(samples[1].kind, StatKind::kCounter);
  EXPECT_EQ(samples[1].value, 2);
  EXPECT_EQ(samples[2].kind, StatKind::kGauge);
}

TEST(StatsTest, AHistogramCountsByBucket) {
  Stats stats;
  LatencyHistogram* const histogram = stats.histogram("h", {{"k", "1"}});
  EXPECT_EQ(stats.histogram("h", {{"k", "1"}}), histogram);
  EXPECT_NE(stats.histogram("h", {{"k", "2"}}), histogram);
  for (const int64_t us : {int64_t{-5}, int64_t{0}, int64_t{100}, int64_t{101}, int64_t{30'000'000},
                           int64_t{30'000'001}}) {
    histogram->Record(us);
  }

  const std::vector<HistogramSample> samples = stats.Histograms();

  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].buckets.front(), 3u) << "a clock that went back counts as no time";
  EXPECT_EQ(samples[0].buckets[1], 1u);
  EXPECT_EQ(samples[0].buckets[kLatencyBoundsUs.size() - 1], 1u);
  EXPECT_EQ(samples[0].buckets.back(), 1u);
  EXPECT_EQ(samples[0].sum_us, 60'000'202u);
  EXPECT_TRUE(stats.Snapshot().empty()) << "histograms are no lines of /api/stats";
}

}  // namespace
}  // namespace hourcell::stats_test
