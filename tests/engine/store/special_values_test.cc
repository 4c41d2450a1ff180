// Special values (Value::is_special): stored bit for bit, and shown as points only on request.

#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "engine/fsck_admin.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::special_values_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr int64_t kHour = 1356998400;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class SpecialValuesTest : public testing::TestWithParam<CellEncoding> {
 protected:
  SpecialValuesTest() : options_(TinyOptions(directory_.path())) {
    options_.cell_encoding = GetParam();
    options_.clock = &clock_;
    options_.seal_in_background = false;
  }

  Tsdb& tsdb() {
    if (tsdb_ == nullptr) tsdb_ = *Tsdb::Open(options_);
    return *tsdb_;
  }

  void Put(int64_t second, Value value) {
    OwnedPoint point("m", "h=a", Timestamp{.ms = (kHour + second) * 1000}, value);
    PointView view = point.view();
    view.may_be_special = true;
    ASSERT_OK(tsdb().points().Put(view));
  }

  // Three numbers and all special values.
  void PutAll() {
    Put(10, Value::Integer(1));
    Put(20, Value::Float(2.5));
    Put(30, Value::StaleMarker());
    Put(40, Value::Integer(4));
    Put(50, Value::StaleMarker());
    Put(51, Value::NotANumber());
    Put(52, Value::Float(kInfinity));
    Put(53, Value::Float(-kInfinity));
  }

  std::vector<std::pair<int64_t, uint64_t>> Points(QuerySpec spec) {
    const auto result = tsdb().queries().Query(spec);
    EXPECT_OK(result);
    std::vector<std::pair<int64_t, uint64_t>> points;
    if (!result.ok() || result->series.empty()) return points;
    for (const ResultPoint& point : result->series[0].points)
      points.emplace_back(point.ms / 1000 - kHour, std::bit_cast<uint64_t>(point.value.ToDouble()));
    return points;
  }

  static uint64_t Bits(double value) { return std::bit_cast<uint64_t>(value); }

  void ExpectAll() {
    QuerySpec spec = MakeQuery(Aggregator::kNone, "m", {}, kHour, kHour + 3600);
    EXPECT_THAT(Points(spec),
                ElementsAre(Pair(10, Bits(1)), Pair(20, Bits(2.5)), Pair(40, Bits(4))));
    spec.special_values = true;
    EXPECT_THAT(
        Points(spec),
        ElementsAre(Pair(10, Bits(1)), Pair(20, Bits(2.5)), Pair(30, Value::kStaleMarkerBits),
                    Pair(40, Bits(4)), Pair(50, Value::kStaleMarkerBits), Pair(51, Value::kNanBits),
                    Pair(52, Bits(kInfinity)), Pair(53, Bits(-kInfinity))));
    for (const char* downsample : {"1h-count", "1h-sum", "1h-last", "1h-max", "1h-min"}) {
      QuerySpec by_hour = MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour + 3600);
      by_hour.queries[0].downsample = *ParseDownsampleSpec(downsample);
      const std::string function(std::string(downsample).substr(3));
      const double want = function == "count" ? 3
                          : function == "sum" ? 7.5
                          : function == "min" ? 1
                                              : 4;
      EXPECT_THAT(Points(by_hour), ElementsAre(Pair(0, Bits(want)))) << downsample;
    }
    EXPECT_THAT(LastMs(), ElementsAre((kHour + 40) * 1000));
  }

  std::vector<int64_t> LastMs() {
    std::vector<int64_t> found;
    EXPECT_OK(
        tsdb().queries().LastPoints({.queries = {{.metric = "m"}}},
                                    [&](const LastPoint& point) { found.push_back(point.ms); }));
    return found;
  }

  TempDir directory_;
  ManualClock clock_{(kHour + 1800) * 1000};
  Options options_;
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_P(SpecialValuesTest, OpenHoursHaveThem) {
  PutAll();
  ExpectAll();
}

TEST_P(SpecialValuesTest, TheJournalGivesThemBack) {
  PutAll();
  tsdb_.reset();
  ExpectAll();
}

TEST_P(SpecialValuesTest, CellsHaveThem) {
  PutAll();
  ASSERT_OK(tsdb().maintenance().Flush());
  ExpectAll();
  tsdb_.reset();
  ExpectAll();
  const auto report = tsdb().maintenance().fsck()->Check({});
  ASSERT_OK(report);
  EXPECT_THAT(report->counts, IsEmpty()) << report->examples[0].text;
}

TEST_P(SpecialValuesTest, CellsAndOpenHoursAreMerged) {
  Put(10, Value::Integer(1));
  Put(20, Value::StaleMarker());
  Put(30, Value::Integer(3));
  Put(40, Value::Integer(4));
  ASSERT_OK(tsdb().maintenance().Flush());
  Put(20, Value::Float(2.5));
  Put(30, Value::StaleMarker());
  Put(50, Value::StaleMarker());
  Put(51, Value::NotANumber());
  Put(52, Value::Float(kInfinity));
  Put(53, Value::Float(-kInfinity));

  ExpectAll();
  ASSERT_OK(tsdb().maintenance().Flush());
  ExpectAll();
}

TEST_P(SpecialValuesTest, ASeriesOfSpecialValuesAloneHasNoPoint) {
  Put(10, Value::StaleMarker());
  Put(11, Value::Float(kInfinity));
  ASSERT_OK(tsdb().maintenance().Flush());

  EXPECT_THAT(Points(MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour + 3600)), IsEmpty());
  EXPECT_THAT(LastMs(), IsEmpty());
}

TEST_P(SpecialValuesTest, AreRefusedUnlessThePointMayBeSpecial) {
  for (const double value : {std::nan(""), kInfinity, -kInfinity}) {
    OwnedPoint point("m", "h=a", Timestamp{.ms = kHour * 1000}, Value::Float(value));
    EXPECT_THAT(tsdb().points().Put(point.view()), StatusIs(absl::StatusCode::kInvalidArgument,
                                                            HasSubstr("value is NaN or Infinite")));
  }
}

// Also a row of a day, and a column of floats with few decimals.
TEST_P(SpecialValuesTest, RowsOfManyPointsHaveThem) {
  std::vector<std::pair<int64_t, uint64_t>> all;
  std::vector<std::pair<int64_t, uint64_t>> numbers;
  for (int64_t i = 0; i < 300; ++i) {
    const Value value = i % 7 == 3    ? Value::NotANumber()
                        : i % 11 == 5 ? Value::Float(i % 2 == 0 ? kInfinity : -kInfinity)
                        : i % 13 == 1 ? Value::StaleMarker()
                                      : Value::Float(static_cast<double>(i) / 4 + 0.01);
    Put(10 * i, value);
    all.emplace_back(10 * i, Bits(value.floating()));
    if (!value.is_special()) numbers.push_back(all.back());
  }
  QuerySpec spec = MakeQuery(Aggregator::kNone, "m", {}, kHour, kHour + 3600);
  for (const bool is_flushed : {false, true}) {
    if (is_flushed) {
      ASSERT_OK(tsdb().maintenance().Flush());
    }
    spec.special_values = false;
    EXPECT_EQ(Points(spec), numbers) << is_flushed;
    spec.special_values = true;
    EXPECT_EQ(Points(spec), all) << is_flushed;
  }
}

INSTANTIATE_TEST_SUITE_P(Encodings,
                         SpecialValuesTest,
                         testing::Values(CellEncoding::kPacked, CellEncoding::kOpenTsdb));

}  // namespace
}  // namespace hourcell::special_values_test
