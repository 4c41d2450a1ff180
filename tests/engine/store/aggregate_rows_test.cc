// Queries::AggregateRows against a fold over the rows of Queries::Scan.

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "engine/region_admin.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::aggregate_rows_test {
namespace {

using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kHour = 1356998400;
constexpr int kHours = 20;
constexpr size_t kWorkerCounts[] = {1, 3};

struct Variant {
  uint32_t salt_buckets = 0;
  int regions = 1;
  uint32_t day_row_points = 0;
  int64_t undo_s = 0;

  std::string Name() const {
    return fmt::format("Salt{}Regions{}Day{}Undo{}", salt_buckets, regions, day_row_points, undo_s);
  }
  friend void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.Name(); }
};

// A group by a fold that keeps all numbers.
struct NaiveGroup {
  uint64_t rows = 0;
  uint64_t points = 0;
  uint64_t key_bytes = 0;
  std::vector<int64_t> times;
  std::vector<Value> numbers;
};
using NaiveGroups = std::map<std::vector<std::optional<std::string>>, NaiveGroup>;

std::optional<std::string> NaiveBy(const RowGrouping& grouping, const ScannedRow& row) {
  if (grouping.by == RowGroupBy::kMetric) return std::string(row.metric);
  if (grouping.by == RowGroupBy::kHour) return fmt::format("{}", row.base_time_s);
  for (const TagView& tag : row.tags) {
    if (tag.key == grouping.tagk) return std::string(tag.value);
  }
  return std::nullopt;
}

bool NaiveAccepts(const ValueTest& test, Value value) {
  if (value.is_stale_marker()) return false;
  const double left = value.ToDouble();
  const double right = test.operand.ToDouble();
  return (test.comparison == ValueComparison::kLess && left < right) ||
         (test.comparison == ValueComparison::kGreaterOrEqual && left >= right);
}

NaiveGroups NaiveOf(Tsdb* tsdb, const ScanSpec& rows, const RowAggregateSpec& spec) {
  NaiveGroups groups;
  EXPECT_OK(tsdb->queries().Scan(rows, [&](const ScannedRow& row) {
    std::vector<std::optional<std::string>> by;
    for (const RowGrouping& grouping : spec.group_by)
      by.push_back(NaiveBy(grouping, row));
    NaiveGroup counted;
    for (size_t i = 0; i < row.times.size(); ++i) {
      const Value value = row.point_values[i];
      const int64_t ms = row.times[i].ms;
      const bool accepted = std::ranges::all_of(
          spec.values, [&](const ValueTest& test) { return NaiveAccepts(test, value); });
      if (ms < rows.start_ms || ms > rows.end_ms || !accepted) continue;
      counted.times.push_back(ms);
      if (!value.is_stale_marker()) counted.numbers.push_back(value);
    }
    if (counted.times.empty()) return true;
    NaiveGroup& group = groups[by];
    ++group.rows;
    group.key_bytes += row.key.size();
    group.points += counted.times.size();
    group.times.insert(group.times.end(), counted.times.begin(), counted.times.end());
    group.numbers.insert(group.numbers.end(), counted.numbers.begin(), counted.numbers.end());
    return true;
  }));
  return groups;
}

void ExpectNumbers(const RowTotals& totals, const std::vector<Value>& numbers) {
  ASSERT_EQ(totals.numbers(), numbers.size());
  if (numbers.empty()) return;
  long double sum = 0;
  double least = numbers.front().ToDouble();
  double greatest = least;
  for (const Value number : numbers) {
    sum += number.ToDouble();
    least = std::min(least, number.ToDouble());
    greatest = std::max(greatest, number.ToDouble());
  }
  const long double mean = sum / static_cast<long double>(numbers.size());
  long double squares = 0;
  for (const Value number : numbers)
    squares += (number.ToDouble() - mean) * (number.ToDouble() - mean);
  const auto count = static_cast<double>(numbers.size());
  EXPECT_EQ(totals.min()->ToDouble(), least);
  EXPECT_EQ(totals.max()->ToDouble(), greatest);
  EXPECT_DOUBLE_EQ(totals.sum()->ToDouble(), static_cast<double>(sum));
  EXPECT_DOUBLE_EQ(*totals.avg(), static_cast<double>(mean));
  EXPECT_NEAR(*totals.dev(), std::sqrt(static_cast<double>(squares) / count), 1e-6);
}

void ExpectTotals(const RowTotals& totals, const NaiveGroup& want) {
  EXPECT_EQ(totals.rows(), want.rows);
  EXPECT_EQ(totals.points(), want.points);
  EXPECT_EQ(totals.key_bytes(), want.key_bytes);
  EXPECT_GT(totals.cell_bytes(), 0u);
  EXPECT_EQ(totals.first_ms(), *std::ranges::min_element(want.times));
  EXPECT_EQ(totals.last_ms(), *std::ranges::max_element(want.times));
  ExpectNumbers(totals, want.numbers);
}

class AggregateRowsTest : public testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    Options options = TinyOptions(directory_.file("store"));
    options.clock = &clock_;
    options.seal_in_background = false;
    options.day_row_points = GetParam().day_row_points;
    options.undo_s = GetParam().undo_s;
    if (GetParam().salt_buckets > 0) {
      options.layout.salt_width = 1;
      options.layout.salt_buckets = GetParam().salt_buckets;
    }
    tsdb_ = *Tsdb::Open(options);
    Fill(0, kHours / 2);
    ASSERT_OK(tsdb_->maintenance().Flush());
    for (int i = 1; i < GetParam().regions; ++i)
      Split(i * kHours / GetParam().regions);
    Fill(kHours / 2, kHours - 5);
    ASSERT_OK(tsdb_->maintenance().Seal());
    DeleteSome();
    Fill(kHours - 6, kHours);  // one hour is sealed and open
  }

  // Series of two metrics, dense and sparse, with values of all kinds.
  void Fill(int first_hour, int last_hour) {
    std::vector<OwnedPoint> points;
    for (int series = 0; series < 8; ++series) {
      const std::string tags = series % 3 == 0 ? fmt::format("host=h{}", series)
                                               : fmt::format("host=h{} dc=d{}", series, series % 2);
      const int step_s = series < 2 ? 12 : series < 4 ? 60 : 600;
      for (int64_t s = int64_t{first_hour} * 3600; s < int64_t{last_hour} * 3600; s += step_s) {
        points.emplace_back(series % 2 == 0 ? "m" : "n", tags, Timestamp{.ms = (kHour + s) * 1000},
                            AnyValue());
      }
    }
    std::vector<PointView> views;
    for (OwnedPoint& point : points)
      views.push_back(point.view());
    std::vector<RefusedPoint> refused;
    ASSERT_OK(tsdb_->points().Append(views, &refused).Wait());
    ASSERT_THAT(refused, IsEmpty());
  }

  Value AnyValue() {
    if (random_.Below(3) == 0) return Value::Float(random_.Fraction() * 100 - 50);
    return Value::Integer(static_cast<int64_t>(random_.Below(1000)) - 500);
  }

  void DeleteSome() {
    const auto deleted = tsdb_->points().DeletePoints(
        MakeQuery(Aggregator::kSum, "m", {{"host", FilterType::kLiteralOr, "h0|h4", false}},
                  kHour + 4000, kHour + 12'345));
    ASSERT_OK(deleted.status());
    ASSERT_EQ(deleted->undo_id > 0, GetParam().undo_s > 0);
  }

  void Split(int hour) {
    const uint32_t base = static_cast<uint32_t>(kHour) + static_cast<uint32_t>(hour) * 3600;
    std::string at;
    if (GetParam().salt_buckets > 0) {
      at = fmt::format("\\x{:02x}", static_cast<uint32_t>(hour) * GetParam().salt_buckets / kHours);
    }
    at += fmt::format("\\x00\\x00\\x01\\x{:02x}\\x{:02x}\\x{:02x}\\x{:02x}", base >> 24,
                      base >> 16 & 0xff, base >> 8 & 0xff, base & 0xff);
    ASSERT_OK(tsdb_->maintenance().regions()->Split({.region = at, .at = at}).status());
  }

  void ExpectAsNaive(const ScanSpec& rows, RowAggregateSpec spec) {
    const NaiveGroups want = NaiveOf(tsdb_.get(), rows, spec);
    ASSERT_THAT(want, testing::Not(IsEmpty()));
    for (const size_t workers : kWorkerCounts) {
      spec.workers = workers;
      const auto got = tsdb_->queries().AggregateRows(rows, spec);
      ASSERT_OK(got.status());
      EXPECT_LE(got->workers, workers);
      if (spec.group_by.empty()) {
        EXPECT_THAT(got->groups, IsEmpty());
        ExpectTotals(got->total, want.begin()->second);
        continue;
      }
      ASSERT_THAT(got->groups, SizeIs(want.size()));
      uint64_t points = 0;
      for (const RowGroup& group : got->groups) {
        const auto found = want.find(group.by);
        ASSERT_NE(found, want.end());
        ExpectTotals(group.totals, found->second);
        points += group.totals.points();
      }
      EXPECT_EQ(got->total.points(), points);
    }
  }

  TempDir directory_;
  ManualClock clock_{(kHour + (kHours + 24) * 3600) * 1000};
  Random random_{7};
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_P(AggregateRowsTest, EqualsAFoldOverTheScan) {
  const RowGrouping metric{RowGroupBy::kMetric, ""};
  const RowGrouping hour{RowGroupBy::kHour, ""};
  const RowGrouping dc{RowGroupBy::kTag, "dc"};
  const std::vector<ValueTest> positive{*ParseValueTest(">=0"), *ParseValueTest("<250.5")};
  const ScanSpec all;
  const ScanSpec of_metric{.metric = "m"};
  const ScanSpec some{.metric = "n",
                      .filters = {{"dc", FilterType::kLiteralOr, "d1", false}},
                      .start_ms = (kHour + 1000) * 1000,
                      .end_ms = (kHour + 9'999) * 1000};
  for (const ScanSpec& rows : {all, of_metric, some}) {
    for (const std::vector<RowGrouping>& by :
         std::vector<std::vector<RowGrouping>>{{}, {metric}, {dc}, {hour}, {metric, dc, hour}}) {
      ExpectAsNaive(
          rows, {.values = by.size() == 1 ? positive : std::vector<ValueTest>(), .group_by = by});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Stores,
    AggregateRowsTest,
    testing::Values(Variant{},
                    Variant{.regions = 6},
                    Variant{.regions = 6, .day_row_points = 250, .undo_s = 3600},
                    Variant{.salt_buckets = 20, .regions = 4, .day_row_points = 250},
                    Variant{.salt_buckets = 20, .regions = 20, .undo_s = 3600}),
    [](const auto& param_info) { return param_info.param.Name(); });

class AggregateRowsErrorsTest : public testing::Test {
 protected:
  void Open(Options options) {
    options.path = directory_.file("store");
    options.clock = &clock_;
    tsdb_ = *Tsdb::Open(options);
    for (int i = 0; i < 20; ++i) {
      OwnedPoint point("m", fmt::format("host=h{}", i), kHour, i);
      ASSERT_OK(tsdb_->points().Put(point.view()));
    }
  }
  static Options Tiny() { return TinyOptions(""); }
  static RowAggregateSpec ByHost() { return {.group_by = {{RowGroupBy::kTag, "host"}}}; }

  TempDir directory_;
  ManualClock clock_{(kHour + 7200) * 1000};
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(AggregateRowsErrorsTest, MoreGroupsThanAllowedFail) {
  Open(Tiny());
  RowAggregateSpec spec = ByHost();
  spec.groups_max = 20;
  EXPECT_OK(tsdb_->queries().AggregateRows({.metric = "m"}, spec).status());
  spec.groups_max = 19;
  EXPECT_THAT(tsdb_->queries().AggregateRows({.metric = "m"}, spec).status(),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("at most 19")));
  spec.groups_max = 0;
  EXPECT_THAT(tsdb_->queries().AggregateRows({.metric = "m"}, spec).status(),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(AggregateRowsErrorsTest, GroupsCountInTheMemoryOfQueries) {
  Options options = Tiny();
  options.query_memory_bytes = 2000;
  Open(options);

  EXPECT_OK(tsdb_->queries().AggregateRows({.metric = "m"}, {}).status());
  EXPECT_THAT(tsdb_->queries().AggregateRows({.metric = "m"}, ByHost()).status(),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("tsd.query.memory")));
  // The memory is given back.
  EXPECT_OK(tsdb_->queries().AggregateRows({.metric = "m"}, {}).status());
}

TEST_F(AggregateRowsErrorsTest, ItIsCancelledAndTimesOut) {
  Open(Tiny());
  QueryControl control;
  EXPECT_OK(tsdb_->queries().AggregateRows({.metric = "m"}, {}, &control).status());
  EXPECT_EQ(control.rows, 20u);
  EXPECT_EQ(control.points, 20u);
  RowAggregateSpec late;
  late.deadline_ms = clock_.MonotonicMs() - 1;
  EXPECT_THAT(tsdb_->queries().AggregateRows({.metric = "m"}, late).status(),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
  control.Cancel();
  EXPECT_THAT(tsdb_->queries().AggregateRows({.metric = "m"}, {}, &control).status(),
              StatusIs(absl::StatusCode::kCancelled));
}

TEST_F(AggregateRowsErrorsTest, AnUnknownNameIsNotFoundAndNoRowsAreNoError) {
  Open(Tiny());
  EXPECT_THAT(tsdb_->queries().AggregateRows({.metric = "none"}, {}).status(),
              StatusIs(absl::StatusCode::kNotFound));
  const auto empty = tsdb_->queries().AggregateRows({.metric = "m", .end_ms = 1000}, ByHost());
  ASSERT_OK(empty.status());
  EXPECT_THAT(empty->groups, IsEmpty());
  EXPECT_EQ(empty->total.rows(), 0u);
  EXPECT_THAT(empty->regions, SizeIs(Gt(0u)));
}

// A level of a rollup is a metric of its own.
TEST_F(AggregateRowsErrorsTest, AMetricDoesNotIncludeItsRollups) {
  Open(Tiny());
  OwnedPoint level("_rollup/1h-sum/m", "host=h0", kHour, 1000);
  ASSERT_OK(tsdb_->points().Put(level.view()));

  EXPECT_EQ(tsdb_->queries().AggregateRows({.metric = "m"}, {})->total.max(), Value::Integer(19));
  const auto by_metric =
      tsdb_->queries().AggregateRows({}, RowAggregateSpec{.group_by = {{RowGroupBy::kMetric, ""}}});
  ASSERT_OK(by_metric.status());
  std::vector<std::string> metrics;
  for (const RowGroup& group : by_metric->groups)
    metrics.push_back(*group.by.front());
  EXPECT_THAT(metrics, ElementsAre("_rollup/1h-sum/m", "m"));
}

}  // namespace
}  // namespace hourcell::aggregate_rows_test
