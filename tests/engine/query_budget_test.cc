// The allocations of queries, compared with their counts in tsd.query.memory.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/query.h"
#include "engine/read/query_executor.h"
#include "engine/tsdb.h"
#include "tests/engine/live_bytes.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::query_budget_test {
namespace {

constexpr int64_t kHour = 1356998400;
constexpr int64_t kDay = 86'400;

// Uncounted memory, which does not grow with the query: cursors, blocks of the cache, buffers of
// threads.
constexpr size_t kFixedBytes = size_t{4} << 20;

class PointCount : public QuerySink {
 public:
  absl::Status OnSeries(const SeriesView& series) override {
    points += series.points.size();
    return absl::OkStatus();
  }
  uint64_t points = 0;
};

struct Usage {
  absl::Status status;
  uint64_t points = 0;
  size_t counted = 0;    // at the peak
  size_t allocated = 0;  // at the peak, more than before
};

class QueryBudgetTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!kCountsLiveBytes) GTEST_SKIP() << "the sanitizers bring their own operator new";
    options_.query_threads = 2;
    options_.query_memory_bytes = 0;
    tsdb_ = *Tsdb::Open(options_);
  }

  void Reopen(size_t memory_bytes) {
    ASSERT_OK(tsdb_->Close());
    options_.query_memory_bytes = memory_bytes;
    tsdb_ = *Tsdb::Open(options_);
  }

  void Put(const std::string& metric, int host, int64_t time_s, int64_t value) {
    OwnedPoint point(metric, fmt::format("host=h{:05}", host), time_s, value);
    ASSERT_OK(tsdb_->points().Put(point.view()));
  }

  Usage Run(const QuerySpec& spec) {
    PointCount sink;
    QueryControl control;
    const size_t before = LiveBytes();
    ResetLiveBytesPeak();
    const absl::Status status = tsdb_->queries().Query(spec, &sink, &control);
    return {.status = status,
            .points = sink.points,
            .counted = control.cost().memory,
            .allocated = LiveBytesPeak() - before};
  }

  static QuerySpec Spec(const std::string& metric,
                        Aggregator aggregator,
                        const std::string& downsample,
                        bool by_host,
                        int64_t days) {
    std::vector<TagFilterSpec> filters;
    if (by_host) filters.push_back({"host", FilterType::kWildcard, "*", true});
    QuerySpec spec = MakeQuery(aggregator, metric, std::move(filters), kHour, kHour + days * kDay);
    if (!downsample.empty()) spec.queries[0].downsample = *ParseDownsampleSpec(downsample);
    return spec;
  }

  TempDir directory_;
  Options options_ = TinyOptions(directory_.file("store"));
  std::unique_ptr<Tsdb> tsdb_;
};

// All shapes of one sub query over a metric.
std::vector<std::pair<std::string, QuerySpec>> ShapesOf(
    const std::function<QuerySpec(Aggregator, const std::string&, bool)>& make) {
  std::vector<std::pair<std::string, QuerySpec>> shapes;
  for (const char* const downsample : {"", "1m-sum-zero", "1h-max-nan", "1m-avg-none",
                                       "1d-p99-none", "0all-median", "1dc-sum-zero"}) {
    for (const Aggregator aggregator : {Aggregator::kNone, Aggregator::kDev, Aggregator::kP99}) {
      for (const bool by_host : {false, true}) {
        for (const bool is_rate : {false, true}) {
          QuerySpec spec = make(aggregator, downsample, by_host);
          if (is_rate) spec.queries[0].rate = RateSpec{};
          shapes.emplace_back(
              fmt::format("downsample {}, aggregator {}, by host {}, rate {}", downsample,
                          static_cast<int>(aggregator), by_host, is_rate),
              std::move(spec));
        }
      }
    }
  }
  return shapes;
}

TEST_F(QueryBudgetTest, WhatIsAllocatedIsCounted) {
  // One point a series, whose range is filled; many points; many that are in memory only.
  for (int host = 0; host < 60; ++host)
    Put("sparse", host, kHour + 7 * kDay, host);
  for (int host = 0; host < 40; ++host) {
    for (int64_t at = 0; at < 6 * 3600; at += 10)
      Put("dense", host, kHour + at + host % 3, at);
  }
  ASSERT_OK(tsdb_->maintenance().Seal());
  for (int host = 0; host < 40; ++host) {
    for (int64_t at = 0; at < 3 * 3600; at += 5)
      Put("open", host, kHour + at, at);
  }
  for (const char* const metric : {"sparse", "dense", "open"}) {
    const auto shapes =
        ShapesOf([&](Aggregator aggregator, const std::string& downsample, bool by_host) {
          return Spec(metric, aggregator, downsample, by_host, /*days=*/14);
        });
    ASSERT_OK(Run(shapes.front().second).status);  // fills the caches
    for (const auto& [name, spec] : shapes) {
      const Usage usage = Run(spec);
      ASSERT_OK(usage.status);
      EXPECT_LE(usage.allocated, 2 * usage.counted + kFixedBytes) << metric << ", " << name;
    }
  }
}

TEST_F(QueryBudgetTest, NoShapeTakesMoreThanTheLimit) {
  constexpr size_t kLimit = size_t{4} << 20;
  for (int host = 0; host < 60; ++host)
    Put("sparse", host, kHour + 7 * kDay, host);
  for (int host = 0; host < 40; ++host) {
    for (int64_t at = 0; at < 6 * 3600; at += 10)
      Put("dense", host, kHour + at + host % 3, at);
  }
  ASSERT_OK(tsdb_->maintenance().Seal());
  Reopen(kLimit);
  size_t answered = 0;
  size_t refused = 0;
  for (const char* const metric : {"sparse", "dense"}) {
    const auto shapes =
        ShapesOf([&](Aggregator aggregator, const std::string& downsample, bool by_host) {
          return Spec(metric, aggregator, downsample, by_host, /*days=*/28);
        });
    Run(shapes.front().second);  // fills the caches
    for (const auto& [name, spec] : shapes) {
      const Usage usage = Run(spec);
      ++(usage.status.ok() ? answered : refused);
      if (!usage.status.ok()) {
        EXPECT_THAT(usage.status, StatusIs(absl::StatusCode::kResourceExhausted,
                                           testing::HasSubstr("tsd.query.memory")));
      }
      EXPECT_LE(usage.counted, kLimit) << metric << ", " << name;
      EXPECT_LE(usage.allocated, 2 * kLimit + kFixedBytes) << metric << ", " << name;
    }
  }
  EXPECT_GT(answered, 80u);
  EXPECT_GT(refused, 0u);
}

// Each series has one point, and its range 100,000 hours.
TEST_F(QueryBudgetTest, FilledSeriesTakeTheMemoryOfOne) {
  for (int host = 0; host < 60; ++host)
    Put("f", host, kHour, host);
  ASSERT_OK(tsdb_->maintenance().Seal());
  Reopen(size_t{12} << 20);
  QuerySpec spec = Spec("f", Aggregator::kSum, "1h-sum-zero", /*by_host=*/true, /*days=*/1);
  spec.start_ms = 1'000'000'000'000;
  spec.end_ms = 1'360'000'000'000;

  Run(spec);
  const Usage usage = Run(spec);

  ASSERT_OK(usage.status);
  EXPECT_EQ(usage.points, 60u * 100'000);
  EXPECT_LE(usage.allocated, (size_t{12} << 20) + kFixedBytes);
}

TEST_F(QueryBudgetTest, AnnotationsAreCounted) {
  Put("m", 1, kHour, 1);
  ASSERT_OK(tsdb_->maintenance().Seal());
  std::vector<AnnotationEdit> edits;
  for (int64_t i = 0; i < 100; ++i) {
    for (const char* const tsuid : {"000001000001000001", ""}) {
      edits.push_back(
          {.tsuid = tsuid, .start_time = kHour + i, .notes = std::string(size_t{10} << 10, 'n')});
    }
  }
  ASSERT_OK(tsdb_->annotations().Put(edits, AnnotationWrite::kMerge));
  Reopen(size_t{512} << 10);
  QuerySpec spec = Spec("m", Aggregator::kSum, "", /*by_host=*/false, /*days=*/1);

  EXPECT_THAT(Run(spec).status, StatusIs(absl::StatusCode::kResourceExhausted));
  spec.end_ms = spec.start_ms + 1000;
  EXPECT_OK(Run(spec).status);
  spec = Spec("m", Aggregator::kSum, "", /*by_host=*/false, /*days=*/1);
  spec.annotations = false;
  EXPECT_OK(Run(spec).status);
  spec.annotations = true;
  spec.global_annotations = true;
  EXPECT_THAT(Run(spec).status, StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST_F(QueryBudgetTest, LastPointsAndLookUpsAreCounted) {
  for (int host = 0; host < 3000; ++host)
    Put("m", host, kHour, host);
  ASSERT_OK(tsdb_->maintenance().Seal());
  const auto count_last = [&](QueryControl* control) {
    size_t points = 0;
    const absl::Status status = tsdb_->queries().LastPoints(
        {.queries = {{.metric = "m"}}}, [&](const LastPoint&) { ++points; }, control);
    return status.ok() ? points : 0;
  };
  QueryControl warm;
  EXPECT_EQ(count_last(&warm), 3000u);
  QueryControl control;
  const size_t before = LiveBytes();
  ResetLiveBytesPeak();
  EXPECT_EQ(count_last(&control), 3000u);
  EXPECT_GE(control.cost().memory, 3000u * 100);
  EXPECT_LE(LiveBytesPeak() - before, 2 * control.cost().memory + kFixedBytes);

  Reopen(size_t{64} << 10);
  EXPECT_EQ(count_last(nullptr), 0u);
  EXPECT_OK(tsdb_->queries().LastPoints(
      {.queries = {{.metric = "m", .tags = {{"host", "h00007"}}}}}, [](const LastPoint&) {}));
  // A look-up by one tag lists its results; a look-up of all does not.
  const auto visit = [](const FoundSeries&) { return true; };
  EXPECT_THAT(tsdb_->queries().LookupSeries({.metric = ""}, visit), IsOkAndHolds(3000u));
}

// The names of an answer are kept to save look-ups; names may be long.
TEST_F(QueryBudgetTest, LookUpsSuggestionsAndTheirNamesAreCounted) {
  options_.write_buffer_bytes = 16 << 20;  // names are written faster than merged
  Reopen(0);
  for (int host = 0; host < 8000; ++host) {
    OwnedPoint point("m", fmt::format("host={:0>1000} rack=r{}", host, host % 2), kHour, host);
    ASSERT_OK(tsdb_->points().Put(point.view()));
  }
  ASSERT_OK(tsdb_->maintenance().Seal());
  tsdb_->maintenance().DropCaches();
  const auto visit = [](const FoundSeries&) { return true; };
  const auto check = [](const std::string& name, const std::function<void(QueryControl*)>& run) {
    QueryControl warm;
    run(&warm);  // fills the caches
    QueryControl control;
    const size_t before = LiveBytes();
    ResetLiveBytesPeak();
    run(&control);
    EXPECT_LE(LiveBytesPeak() - before, 2 * control.cost().memory + kFixedBytes) << name;
    return control.cost().memory;
  };
  EXPECT_GT(check("all of a metric",
                  [&](QueryControl* control) {
                    EXPECT_OK(tsdb_->queries().LookupSeries({.metric = "m"}, visit, control));
                  }),
            8000u * 1000);
  EXPECT_GT(check("of a tag",
                  [&](QueryControl* control) {
                    EXPECT_OK(tsdb_->queries().LookupSeries(
                        {.metric = "m", .tags = {{"rack", "r1"}}}, visit, control));
                  }),
            4000u * 1000);
  EXPECT_GT(check("last points with their names",
                  [&](QueryControl* control) {
                    EXPECT_OK(tsdb_->queries().LastPoints(
                        {.queries = {{.metric = "m"}}, .resolve = true}, [](const LastPoint&) {},
                        control));
                  }),
            8000u * 1000);
  EXPECT_EQ(check("names",
                  [&](QueryControl* control) {
                    EXPECT_OK(tsdb_->names().VisitNames(
                        {.kind = UidKind::kTagv, .prefix = "0"},
                        [](std::string_view) { return true; }, control));
                  }),
            0u);
  check("groups with their names", [&](QueryControl* control) {
    PointCount sink;
    EXPECT_OK(tsdb_->queries().Query(Spec("m", Aggregator::kSum, "", /*by_host=*/true, /*days=*/1),
                                     &sink, control));
    EXPECT_EQ(sink.points, 8000u);
  });
}

// There are 400 rows with 3600 points each.
TEST_F(QueryBudgetTest, RowsThatADeleteRewritesAreCounted) {
  for (int host = 0; host < 20; ++host) {
    for (int64_t at = 0; at < 20 * 3600; at += 1)
      Put("m", host, kHour + at, at * 7919 % 1'000'003);
  }
  ASSERT_OK(tsdb_->maintenance().Seal());
  QueryControl control;
  const size_t before = LiveBytes();
  ResetLiveBytesPeak();
  ASSERT_OK(tsdb_->points().DeletePoints(
      MakeQuery(Aggregator::kSum, "m", {}, kHour + 600, kHour + 20 * 3600 - 600), &control));
  EXPECT_GT(control.cost().memory, size_t{512} << 10);
  EXPECT_LE(LiveBytesPeak() - before, 2 * control.cost().memory + kFixedBytes);
}

TEST_F(QueryBudgetTest, AnnotationsThatAreWrittenAndListedAreCounted) {
  const std::string notes(size_t{100} << 10, 'n');
  std::vector<AnnotationEdit> edits;
  for (int64_t i = 0; i < 100; ++i)
    edits.push_back({.tsuid = "", .start_time = kHour + i, .notes = notes});
  ASSERT_OK(tsdb_->annotations().Put(edits, AnnotationWrite::kReplace));
  // Small edits of large annotations.
  for (AnnotationEdit& edit : edits)
    edit = {.tsuid = "", .start_time = edit.start_time, .description = "d"};
  const auto check = [&](const std::function<size_t(MemoryAccount*)>& run) {
    QueryControl control;
    const auto memory = tsdb_->queries().LeaseQueryMemory(&control);
    const size_t before = LiveBytes();
    ResetLiveBytesPeak();
    EXPECT_EQ(run(memory.get()), 100u);
    EXPECT_GT(control.cost().memory, 100u * notes.size());
    EXPECT_LE(LiveBytesPeak() - before, 2 * control.cost().memory + kFixedBytes);
  };
  check([&](MemoryAccount* memory) {
    return tsdb_->annotations().Put(edits, AnnotationWrite::kMerge, memory)->size();
  });
  check([&](MemoryAccount* memory) {
    return tsdb_->annotations().Global(kHour * 1000, (kHour + 1000) * 1000, memory)->size();
  });
  Reopen(size_t{4} << 20);
  EXPECT_THAT(
      tsdb_->annotations().Put(edits, AnnotationWrite::kMerge),
      StatusIs(absl::StatusCode::kResourceExhausted, testing::HasSubstr("tsd.query.memory")));
  EXPECT_THAT(tsdb_->annotations().Global(kHour * 1000, (kHour + 1000) * 1000),
              StatusIs(absl::StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace hourcell::query_budget_test
