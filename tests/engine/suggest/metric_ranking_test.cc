#include "engine/suggest/metric_ranking.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "engine/query/query_control.h"
#include "tests/support/builders.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::metric_ranking_test {
namespace {

using testing::ElementsAre;

class MetricRankingTest : public testing::Test {
 protected:
  MetricRankingTest() {
    uids_ = *UidDirectory::Open({.layout = layout_}, &uid_store_);
    table_ = *SeriesTable::Open(
        layout_, {.tables = &tables_, .uid_store = &uid_store_, .uids = uids_.get()}, false);
  }

  void Create(const std::string& metric, const std::string& tags) {
    OwnedPoint point(metric, tags, 1356998400, 1);
    const PointView* view = &point.view();
    std::vector<Parsed<SeriesRef>> results;
    table_->GetOrCreate({&view, 1}, &results);
    ASSERT_TRUE(results[0].ok());
    ++series_[metric];
  }

  absl::StatusOr<MetricRanking> Rank(const MetricSearch& search) {
    const QueryWatch watch(&clock_, &control_, /*deadline_ms=*/0, /*timeout_ms=*/0);
    return RankMetrics(search, {.layout = &layout_, .uids = uids_.get(), .series = table_.get()},
                       watch);
  }

  std::vector<std::string> Names(const MetricSearch& search) {
    std::vector<std::string> names;
    const MetricRanking ranking = Rank(search).value();
    for (const RankedMetric& metric : ranking.metrics) {
      EXPECT_EQ(metric.series, series_[metric.name]) << metric.name;
      names.push_back(metric.name);
    }
    return names;
  }

  const Layout layout_;
  MemTableStore tables_;
  TableUidStore uid_store_{layout_, &tables_};
  std::unique_ptr<UidDirectory> uids_;
  std::unique_ptr<SeriesTable> table_;
  std::map<std::string, uint64_t> series_;
  ManualClock clock_{0};
  QueryControl control_;
};

TEST_F(MetricRankingTest, EachOrderIsThatOfASortedList) {
  Random random(20261127);
  for (int i = 0; i < 300; ++i) {
    Create(fmt::format("app{}.m{}", random.Below(3), random.Below(40)), fmt::format("host=h{}", i));
    if (i == 150) {
      ASSERT_OK(table_->WriteIndex());
    }
  }
  std::vector<std::pair<std::string, uint64_t>> by_size(series_.begin(), series_.end());
  std::ranges::stable_sort(by_size, std::ranges::greater(),
                           &std::pair<std::string, uint64_t>::second);
  std::vector<std::string> expected;
  for (const auto& [name, count] : by_size)
    expected.push_back(name);

  EXPECT_EQ(Names({.order = MetricOrder::kSeries, .limit = 1000}), expected);
  expected.resize(7);
  EXPECT_EQ(Names({.order = MetricOrder::kSeries, .limit = 7}), expected);
  const MetricRanking first = Rank({.order = MetricOrder::kSeries, .limit = 1}).value();
  EXPECT_EQ(first.total, series_.size());
  EXPECT_EQ(first.series, 300u);
  EXPECT_EQ(Names({.limit = 1}).front(), series_.begin()->first);
}

TEST_F(MetricRankingTest, APartIsFoundInAnyCase) {
  Create("net.Bytes", "host=a");
  Create("disk.bytes", "host=a");
  Create("cpu", "host=a");
  EXPECT_THAT(Names({.part = "BYTES", .limit = 9}), ElementsAre("disk.bytes", "net.Bytes"));
  EXPECT_THAT(Names({.part = "bytes", .order = MetricOrder::kNewest, .limit = 9}),
              ElementsAre("disk.bytes", "net.Bytes"));
  EXPECT_EQ(Rank({.part = "bytes", .limit = 1}).value().total, 2u);
}

TEST_F(MetricRankingTest, LevelsOfRollupsAreListedOnlyByTheirPrefix) {
  Create("cpu", "host=a");
  Create("_rollup/1h-sum/cpu", "host=a");
  EXPECT_THAT(Names({.limit = 9}), ElementsAre("cpu"));
  EXPECT_THAT(Names({.part = "cpu", .order = MetricOrder::kSeries, .limit = 9}),
              ElementsAre("cpu"));
  EXPECT_THAT(Names({.part = "_rollup/", .limit = 9}), ElementsAre("_rollup/1h-sum/cpu"));
}

TEST_F(MetricRankingTest, ACancelledRankingEnds) {
  Create("cpu", "host=a");
  control_.Cancel();
  EXPECT_EQ(Rank({.limit = 9}).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace hourcell::metric_ranking_test
