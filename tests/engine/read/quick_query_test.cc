// Queries that are answered quickly or not at all: their answers, and their limits.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/query/result_collector.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::quick_query_test {
namespace {

using testing::HasSubstr;

constexpr int64_t kHour = 1356998400;
constexpr auto kNotQuick = absl::StatusCode::kAborted;

class QuickQueryTest : public testing::Test {
 protected:
  static Options WithCache(Options options) {
    options.block_cache_bytes = 64 << 20;
    return options;
  }

  // `series` series of metric m with a point a minute for `hours` hours, sealed.
  void Fill(int series, int hours) {
    tsdb_ = *Tsdb::Open(options_);
    for (int i = 0; i < series; ++i) {
      for (int minute = 0; minute < hours * 60; ++minute) {
        OwnedPoint point("m", fmt::format("host=h{:03} dc=east", i), kHour + minute * 60,
                         i + minute);
        ASSERT_OK(tsdb_->points().Put(point.view()));
      }
    }
    ASSERT_OK(tsdb_->maintenance().Seal());
  }

  // Of two hours.
  static QuerySpec Hosts(std::string hosts, std::string_view downsample = "") {
    QuerySpec spec = MakeQuery(Aggregator::kSum, "m",
                               {{"host", FilterType::kLiteralOr, std::move(hosts), false}}, kHour,
                               kHour + 2 * 3600 - 1);
    if (!downsample.empty()) spec.queries[0].downsample = *ParseDownsampleSpec(downsample);
    spec.quick = QuickBounds{.series = 100, .rows = 100, .points = 100'000, .bytes = 1 << 20};
    return spec;
  }
  // The series of the metric are in memory, and blocks of their rows.
  void Warm() {
    QuerySpec spec = Hosts("h000|h001|h002");
    spec.quick.reset();
    for (int i = 0; i < 2; ++i)
      ASSERT_OK(tsdb_->queries().Query(spec).status());
  }
  absl::Status StatusOf(const QuerySpec& spec) { return tsdb_->queries().Query(spec).status(); }

  TempDir directory_;
  Options options_ = WithCache(TinyOptions(directory_.file("store")));
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(QuickQueryTest, AnswersAsAnyOtherQuery) {
  Fill(/*series=*/20, /*hours=*/3);
  Warm();
  for (const char* const downsample : {"", "1m-max", "1h-avg", "0all-sum", "1m-sum-zero"}) {
    QuerySpec spec = Hosts("h000|h007|h019", downsample);
    const auto quick = tsdb_->queries().Query(spec);
    spec.quick.reset();
    const auto other = tsdb_->queries().Query(spec);
    ASSERT_OK(quick);
    ASSERT_OK(other);
    ASSERT_EQ(quick->series.size(), 1u);
    EXPECT_EQ(quick->series[0].points, other->series[0].points) << downsample;
    EXPECT_EQ(quick->rows_read, other->rows_read);
  }
}

TEST_F(QuickQueryTest, EndsWhereABoundIsMet) {
  Fill(20, 2);
  Warm();
  QuerySpec spec = Hosts("h000|h007|h019", "1m-max");
  ASSERT_OK(StatusOf(spec));

  // Six rows of 60 points, 120 buckets; downsampling reads on into the hour after them.
  spec.quick->rows = 9;
  spec.quick->points = 6 * 60 + 120 * kQuickPointsOfGiven;
  spec.quick->series = 3;
  EXPECT_OK(StatusOf(spec));
  --spec.quick->rows;
  EXPECT_THAT(StatusOf(spec), StatusIs(kNotQuick, HasSubstr("rows")));
  ++spec.quick->rows;
  --spec.quick->points;
  EXPECT_THAT(StatusOf(spec), StatusIs(kNotQuick, HasSubstr("points")));
  ++spec.quick->points;
  --spec.quick->series;
  EXPECT_THAT(StatusOf(spec), StatusIs(kNotQuick, HasSubstr("series")));
  ++spec.quick->series;
  spec.quick->bytes = 100;
  EXPECT_THAT(StatusOf(spec), StatusIs(kNotQuick, HasSubstr("memory")));
}

TEST_F(QuickQueryTest, SubQueriesShareTheBounds) {
  Fill(20, 2);
  Warm();
  QuerySpec spec = Hosts("h000|h007|h019", "1m-max");
  spec.queries.push_back(spec.queries[0]);
  spec.quick->rows = 18;
  spec.quick->points = 2 * (6 * 60 + 120 * kQuickPointsOfGiven);
  EXPECT_OK(StatusOf(spec));

  spec.quick->rows = 17;
  EXPECT_THAT(StatusOf(spec), StatusIs(kNotQuick));
  spec.quick->rows = 18;
  --spec.quick->points;
  EXPECT_THAT(StatusOf(spec), StatusIs(kNotQuick));
}

// Without downsampling each point that is decoded is one that is given, and printed.
TEST_F(QuickQueryTest, PointsOfARawAnswerCountMore) {
  Fill(20, 2);
  Warm();
  QuerySpec spec = Hosts("h007");
  spec.quick->points = 120 * (1 + kQuickPointsOfGiven);
  EXPECT_OK(StatusOf(spec));

  --spec.quick->points;
  EXPECT_THAT(StatusOf(spec), StatusIs(kNotQuick));
}

TEST_F(QuickQueryTest, FilledBucketsAreFoundByThePlan) {
  Fill(3, 1);
  Warm();
  QuerySpec spec = Hosts("h001", "1ms-avg-nan");
  QueryControl control;
  QueryResult result;
  ResultCollector sink(&result);

  EXPECT_THAT(tsdb_->queries().Query(spec, &sink, &control), StatusIs(kNotQuick));

  EXPECT_EQ(control.cost().rows, 0u);
}

TEST_F(QuickQueryTest, HoursThatAreOpenCountAsWell) {
  Fill(3, 1);
  Warm();
  for (int second = 0; second < 1000; ++second) {
    OwnedPoint point("m", "host=h001 dc=east", kHour + 3600 + second, second);
    ASSERT_OK(tsdb_->points().Put(point.view()));
  }
  QuerySpec spec = Hosts("h001", "1h-sum");
  EXPECT_OK(StatusOf(spec));

  spec.quick->points = 1000;
  EXPECT_THAT(StatusOf(spec), StatusIs(kNotQuick));
}

TEST_F(QuickQueryTest, RegularExpressionsAndTsuidsAreNotQuick) {
  Fill(3, 1);
  Warm();
  QuerySpec spec = Hosts("h00.");
  spec.queries[0].filters[0].type = FilterType::kRegexp;
  EXPECT_THAT(StatusOf(spec), StatusIs(kNotQuick));
  spec.queries[0].filters[0].type = FilterType::kWildcard;
  spec.queries[0].filters[0].filter = "h00*";
  EXPECT_OK(StatusOf(spec));

  spec.queries[0].tsuids = {"000001000001000001"};
  EXPECT_THAT(StatusOf(spec), StatusIs(kNotQuick));
}

TEST_F(QuickQueryTest, WhatIsUnknownIsToldAtOnce) {
  Fill(3, 1);
  QuerySpec spec = Hosts("nosuch");
  EXPECT_THAT(StatusOf(spec), StatusIs(absl::StatusCode::kNotFound));
  spec.queries[0].metric = "nosuch";
  EXPECT_THAT(StatusOf(spec), StatusIs(absl::StatusCode::kNotFound));
}

// The first query that is not quick reads the series of a metric from their table.
TEST_F(QuickQueryTest, NothingIsReadFromADisk) {
  Fill(20, 2);
  ASSERT_OK(tsdb_->maintenance()
                .Compact());  // no file is merged later, whose blocks are not in the cache
  tsdb_ = nullptr;
  tsdb_ = *Tsdb::Open(options_);
  QuerySpec spec = Hosts("h001");
  EXPECT_THAT(StatusOf(spec), StatusIs(kNotQuick, HasSubstr("series")));
  // Their list is in memory after this, and no row is.
  QuerySpec later = spec;
  later.quick.reset();
  later.start_ms += 86'400'000;
  later.end_ms += 86'400'000;
  for (int i = 0; i < 2; ++i)
    ASSERT_OK(StatusOf(later));
  QueryControl control;
  QueryResult result;
  ResultCollector sink(&result);
  EXPECT_THAT(tsdb_->queries().Query(spec, &sink, &control),
              StatusIs(kNotQuick, HasSubstr("incomplete")));
  EXPECT_EQ(control.cost().blocks_read, 0u);

  QuerySpec other = spec;
  other.quick.reset();
  ASSERT_OK(StatusOf(other));

  EXPECT_OK(StatusOf(spec));
}

TEST_F(QuickQueryTest, NewSeriesAreNotMissed) {
  Fill(3, 1);
  Warm();
  ASSERT_OK(StatusOf(Hosts("h001|h002")));
  OwnedPoint point("m", "host=h001 dc=west", kHour, 1);
  ASSERT_OK(tsdb_->points().Put(point.view()));

  // The list in memory lacks one, and bringing it up to date is not quick.
  EXPECT_THAT(StatusOf(Hosts("h001|h002")), StatusIs(kNotQuick));
  Warm();

  const auto result = tsdb_->queries().Query(Hosts("h001|h002"));
  ASSERT_OK(result);
  EXPECT_EQ(result->rows_read, 3u);
}

TEST_F(QuickQueryTest, CountsBlocksAndCells) {
  options_.day_row_points = 0;
  Fill(20, 2);
  ASSERT_OK(tsdb_->maintenance()
                .Compact());  // no file is merged later, whose blocks are not in the cache
  Warm();
  QueryControl control;
  QueryResult result;
  ResultCollector sink(&result);

  ASSERT_OK(tsdb_->queries().Query(Hosts("h001", "1m-max"), &sink, &control));
  EXPECT_EQ(control.cost().cells, 2u);
  EXPECT_GT(control.cost().blocks_cached, 0u);
  EXPECT_EQ(control.cost().blocks_read, 0u);
  EXPECT_EQ(control.plans()[0].cost.cells, 2u);

  QueryControl by_summary;
  ASSERT_OK(tsdb_->queries().Query(Hosts("h001", "1h-max"), &sink, &by_summary));
  EXPECT_EQ(by_summary.cost().rows, 2u);
  EXPECT_EQ(by_summary.cost().cells, 0u);
}

}  // namespace
}  // namespace hourcell::quick_query_test
