#include "engine/deletion/point_counter.h"

#include <memory>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "codec/base/clock.h"
#include "engine/query/function_spec.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::point_counter_test {
namespace {

using testing::HasSubstr;

constexpr int64_t kHour = 1356998400;

class PointCounterTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.clock = &clock_;
    options_.seal_in_background = false;
    tsdb_ = *Tsdb::Open(options_);
    for (int64_t second = 0; second < 7200; second += 10) {
      Put("h=a", second);
      if (second % 60 == 0) Put("h=b", second);
    }
    ASSERT_OK(tsdb_->maintenance().Seal());
    Put("h=a", 7200);
  }

  void Put(const std::string& tags, int64_t second) {
    ASSERT_OK(tsdb_->points().Put(OwnedPoint("m", tags, kHour + second, second).view()));
  }
  absl::StatusOr<CountedPoints> Count(const QuerySpec& spec) {
    return tsdb_->points().CountPoints(spec);
  }

  TempDir directory_;
  ManualClock clock_{(kHour + 9000) * 1000};
  Options options_ = TinyOptions(directory_.path() + "/store");
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(PointCounterTest, CountsPointsOfTheRangeInMemoryAndInCells) {
  EXPECT_THAT(Count(MakeQuery(Aggregator::kAvg, "m", {}, kHour, kHour + 7200)),
              IsOkAndHolds(CountedPoints{.metrics = 1, .series = 2, .points = 721 + 120}));
  EXPECT_THAT(Count(MakeQuery(Aggregator::kAvg, "m", {}, kHour + 5, kHour + 3601)),
              IsOkAndHolds(CountedPoints{.metrics = 1, .series = 2, .points = 360 + 60}));
  EXPECT_THAT(Count(MakeQuery(Aggregator::kAvg, "m", {}, kHour + 7200, kHour + 7300)),
              IsOkAndHolds(CountedPoints{.metrics = 1, .series = 1, .points = 1}));
}

TEST_F(PointCounterTest, HowPointsAreAggregatedDoesNotMatter) {
  QuerySpec spec = MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour + 7200);
  spec.queries[0].downsample = *ParseDownsampleSpec("1h-avg-zero");
  spec.queries[0].rate = RateSpec();
  EXPECT_THAT(Count(spec),
              IsOkAndHolds(CountedPoints{.metrics = 1, .series = 2, .points = 721 + 120}));
}

TEST_F(PointCounterTest, OfTwoSubQueriesASeriesCountsTwice) {
  QuerySpec spec = MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour + 7200);
  spec.queries.emplace_back().tsuids = {"000001000001000001"};
  EXPECT_THAT(Count(spec),
              IsOkAndHolds(CountedPoints{.metrics = 2, .series = 3, .points = 721 + 120 + 721}));
}

TEST_F(PointCounterTest, TakesNoFunctions) {
  QuerySpec spec = MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour + 7200);
  spec.queries[0].functions = {*ParseFunctionSpec("top(1,max)")};
  EXPECT_THAT(Count(spec), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("functions")));
}

}  // namespace
}  // namespace hourcell::point_counter_test
