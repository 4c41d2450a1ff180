#include "engine/read/query_executor.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "engine/query/result_collector.h"
#include "engine/stats.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::query_executor_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kHour = 1356998400;

// Counts series, and cancels the query at the first if it has its control.
class CountingSink : public QuerySink {
 public:
  explicit CountingSink(QueryControl* to_cancel = nullptr) : to_cancel_(to_cancel) {}

  absl::Status OnSeries(const SeriesView& view) override {
    ++series;
    points += view.points.size();
    if (to_cancel_ != nullptr) to_cancel_->Cancel();
    return result;
  }

  size_t series = 0;
  size_t points = 0;
  absl::Status result;  // of OnSeries

 private:
  QueryControl* const to_cancel_;
};

class QueryExecutorTest : public testing::Test {
 protected:
  // `series` of metric m, of two dcs in turns, with a point a minute for `hours`.
  void Fill(int series, int hours) {
    tsdb_ = *Tsdb::Open(options_);
    for (int i = 0; i < series; ++i) {
      for (int minute = 0; minute < hours * 60; ++minute) {
        OwnedPoint point("m", fmt::format("host=h{:03} dc={}", i, i % 2 == 0 ? "east" : "west"),
                         kHour + minute * 60, i + minute);
        ASSERT_OK(tsdb_->points().Put(point.view()));
      }
    }
    ASSERT_OK(tsdb_->maintenance().Seal());
  }

  static QuerySpec Hosts(std::string hosts, int64_t end_s = kHour + 3000) {
    return MakeQuery(Aggregator::kNone, "m",
                     {{"host", FilterType::kLiteralOr, std::move(hosts), false}}, kHour, end_s);
  }
  static QuerySpec All() { return MakeQuery(Aggregator::kNone, "m", {}, kHour, kHour + 3599); }

  TempDir directory_;
  Options options_ = TinyOptions(directory_.file("store"));
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(QueryExecutorTest, GivesOutSeriesOneByOne) {
  Fill(/*series=*/20, /*hours=*/1);
  CountingSink sink;

  ASSERT_OK(tsdb_->queries().Query(All(), &sink, nullptr));

  EXPECT_EQ(sink.series, 20u);
  EXPECT_EQ(sink.points, 20u * 60);
}

// Relations between answers, whatever the points are: the best and the others are all, and a
// function that keeps every group changes nothing.
TEST_F(QueryExecutorTest, TheTopAndTheRestAreAllGroups) {
  Fill(/*series=*/12, /*hours=*/1);
  const auto tsuids = [&](const std::vector<std::string>& functions) {
    QuerySpec spec = All();
    for (const std::string& text : functions)
      spec.queries[0].functions.push_back(*ParseFunctionSpec(text));
    std::vector<std::string> found;
    const absl::StatusOr<QueryResult> result = tsdb_->queries().Query(spec);
    EXPECT_OK(result);
    if (!result.ok()) return found;
    for (const ResultSeries& series : result->series) {
      EXPECT_EQ(series.points.size(), 60u);
      found.push_back(series.tsuids[0]);
    }
    return found;
  };
  const std::vector<std::string> all = tsuids({});
  ASSERT_EQ(all.size(), 12u);

  EXPECT_EQ(tsuids({"top(12,max)"}), all);
  EXPECT_EQ(tsuids({"bottom(10000,avg)"}), all);
  for (const std::string_view by : {"max", "min", "avg", "last", "sum"}) {
    const auto top = tsuids({fmt::format("top(5,{})", by)});
    const auto rest = tsuids({fmt::format("bottom(7,{})", by)});
    EXPECT_EQ(std::vector(all.begin() + 7, all.end()), top);  // each series is above those before
    EXPECT_EQ(std::vector(all.begin(), all.begin() + 7), rest);
    EXPECT_EQ(tsuids({fmt::format("top(2,{})", by), fmt::format("top(5,{})", by)}),
              tsuids({fmt::format("top(2,{})", by)}));
  }
}

TEST_F(QueryExecutorTest, EachSubQueryHasItsOwnFunctions) {
  Fill(/*series=*/6, /*hours=*/1);
  QuerySpec spec = All();
  spec.queries.push_back(spec.queries[0]);
  spec.queries.push_back(spec.queries[0]);
  spec.queries[0].functions = {*ParseFunctionSpec("top(1,max)")};
  spec.queries[2].functions = {*ParseFunctionSpec("bottom(2,max)")};

  const absl::StatusOr<QueryResult> result = tsdb_->queries().Query(spec);

  ASSERT_OK(result);
  std::vector<size_t> indexes;
  for (const ResultSeries& series : result->series)
    indexes.push_back(series.query_index);
  EXPECT_THAT(indexes, ElementsAre(0, 1, 1, 1, 1, 1, 1, 2, 2));
}

TEST_F(QueryExecutorTest, ACancelledQueryEnds) {
  Fill(20, 1);
  QueryControl control;
  CountingSink sink(&control);

  EXPECT_THAT(tsdb_->queries().Query(All(), &sink, &control),
              StatusIs(absl::StatusCode::kCancelled));

  EXPECT_EQ(sink.series, 1u);
}

TEST_F(QueryExecutorTest, TheSinksErrorEndsTheQuery) {
  Fill(20, 1);
  CountingSink sink;
  sink.result = absl::AbortedError("full");

  EXPECT_THAT(tsdb_->queries().Query(All(), &sink, nullptr),
              StatusIs(absl::StatusCode::kAborted, HasSubstr("full")));

  EXPECT_EQ(sink.series, 1u);
}

// The series of an answer with all their points, as text.
std::string TextOf(const QueryResult& result) {
  std::string text;
  for (const ResultSeries& series : result.series) {
    text += fmt::format("{} {}:", series.tags, series.tsuids.size());
    for (const ResultPoint& point : series.points)
      text += fmt::format(" {}={:a}", point.ms, point.value.ToDouble());
    text += "\n";
  }
  return text;
}

TEST_F(QueryExecutorTest, AnswersDoNotDependOnHowSeriesAreSharedOut) {
  options_.query_threads = 3;
  options_.layout.salt_width = 1;
  options_.presplit = "keys:\\x03,\\x05,\\x08,\\x0A,\\x0D,\\x0F,\\x12";
  Fill(/*series=*/150, /*hours=*/4);
  QuerySpec spec = All();
  spec.end_ms = (kHour + 4 * 3600 - 1) * 1000;
  for (const char* const down : {"", "1h-max", "2h-count", "10m-avg", "0all-sum"}) {
    for (const Aggregator aggregator :
         {Aggregator::kNone, Aggregator::kSum, Aggregator::kMimmin, Aggregator::kP99}) {
      for (const ReadMethod method : {ReadMethod::kSkipScan, ReadMethod::kLinearScan}) {
        spec.queries[0].aggregator = aggregator;
        spec.queries[0].downsample.reset();
        if (*down != '\0') spec.queries[0].downsample = *ParseDownsampleSpec(down);
        spec.read_method = method;
        spec.read_division = ReadDivision::kByBucket;
        const auto by_bucket = tsdb_->queries().Query(spec);
        spec.read_division = ReadDivision::kBySeries;
        const auto by_series = tsdb_->queries().Query(spec);
        ASSERT_OK(by_bucket);
        ASSERT_OK(by_series);
        EXPECT_EQ(TextOf(*by_bucket), TextOf(*by_series)) << down;
        EXPECT_EQ(by_bucket->rows_read, 150u);  // of the day
        EXPECT_EQ(by_series->rows_read, 150u);
      }
    }
  }
}

TEST_F(QueryExecutorTest, OneOfManyReadsTheRowOfItsDay) {
  Fill(100, 3);
  QueryControl control;
  CountingSink sink;

  ASSERT_OK(tsdb_->queries().Query(Hosts("h042", kHour + 3 * 3600 - 10), &sink, &control));

  EXPECT_EQ(control.cost().rows, 1u);
  EXPECT_EQ(control.cost().day_rows, 1u);
  EXPECT_EQ(control.plans()[0].cost.day_rows, 1u);
  EXPECT_EQ(control.cost().rows_skipped, 0u);
  EXPECT_EQ(control.cost().points, 180u);
  EXPECT_EQ(control.cost().cells, 1u);
}

TEST_F(QueryExecutorTest, OneOfManyReadsItsRowsOnly) {
  options_.day_row_points = 0;
  Fill(100, 3);
  QueryControl control;
  CountingSink sink;

  ASSERT_OK(tsdb_->queries().Query(Hosts("h042", kHour + 3 * 3600 - 10), &sink, &control));

  EXPECT_EQ(control.cost(), (QueryCost{.series = 1,
                                       .rows = 3,
                                       .rows_skipped = 0,
                                       .points = 180,
                                       .bytes = control.cost().bytes,
                                       .cells = 3,
                                       .memory = control.cost().memory}));
  ASSERT_EQ(control.plans().size(), 1u);
  const PlanReport plan = control.plans()[0];
  EXPECT_EQ(plan.method, "point reads");
  EXPECT_EQ(plan.series, 1u);
  EXPECT_EQ(plan.groups, 1u);
  EXPECT_EQ(plan.expected_rows, 3u);
  EXPECT_EQ(plan.cost.rows, 3u);
}

TEST_F(QueryExecutorTest, EveryMethodGivesTheSame) {
  Fill(40, 2);
  std::vector<size_t> points;
  for (const ReadMethod method : {ReadMethod::kCheapest, ReadMethod::kPointReads,
                                  ReadMethod::kSkipScan, ReadMethod::kLinearScan}) {
    QuerySpec spec = Hosts("h003|h004|h017|h030");
    spec.read_method = method;
    QueryControl control;
    CountingSink sink;
    ASSERT_OK(tsdb_->queries().Query(spec, &sink, &control));
    points.push_back(sink.points);
    EXPECT_EQ(control.cost().rows, 4u) << ReadMethodName(method);
    EXPECT_EQ(control.cost().day_rows, 4u) << ReadMethodName(method);
    if (method != ReadMethod::kCheapest) {
      EXPECT_EQ(control.plans()[0].method, ReadMethodName(method));
    }
  }
  EXPECT_THAT(points, ElementsAre(204, 204, 204, 204));
}

TEST_F(QueryExecutorTest, SubQueriesReadAtOnceAnswerAsOneByOne) {
  Fill(100, 2);
  QuerySpec together = Hosts("h000");
  together.queries.clear();
  for (int tens = 0; tens < 10; ++tens) {
    std::vector<std::string> hosts;
    for (int ones = 0; ones < 10; ++ones)
      hosts.push_back(fmt::format("h0{}{}", tens, ones));
    SubQuery query = Hosts(fmt::format("{}", fmt::join(hosts, "|"))).queries[0];
    together.queries.push_back(std::move(query));
  }
  QueryControl control;
  QueryResult result;
  ResultCollector collector(&result);

  ASSERT_OK(tsdb_->queries().Query(together, &collector, &control));

  ASSERT_EQ(result.series.size(), 100u);
  for (size_t i = 0; i < 100; ++i) {
    const ResultSeries& series = result.series[i];
    EXPECT_EQ(series.query_index, i / 10);
    const auto alone = tsdb_->queries().Query(Hosts(fmt::format("h{:03}", i)));
    ASSERT_OK(alone);
    ASSERT_EQ(alone->series.size(), 1u);
    EXPECT_EQ(series.tags, alone->series[0].tags);
    EXPECT_EQ(series.points, alone->series[0].points);
  }
  ASSERT_EQ(control.plans().size(), 10u);
  for (const PlanReport& plan : control.plans())
    EXPECT_EQ(plan.cost.rows, 10u);
}

// Those with buckets are read together, and finished in their order.
TEST_F(QueryExecutorTest, LargeAndSmallSubQueriesAnswerAsOneByOne) {
  options_.query_threads = 3;
  Fill(100, 2);
  QuerySpec large = All();
  large.end_ms = (kHour + 2 * 3600 - 1) * 1000;
  QuerySpec sum = large;
  sum.queries[0].aggregator = Aggregator::kSum;
  const QuerySpec small = Hosts("h007", kHour + 2 * 3600 - 1);
  QuerySpec hourly = large;
  hourly.queries[0].downsample = *ParseDownsampleSpec("1h-max");
  const std::vector<QuerySpec> specs{hourly, hourly, small, sum,    hourly,
                                     large,  hourly, small, hourly, sum};
  QuerySpec together = large;
  together.queries.clear();
  std::string expected;
  for (const QuerySpec& spec : specs) {
    together.queries.push_back(spec.queries[0]);
    const auto alone = tsdb_->queries().Query(spec);
    ASSERT_OK(alone);
    expected += TextOf(*alone);
  }

  const auto result = tsdb_->queries().Query(together);

  ASSERT_OK(result);
  EXPECT_EQ(TextOf(*result), expected);
  EXPECT_TRUE(std::ranges::is_sorted(result->series, {}, &ResultSeries::query_index));
}

TEST_F(QueryExecutorTest, WhatIsUnknownIsFoundBeforeTheFirstResult) {
  Fill(20, 1);
  QuerySpec spec = All();
  spec.queries.push_back(spec.queries[0]);
  spec.queries[1].metric = "nosuch";
  CountingSink sink;

  EXPECT_THAT(tsdb_->queries().Query(spec, &sink, nullptr),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("nosuch")));

  EXPECT_EQ(sink.series, 0u);
}

// Each may take a megabyte and some ten milliseconds, whatever the store has.
TEST_F(QueryExecutorTest, RegularExpressionsAreBoundedInNumber) {
  constexpr size_t kMost = 128;
  Fill(2, 1);
  QuerySpec spec = All();
  spec.queries.push_back(spec.queries[0]);
  for (size_t i = 0; i < kMost; ++i) {
    spec.queries[i % 2].filters.push_back(
        {.tagk = "host", .type = FilterType::kRegexp, .filter = "h.*", .group_by = false});
  }
  CountingSink sink;
  EXPECT_OK(tsdb_->queries().Query(spec, &sink, nullptr));

  spec.queries[1].filters.push_back(spec.queries[0].filters[0]);

  EXPECT_THAT(tsdb_->queries().Query(spec, &sink, nullptr),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("128 regular expressions")));
}

TEST_F(QueryExecutorTest, ALimitMetWhileReadingAheadEndsTheQueryInItsTurn) {
  options_.query_limits = {.points = 500};
  Fill(40, 1);
  QuerySpec spec = Hosts("h000");
  spec.queries.push_back(spec.queries[0]);
  spec.queries[1].filters[0] = {
      .tagk = "host", .type = FilterType::kWildcard, .filter = "*", .group_by = false};
  CountingSink sink;

  EXPECT_THAT(tsdb_->queries().Query(spec, &sink, nullptr),
              StatusIs(absl::StatusCode::kResourceExhausted));

  EXPECT_EQ(sink.series, 1u);
}

TEST_F(QueryExecutorTest, LimitsAreThoseOfTheMetric) {
  options_.query_limits = {.points = 1000, .rows = 100, .series = 10, .range_ms = 7'200'000};
  options_.query_limit_overrides = {{.metric = "^other$", .limits = {.series = 1}},
                                    {.metric = "^m$", .limits = {.series = 30}},
                                    {.metric = "m", .limits = {.series = 2}}};
  Fill(20, 1);
  CountingSink sink;

  EXPECT_OK(tsdb_->queries().Query(All(), &sink, nullptr));

  options_.query_limit_overrides.clear();
  ASSERT_OK(tsdb_->Close());
  tsdb_ = *Tsdb::Open(options_);
  EXPECT_THAT(tsdb_->queries().Query(All()),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("limit of 10 series")));
  EXPECT_THAT(tsdb_->queries().Query(Hosts("h001", kHour + 7201)),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("limit of 7200000 ms")));
  EXPECT_OK(tsdb_->queries().Query(Hosts("h001")).status());
}

TEST_F(QueryExecutorTest, MemoryIsBoundedAndGivenBack) {
  options_.query_memory_bytes = 8 << 10;
  Fill(20, 1);
  const QuerySpec sum = MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour + 3599);

  EXPECT_THAT(tsdb_->queries().Query(sum),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("tsd.query.memory")));
  // A query for less does not show it.
  for (int i = 0; i < 10; ++i)
    EXPECT_OK(tsdb_->queries().Query(Hosts("h001")).status());
}

TEST_F(QueryExecutorTest, ABatchOfGroupsInAnyOrderIsTaggedRight) {
  Fill(10, 1);
  QuerySpec spec = MakeQuery(Aggregator::kSum, "m", {{"dc", FilterType::kWildcard, "*", true}},
                             kHour, kHour + 59);

  const auto result = tsdb_->queries().Query(spec);

  ASSERT_OK(result);
  ASSERT_EQ(result->series.size(), 2u);
  EXPECT_THAT(result->series[0].tags, ElementsAre(testing::Pair("dc", "east")));
  EXPECT_THAT(result->series[0].aggregate_tags, ElementsAre("host"));
  EXPECT_THAT(result->series[0].points,
              ElementsAre(ResultPoint{.ms = kHour * 1000, .value = Value::Integer(20)}));
  EXPECT_THAT(result->series[1].points,
              ElementsAre(ResultPoint{.ms = kHour * 1000, .value = Value::Integer(25)}));
}

// A clock that advances by 1 ms with each look, and cancels a query at a given look.
class LookedAtClock : public Clock {
 public:
  int64_t NowMs() override { return kHour * 1000; }
  int64_t MonotonicMs() override {
    const int64_t looks = looks_.fetch_add(1);
    if (looks == cancel_at_) to_cancel_.load()->Cancel();
    return 1'000 + looks;
  }
  void CancelAfter(int64_t looks, QueryControl* control) {
    to_cancel_ = control;
    cancel_at_ = looks_ + looks;
  }

 private:
  std::atomic<int64_t> looks_{0};
  std::atomic<int64_t> cancel_at_{-1};
  std::atomic<QueryControl*> to_cancel_{nullptr};
};

class QueryPlanningTest : public QueryExecutorTest {
 protected:
  static constexpr int kSeries = 1000;
  // Of each value PCRE2 takes as many steps as it may.
  static constexpr const char* kSlow = "(?=a)(a+)+$";

  void SetUp() override {
    options_.clock = &clock_;
    tsdb_ = *Tsdb::Open(options_);
    for (int i = 0; i < kSeries; ++i) {
      OwnedPoint point("m", fmt::format("host={}{:05}", std::string(24, 'a'), i), kHour, i);
      ASSERT_OK(tsdb_->points().Put(point.view()));
    }
  }

  void TearDown() override { tsdb_ = nullptr; }  // it looks at the clock

  // Values that were read to be judged, of all queries so far.
  uint64_t ValuesRead() {
    uint64_t values = 0;
    for (const StatSample& sample : tsdb_->stats().Snapshot()) {
      const bool is_lookup = sample.name == "uid.cache-hit" || sample.name == "uid.cache-miss";
      if (is_lookup && sample.tags == StatTags{{"kind", "tagv"}}) {
        values += static_cast<uint64_t>(sample.value);
      }
    }
    return values;
  }

  QuerySpec Of(FilterType type, const std::string& filter) {
    QuerySpec spec =
        MakeQuery(Aggregator::kSum, "m", {{"host", type, filter, false}}, kHour, kHour + 60);
    spec.deadline_ms = clock_.MonotonicMs() + 1'000'000;
    return spec;
  }

  LookedAtClock clock_;
};

TEST_F(QueryPlanningTest, EndsAtTheDeadline) {
  QuerySpec spec = Of(FilterType::kRegexp, kSlow);
  spec.deadline_ms = clock_.MonotonicMs() + 100;
  const uint64_t before = ValuesRead();
  CountingSink sink;

  EXPECT_THAT(tsdb_->queries().Query(spec, &sink, nullptr),
              StatusIs(absl::StatusCode::kDeadlineExceeded));

  EXPECT_LE(ValuesRead() - before, 101u);
}

TEST_F(QueryPlanningTest, EndsWhenTheQueryIsCancelled) {
  QueryControl control;
  CountingSink sink;
  const QuerySpec spec = Of(FilterType::kRegexp, kSlow);
  const uint64_t before = ValuesRead();
  clock_.CancelAfter(100, &control);

  EXPECT_THAT(tsdb_->queries().Query(spec, &sink, &control),
              StatusIs(absl::StatusCode::kCancelled));

  EXPECT_LE(ValuesRead() - before, 101u);
}

TEST_F(QueryPlanningTest, DoesNotBeginForACancelledQuery) {
  QueryControl control;
  control.Cancel();
  CountingSink sink;
  for (const FilterType type : {FilterType::kRegexp, FilterType::kWildcard}) {
    const uint64_t before = ValuesRead();
    EXPECT_THAT(tsdb_->queries().Query(Of(type, "a*"), &sink, &control),
                StatusIs(absl::StatusCode::kCancelled));
    EXPECT_EQ(ValuesRead(), before);
  }
}

}  // namespace
}  // namespace hourcell::query_executor_test
