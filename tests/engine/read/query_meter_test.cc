#include "engine/read/query_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::query_meter_test {
namespace {

using testing::HasSubstr;

TEST(QueryMeterTest, CountsAndEndsAtEachLimit) {
  const auto added = [](const QueryLimits& limits, const QueryCost& read) {
    QueryControl control;
    QueryMeter meter(limits, {}, &control);
    EXPECT_OK(meter.Add(read));
    return meter.Add(read);
  };
  const QueryCost read{.rows = 3, .rows_skipped = 2, .points = 100, .bytes = 1000};
  QueryLimits limits;

  EXPECT_OK(added(limits, read));
  limits = {.points = 200, .bytes = 2000, .rows = 10};
  EXPECT_OK(added(limits, read));
  limits = {.points = 199};
  EXPECT_THAT(added(limits, read), StatusIs(absl::StatusCode::kResourceExhausted,
                                            HasSubstr("our limit of 199 data points")));
  limits = {.rows = 9};
  EXPECT_THAT(added(limits, read),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("our limit of 9 rows")));
  limits = {.bytes = 1 << 10};
  EXPECT_THAT(added(limits, read),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("maximum amount of")));
}

TEST(QueryMeterTest, TellsItsControl) {
  QueryControl control;
  QueryMeter first({}, {}, &control);
  QueryMeter second({}, {}, &control);

  ASSERT_OK(first.Add({.rows = 1, .rows_skipped = 2, .points = 3, .bytes = 4}));
  ASSERT_OK(second.Add({.rows = 10, .points = 30}));
  ASSERT_OK(second.AddSeries(7));

  EXPECT_EQ(first.cost().rows, 1u);
  EXPECT_EQ(
      control.cost(),
      (QueryCost{
          .series = 7, .rows = 11, .rows_skipped = 2, .points = 33, .bytes = 4, .memory = 0}));
}

TEST(QueryMeterTest, SeriesAreLimited) {
  QueryControl control;
  QueryMeter meter({.series = 10}, {}, &control);

  EXPECT_OK(meter.AddSeries(10));
  EXPECT_THAT(meter.AddSeries(1),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("our limit of 10 series")));
}

TEST(QueryMeterTest, EndsByCancelAndDeadline) {
  class AtTen : public Clock {
   public:
    int64_t NowMs() override { return 1'000'000; }  // of no meaning to a deadline
    int64_t MonotonicMs() override { return 10; }
  } clock;
  QueryControl control;
  QueryMeter meter({}, {.ms = 10, .clock = &clock}, &control);
  QueryMeter late({}, {.ms = 9, .clock = &clock}, &control);

  EXPECT_OK(meter.Check());
  EXPECT_THAT(late.Add({}), StatusIs(absl::StatusCode::kDeadlineExceeded));
  control.Cancel();
  EXPECT_THAT(meter.Add({}), StatusIs(absl::StatusCode::kCancelled));
}

TEST(QueryMemoryTest, IsSharedAndGivenBack) {
  QueryMemory memory(1000);
  QueryControl control;
  {
    MemoryLease one(&memory, &control);
    MemoryLease other(&memory, &control);
    EXPECT_OK(one.Take(600));
    EXPECT_THAT(other.Take(600),
                StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("tsd.query.memory")));
    one.GiveBack(300);
    EXPECT_OK(other.Take(600));
    EXPECT_EQ(memory.used(), 900u);
    EXPECT_EQ(control.cost().memory, 600u);
  }
  EXPECT_EQ(memory.used(), 0u);
}

TEST(QueryMemoryTest, IsReturnedOnceAfterMuchWasGivenBack) {
  QueryMemory memory(0);
  ASSERT_TRUE(memory.TryTake(kBytesWorthReturning + 100));
  EXPECT_FALSE(memory.IsWorthReturning());  // it is in use
  memory.GiveBack(kBytesWorthReturning - 1);
  EXPECT_FALSE(memory.IsWorthReturning());
  memory.GiveBack(1);
  EXPECT_TRUE(memory.IsWorthReturning());
  EXPECT_FALSE(memory.IsWorthReturning());

  // Many small queries are not a large one.
  memory.GiveBack(100);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(memory.TryTake(kBytesWorthReturning / 2));
    memory.GiveBack(kBytesWorthReturning / 2);
  }
  EXPECT_FALSE(memory.IsWorthReturning());
}

}  // namespace
}  // namespace hourcell::query_meter_test
