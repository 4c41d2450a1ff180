#include "bench/lab/simulate/input/fleet.h"

#include <map>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "tests/support/status_matchers.h"

namespace hourcell::fleet_test {
namespace {

using testing::HasSubstr;

struct Seen {
  uint64_t puts = 0;
  uint64_t rows = 0;
  uint64_t steps = 0;
  std::set<std::string> series;
  std::set<std::pair<std::string, uint64_t>> hours;
  std::map<uint64_t, uint64_t> by_number;
  uint64_t late = 0;
  bool in_order = true;
};

Seen Watch(std::string_view spec, FleetSteps steps = FleetSteps::kPoints, uint64_t seed = 1) {
  const auto fleet = ParseFleet(spec);
  EXPECT_OK(fleet) << spec;
  const auto source = MakeFleet(*fleet, steps, seed);
  Seen seen;
  SourcePut put;
  uint64_t last_ms = 0;
  while (*source->Next(&put)) {
    seen.in_order = seen.in_order && put.now_ms >= last_ms;
    last_ms = put.now_ms;
    seen.puts += put.puts;
    seen.rows += put.begins_row ? 1 : 0;
    ++seen.steps;
    seen.series.emplace(put.parts.tsuid);
    seen.hours.emplace(put.parts.tsuid, put.parts.time_ms / 3'600'000);
    seen.by_number[put.parts.number] += put.puts;
    if (put.parts.time_ms < put.now_ms && steps == FleetSteps::kPoints) seen.late += put.puts;
  }
  return seen;
}

TEST(FleetTest, EverySeriesSendsEveryInterval) {
  const Seen seen = Watch("metrics=2,tags=host:3/cpu:4,interval=10s,duration=2h");

  EXPECT_EQ(seen.series.size(), 24U);
  EXPECT_EQ(seen.puts, 24 * 720U);
  EXPECT_EQ(seen.steps, 24 * 120U);
  EXPECT_EQ(seen.rows, 48U);
  EXPECT_EQ(seen.hours.size(), 48U);
  EXPECT_TRUE(seen.in_order);
}

TEST(FleetTest, RowsAreOneStepEach) {
  const Seen seen = Watch("tags=host:5,interval=1m,duration=3h", FleetSteps::kRows);

  EXPECT_EQ(seen.steps, 15U);
  EXPECT_EQ(seen.rows, 15U);
  EXPECT_EQ(seen.puts, 5 * 180U);
  EXPECT_TRUE(seen.in_order);
}

TEST(FleetTest, IntervalsLongerThanASlice) {
  const Seen seen = Watch("tags=host:50,interval=90s,duration=3h");

  EXPECT_EQ(seen.puts, 50 * 120U);
  EXPECT_EQ(seen.rows, 150U);
  EXPECT_EQ(seen.hours.size(), 150U);
}

TEST(FleetTest, UidsAreInTurn) {
  const auto source =
      MakeFleet(*ParseFleet("metrics=1,tags=host:2/cpu:2,duration=1m"), FleetSteps::kPoints, 1);
  SourcePut put;
  std::string tsuids;
  while (*source->Next(&put))
    tsuids += ToHex(put.parts.tsuid) + "\n";

  EXPECT_EQ(tsuids,
            "000001000001000001000002000003\n"
            "000001000001000001000002000004\n"
            "000001000001000002000002000003\n"
            "000001000001000002000002000004\n");
}

TEST(FleetTest, SkewIsZipfs) {
  const Seen seen = Watch("tags=host:100,interval=10s,duration=1d,skew=1");

  const double total = 100.0 * 8'640;
  EXPECT_NEAR(static_cast<double>(seen.puts), total, 200);
  const double harmonic = 5.187377517639621;  // of 100
  for (const uint64_t rank : {1U, 2U, 10U, 100U}) {
    EXPECT_NEAR(static_cast<double>(seen.by_number.at(rank - 1)),
                total / harmonic / static_cast<double>(rank), 2.0)
        << rank;
  }
  EXPECT_EQ(seen.rows, seen.hours.size());
}

// More series than are summed up one by one.
TEST(FleetTest, SkewOfManySeriesKeepsTheNumberOfPoints) {
  const Seen seen = Watch("tags=host:1000/cpu:200,interval=1h,duration=1h,skew=0.7,slice=1h");

  EXPECT_NEAR(static_cast<double>(seen.puts), 200'000, 2'000);
}

TEST(FleetTest, ChurnMakesNewHosts) {
  const Seen none = Watch("tags=host:100,interval=1m,duration=2d");
  const Seen some = Watch("tags=host:100,interval=1m,duration=2d,churn=0.5");

  EXPECT_EQ(none.series.size(), 100U);
  // Each lives for two days, so each is replaced once in these two.
  EXPECT_NEAR(static_cast<double>(some.series.size()), 200, 3);
  EXPECT_EQ(none.puts, some.puts);
}

TEST(FleetTest, LatePointsAreOlderThanTheyCome) {
  const Seen seen = Watch("tags=host:100,interval=1m,duration=1d,late=0.1:6h");

  EXPECT_NEAR(static_cast<double>(seen.late) / static_cast<double>(seen.puts), 0.1, 0.01);
  EXPECT_TRUE(seen.in_order);
}

TEST(FleetTest, TheSameSeedIsTheSameFleet) {
  const std::string_view spec = "tags=host:50,interval=1m,duration=6h,churn=2,skew=0.5,late=0.1:1h";

  EXPECT_EQ(Watch(spec, FleetSteps::kPoints, 7).hours, Watch(spec, FleetSteps::kPoints, 7).hours);
  EXPECT_NE(Watch(spec, FleetSteps::kPoints, 7).hours, Watch(spec, FleetSteps::kPoints, 8).hours);
}

TEST(FleetTest, RefusesWhatIsNoFleet) {
  for (const auto& [bad, why] : std::initializer_list<std::pair<std::string_view, const char*>>{
           {"metrics=0", "whole number"},
           {"metric=1", "metrics, tags"},
           {"tags=host", "name:values"},
           {"tags=host:0", "whole number"},
           {"tags=a:100000/b:100000", "at most 100000000"},
           {"uid=1,tags=host:300", "or more bytes"},
           {"interval=0s", "a time"},
           {"interval=10", "a time"},
           {"slice=7m", "part of an hour"},
           {"skew=-1", "from 0"},
           {"skew=nan", "from 0"},
           {"late=0.1", "share:age"},
           {"start=1", "whole hour"},
           {"duration=40000d", "a time"}}) {
    EXPECT_THAT(ParseFleet(bad), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why)))
        << bad;
  }
}

TEST(FleetTest, SpansOfTime) {
  EXPECT_THAT(ParseSpanMs("500ms"), IsOkAndHolds(500U));
  EXPECT_THAT(ParseSpanMs("2h"), IsOkAndHolds(7'200'000U));
  EXPECT_THAT(ParseSpanMs("2w"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ParseSpanMs("99999999999d"), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace hourcell::fleet_test
